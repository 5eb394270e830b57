#include "app/commands/option_values.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "app/support/exit_code.h"

namespace app {

void refuse(const std::string& message) { throw ExitError(ExitCode::usage, message); }

std::string or_list(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  return text;
}

std::uint64_t positive_whole(std::string_view option, const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value == 0)
    refuse(std::string(option) + " takes a whole number from 1, not '" + word + "'");
  return value;
}

int whole_between(std::string_view option, const std::string& word, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most)
    refuse(std::string(option) + " takes a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
           ", not '" + word + "'");
  return value;
}

gpu::simulated::Schedule schedule_from(const std::string& word) {
  using gpu::simulated::Schedule;
  constexpr std::string_view random = "random:";
  constexpr std::string_view names[] = {"in-order", "random:SEED"};
  if (word == names[0]) return {};
  std::uint64_t seed = 0;
  const auto* last = word.data() + word.size();
  if (word.starts_with(random)) {
    const auto [end, error] = std::from_chars(word.data() + random.size(), last, seed);
    if (error == std::errc{} && end == last) return {Schedule::Kind::random, seed};
    refuse("--schedule random:SEED takes a whole number from 0, not '" + word.substr(random.size()) + "'");
  }
  refuse("--schedule takes " + or_list(names) + ", not '" + word + "'" + did_you_mean(word, names));
}

int memory_width(const std::string& word) {
  constexpr std::string_view widths[] = {"4", "8", "16", "32"};
  if (std::find(std::begin(widths), std::end(widths), word) == std::end(widths))
    refuse("--width takes " + or_list(widths) + ", not '" + word + "'");
  return whole_between("--width", word, 4, 32);
}

double frame_rate(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !(value > 0 && value <= maximum_fps))
    refuse("--fps takes a number above 0 and up to 1000, not '" + word + "'");
  return value;
}

Assignment assignment(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == word.npos || equals == 0) refuse("--set takes KEY=VALUE, not '" + word + "'");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace app
