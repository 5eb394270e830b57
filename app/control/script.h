// Script: what a line of --script requests. A line is one JSON object:
//   {"set": {"algorithm": "2r1w", "2r1w.W": 64, "effect": "haar"}}   changes of settings (change.h), all or none
//   {"frames": 30}     wait for so many pictures made with everything that was set before
//   {"seconds": 1.5}   wait for that time
//   {"do": "seek 3.5"}   a command (command.h); {"do": "screenshot", "to": "a.png"} is "screenshot to a.png"
//   {"get": ["fps", "effect", "kernels.2r1w.p50"]}   answered by one line of JSON: output/report.h
// session/session_script.h runs it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/control/command.h"

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
using Do = Command;
struct Get {
  std::vector<std::string> paths;
};
using Step = std::variant<Set, Frames, Seconds, Do, Get>;

inline constexpr std::size_t longest_line = 1 << 20;
inline bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }  // it asks for nothing
// Throws std::invalid_argument with one line that suggests the nearest word. Of a line that is too long, its beginning suffices.
Step parse(std::string_view line);

}  // namespace app::script
