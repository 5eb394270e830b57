// Values of options, from the words of the command line. A wrong one is refused in one line that says what is accepted:
// ExitError (usage).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/commands/options.h"
#include "app/control/names.h"
#include "app/support/near_name.h"

namespace app {

[[noreturn]] void refuse(const std::string& message);

template <class Enum>
Enum choose(std::string_view option, const std::string& word, std::span<const std::string_view> names) {
  if (const auto value = find_name<Enum>(names, word)) return *value;
  refuse(std::string(option) + " takes " + or_list(names) + ", not '" + word + "'" + did_you_mean(word, names));
}

std::optional<std::uint64_t> whole_from(std::string_view word);  // nullopt: it is no whole number, or too large
std::uint64_t positive_whole(std::string_view option, const std::string& word);
gpu::Size square_or_size(std::string_view option, const std::string& word);  // "24" is 24x24
gpu::simulated::Schedule schedule_from(const std::string& word);             // --schedule
Change assignment(const std::string& word);                                  // --set
// Refuses a first word that is near a command, and is neither a file nor a camera.
void check_command(const std::string& word);

}  // namespace app
