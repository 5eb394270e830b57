#include "app/support/near_name.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace app {
namespace {

constexpr std::size_t far = std::numeric_limits<std::size_t>::max();
constexpr std::size_t shortest_prefix = 3;  // shorter prefixes match too many names

std::string plain(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string letters(name);
  for (auto& letter : letters) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

// Letters inserted, deleted, replaced, or swapped with their neighbour.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

std::size_t distance_to_whole(std::string_view word, std::string_view name) {
  if (word == name) return 0;  // apart from capitals
  if (word.size() >= shortest_prefix && name.starts_with(word)) return 1;
  const auto count = edits(word, name);
  return count <= name.size() / 3 ? count : far;
}

// Distance to the whole name, or to one of its words: "blurr" is near box_blur.
std::size_t distance(std::string_view word, std::string_view name) {
  auto least = distance_to_whole(word, name);
  for (std::size_t begin = 0; begin < name.size();) {
    const auto end = std::min(name.find_first_of("_-", begin), name.size());
    if (const auto part = distance_to_whole(word, name.substr(begin, end - begin)); part != far)
      least = std::min(least, part + 1);
    begin = end + 1;
  }
  return least;
}

}  // namespace

std::string_view near_name(std::string_view word, std::span<const std::string_view> names) {
  const auto meant = plain(word);
  std::string_view best;
  auto least = far;
  for (const auto name : names)
    if (const auto away = distance(meant, plain(name)); away < least) {
      least = away;
      best = name;
    }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const auto near = near_name(word, names);
  return near.empty() ? std::string() : "; did you mean '" + std::string(near) + "'?";
}

std::string no_such(std::string_view kind, std::string_view word, std::span<const std::string_view> names) {
  const auto near = did_you_mean(word, names);
  return "no " + std::string(kind) + " '" + std::string(word) + "'" +
         (near.empty() ? "; satscope list " + std::string(kind) + "s names them" : near);
}

}  // namespace app
