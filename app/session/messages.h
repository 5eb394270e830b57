// Messages: lines about what happened, shown in the window for some seconds. Warnings and errors also go to stderr.
#pragma once

#include <string>
#include <vector>

namespace app {

struct Message {
  enum class Kind { info, warning, error };
  Kind kind = Kind::info;
  std::string text;  // one line: the cause and the next step
  double age = 0;    // seconds since it was added or renewed; drawn until message_seconds()
};
double message_seconds(Message::Kind kind);  // how long it stays on screen

class Messages {
 public:
  using Kind = Message::Kind;

  void say(Kind kind, std::string text);  // a text that is still on screen is renewed, not repeated
  void info(std::string text) { say(Kind::info, std::move(text)); }
  void warn(std::string text) { say(Kind::warning, std::move(text)); }
  void error(std::string text) { say(Kind::error, std::move(text)); }

  bool any() const { return !messages_.empty(); }
  const std::vector<Message>& age(double seconds);  // since the last call; forgets the old ones

 private:
  std::vector<Message> messages_;
};

void say_no_gpu(Messages& messages);  // at the start of a window

}  // namespace app
