// Script: what a line of --script requests. A line is one JSON object:
//   {"set": {"algorithm": "2r1w", "2r1w.W": 64, "effect": "haar"}}   changes of settings (change.h), all or none
//   {"frames": 30}     wait for so many pictures made with everything that was set before
//   {"seconds": 1.5}   wait for that time
//   {"do": "screenshot", "to": "a.png"}   an action (actions.h) by its name; "to" only if it writes a file
//   {"do": "seek", "to": 3.5}   or takes a number
// session/script_run.h runs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "app/control/actions.h"

namespace app::script {

struct Set {
  std::vector<Change> changes;
};
struct Frames {
  std::uint64_t count;
};
struct Seconds {
  double time;
};
struct Do {
  Action action;
  std::filesystem::path to;           // empty if none was given
  std::optional<double> number = {};  // of actions that take one
};
using Step = std::variant<Set, Frames, Seconds, Do>;

inline constexpr std::size_t longest_line = 1 << 20;
// Throws std::invalid_argument with one line that suggests the nearest word. Of a line that is too long, its beginning suffices.
Step parse(std::string_view line);

}  // namespace app::script
