// ScriptInput: the lines of a script, from a file or the standard input, as they come. It never waits for one.
#pragma once

#include <optional>
#include <string>

namespace app {

class ScriptInput {
 public:
  // `path`: "-" is the standard input. Throws ExitError (usage) where it cannot be read.
  explicit ScriptInput(const std::string& path);
  ~ScriptInput();
  ScriptInput(const ScriptInput&) = delete;
  ScriptInput& operator=(const ScriptInput&) = delete;

  // The next line that is there, without its end; nullopt where none is, now or any more. A line of more than 1 MiB ends
  // there.
  std::optional<std::string> next();
  bool ended() const { return ended_ && buffer_.empty(); }  // next() gives no more

 private:
  void read();

  int file_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace app
