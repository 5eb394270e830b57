// What the command line may say: values of options, which options need or exclude one another, which settings a command uses;
// and what is said of a wrong one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/commands/options.h"
#include "app/control/names.h"
#include "app/support/text.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace app {

// Values of options, from the words of the command line. A wrong one is refused in one line that says what is accepted:
// ExitError (usage).
[[noreturn]] void refuse(const std::string& message);

template <class Enum>
Enum choose(std::string_view option, const std::string& word, std::span<const std::string_view> names) {
  if (const auto value = find_name<Enum>(names, word)) return *value;
  refuse(std::string(option) + " takes " + or_list(names) + ", not '" + word + "'" + did_you_mean(word, names));
}

std::optional<std::uint64_t> whole_from(std::string_view word);  // nullopt: it is not a whole number, or too large
std::uint64_t positive_whole(std::string_view option, const std::string& word);
gpu::Size square_or_size(std::string_view option, const std::string& word);  // "24" is 24x24
gpu::simulated::Schedule schedule_from(const std::string& word);             // --schedule
Change assignment(const std::string& word);                                  // --set
// Refuses a first word that is near a command, and is neither a file nor a camera.
void check_command(const std::string& word);

// Throws ExitError (usage) with one line that says what to leave out or to add.
void check_together(const Options& options);

// What the parser of the command line refuses, in our words: one line with the cause and the next step; for an unknown option,
// with the nearest one.
std::string complaint(const CLI::App& cli, const CLI::ParseError& error);

}  // namespace app
