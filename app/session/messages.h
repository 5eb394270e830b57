// Messages: the lines that tell the user what happened: in the window until they are old, warnings and errors on stderr
// too.
#pragma once

#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace app {

class Messages {
 public:
  using Kind = ui::Message::Kind;

  void say(Kind kind, std::string text);  // what is still on screen is renewed, not repeated
  void info(std::string text) { say(Kind::info, std::move(text)); }
  void warn(std::string text) { say(Kind::warning, std::move(text)); }
  void error(std::string text) { say(Kind::error, std::move(text)); }

  bool any() const { return !messages_.empty(); }
  const std::vector<ui::Message>& age(double seconds);  // since the last call; forgets the old ones

 private:
  std::vector<ui::Message> messages_;
};

}  // namespace app
