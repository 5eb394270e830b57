// Messages: lines about what happened, shown in the window for some seconds. Warnings and errors also go to stderr. This is
// the only record of what was reported, and of what the run's exit code is to say.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/settings.h"
#include "app/support/exit_code.h"
#include "gpu/cuda/device.h"

namespace app {

struct Message {
  enum class Kind { info, warning, error };
  Kind kind = Kind::info;
  std::string text;       // one line: the cause and the next step
  double age = 0;         // seconds since it was added or renewed; drawn until message_seconds()
  std::string file = {};  // that was saved; empty: none was
};
double message_seconds(Message::Kind kind);  // how long it stays on screen
// A message is usually one line; of a very long one only the beginning is shown, and of the name of a file that would fill it
// both ends. No more of it is read than is shown: this is done for every frame.
std::string shown_text(std::string_view text);
// What the text says to somebody at a shell, said to somebody at the window: "see the list of sources".
std::string for_window(std::string text);

class Messages {
 public:
  using Kind = Message::Kind;

  void say(Kind kind, std::string text);  // a text that is still on screen is renewed, not repeated
  void info(std::string text) { say(Kind::info, std::move(text)); }
  void warn(std::string text) { say(Kind::warning, std::move(text)); }
  void error(std::string text) { say(Kind::error, std::move(text)); }
  void saved(const std::string& file, const std::string& more = {});  // `more`: behind its name
  bool show(Kind kind, std::string text);  // only in the window: stderr has it already; true unless it was renewed
  // For what is found out again and again, in every step perhaps: says a text once, until its cause is gone, which an empty text
  // tells, or is another one. `about`: what may have one cause at a time, "the device". `cause`: empty: a text is its own; else
  // texts of one cause may differ. True where it was said now.
  bool say_once(std::string_view about, Kind kind, const std::string& text, std::string_view cause = {});
  // The same for what somebody else says, a script's answer perhaps: whether the cause is another one than before.
  bool is_new(std::string_view about, std::string_view cause);
  bool knows(std::string_view about, std::string_view cause) const;  // it is not new

  // How the run ends: with the first code of the highest of these ranks that was given.
  enum class Rank { source, result, script };
  void fail(Rank rank, ExitCode code);
  ExitCode exit_code() const { return exit_code_; }

  bool any() const { return !messages_.empty(); }
  const std::vector<Message>& age(double seconds);  // since the last call; forgets the old ones

 private:
  std::vector<Message> messages_;
  std::map<std::string, std::string, std::less<>> causes_;  // that were said and are not gone, by what they are about
  Rank rank_ = Rank::source;
  ExitCode exit_code_ = ExitCode::ok;
};

// At the start of a window, where the settings leave the device to the program. If they demand one, the session says that it is
// missing.
void say_if_no_gpu(Messages& messages, const Settings& settings, const gpu::GpuProbe& probe);

}  // namespace app
