#include "app/commands/option_values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <limits>
#include <vector>

#include "app/capture/camera_list.h"
#include "app/capture/source.h"
#include "app/support/exit_code.h"
#include "gpu/parameter.h"

namespace app {

void refuse(const std::string& message) { throw ExitError(ExitCode::usage, message); }

std::optional<std::uint64_t> whole_from(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

std::uint64_t positive_whole(std::string_view option, const std::string& word) {
  const auto value = whole_from(word);
  const bool too_large = !value && !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  const auto most = too_large ? " to " + std::to_string(std::numeric_limits<std::uint64_t>::max()) : std::string();
  if (!value || *value == 0) refuse(std::string(option) + " takes a whole number from 1" + most + ", not '" + word + "'");
  return *value;
}

gpu::Size square_or_size(std::string_view option, const std::string& word) {
  if (const auto size = size_from_text(word.find('x') == word.npos ? word + 'x' + word : word)) return *size;
  refuse(std::string(option) + " takes N or WxH, each from 1 to " + std::to_string(maximum_side) + ", not '" + word + "'");
}

gpu::simulated::Schedule schedule_from(const std::string& word) {
  using gpu::simulated::Schedule;
  constexpr std::string_view random = "random:";
  constexpr std::string_view names[] = {"in-order", "random:SEED"};
  if (word == names[0]) return {};
  if (word.starts_with(random)) {
    if (const auto seed = whole_from(word.substr(random.size()))) return {Schedule::Kind::random, *seed};
    refuse("--schedule random:SEED takes a whole number from 0, not '" + word.substr(random.size()) + "'");
  }
  refuse("--schedule takes " + or_list(names) + ", not '" + word + "'" + did_you_mean(word, names));
}

Change assignment(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == word.npos || equals == 0) refuse("--set takes KEY=VALUE, not '" + word + "'");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

void check_command(const std::string& word) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  std::error_code error;
  if (!std::ranges::all_of(word, letter) || std::filesystem::exists(word, error)) return;
  std::vector<std::string_view> names(std::begin(verb_names), std::end(verb_names));
  names.insert(names.end(), {"--help", "--version"});
  const auto& sources = capture::source_words;
  names.insert(names.end(), std::begin(sources), std::end(sources));
  const auto nearest = gpu::nearest(word, names);
  if (nearest.empty() || std::ranges::find(sources, nearest) != std::end(sources)) return;  // errors are reported there
  if (!capture::find_camera(word, capture::list_cameras()))
    refuse("no such source or command: '" + word + "' (did you mean " + (nearest.starts_with("--") ? "'" : "the command '") +
           std::string(nearest) + "'?)");
}

}  // namespace app
