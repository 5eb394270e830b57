#include "app/control/fuzzy_match.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <vector>

namespace app {
namespace {

constexpr int word_start = 8, adjacent = 10, letter = 1, skipped = 1;
constexpr int least_per_letter = 7;  // less is letters that happen to follow each other somewhere in a sentence
constexpr int none = std::numeric_limits<int>::min() / 2;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
}

// The best sum over all ways to find the word's letters in this order. best[j]: of the letters so far, the last at j.
std::optional<int> score_of_word(std::string_view word, std::string_view text) {
  std::vector<int> best(text.size(), none), next(text.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    int before = i == 0 ? 0 : none;  // the best one that ends left of j - 1, less what is skipped after it
    for (std::size_t j = 0; j < text.size(); ++j) {
      const int just_before = i > 0 && j > 0 ? best[j - 1] : none;
      const int from = std::max(before, just_before == none ? none : just_before + adjacent);
      const bool same = lower(word[i]) == lower(text[j]) && from != none;
      next[j] = same ? from + letter + (starts_word(text, j) ? word_start : 0) : none;
      if (before != none && i > 0) before -= skipped;
      if (just_before != none) before = std::max(before, just_before - skipped);
    }
    std::swap(best, next);
  }
  const int score = text.empty() ? none : *std::max_element(best.begin(), best.end());
  return score < least_per_letter * (static_cast<int>(word.size()) - 1) ? std::nullopt : std::optional(score);
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view query, std::string_view text) {
  int sum = 0;
  bool any = false;
  while (!query.empty()) {
    const auto space = std::min(query.find(' '), query.size());
    const auto word = query.substr(0, space);
    query.remove_prefix(std::min(space + 1, query.size()));
    if (word.empty()) continue;
    const auto score = score_of_word(word, text);
    if (!score) return {};
    sum += *score;
    any = true;
  }
  return any ? sum : 0;
}

bool begins_with(std::string_view text, std::string_view query) {
  return std::ranges::equal(text.substr(0, query.size()), query, {}, lower, lower);
}

}  // namespace app
