// Script: what a line of --script requests. A line is one JSON object:
//   {"set": {"algorithm": "2r1w", "2r1w.W": 64, "effect": "haar"}}   changes of settings (change.h), all or none
//   {"frames": 30}     wait for so many pictures made with everything that was set before
//   {"seconds": 1.5}   wait for that time
//   {"do": "seek 3.5"}   a command (command.h); {"do": "screenshot", "to": "a.png"} is "screenshot to a.png"
//   {"get": ["fps", "effect", "kernels.2r1w.p50"]}   answered by one line of JSON: output/report.h
// Input reads the lines; session/session_script.h runs them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
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

// The lines of a script, from a file or the standard input, as they come. It never waits for one.
class Input {
 public:
  // `path`: "-" is the standard input. Throws ExitError (usage) where it cannot be read.
  explicit Input(const std::string& path);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // The next line that is there, without its end; nullopt where none is, now or any more. Of a line of more than 1 MiB it is
  // the beginning.
  std::optional<std::string> next();
  void wait(std::chrono::microseconds patience);            // until there may be one
  bool ended() const { return ended_ && buffer_.empty(); }  // next() gives no more
  // The whole lines that were read and are still to come, each once.
  std::vector<std::string> take_ahead();

 private:
  void read();
  void skip();

  int file_;
  std::string buffer_;
  std::size_t seen_ = 0;                // of it, by take_ahead()
  bool ended_ = false, skips_ = false;  // skips_: up to the end of a line
};

}  // namespace app::script
