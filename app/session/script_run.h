// ScriptRun: the state of a script: its next line, and what the current one waits for. SessionScript tells it what happens
// and does what the lines ask for.
//
// A wrong line of a file ends the script; the standard input is answered, a line of JSON per line ({"ok": true}, {"error": "..."},
// or the values that it asks for) once what it asks for is done, and goes on. Either way the run's exit code says what was wrong first.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/control/script.h"
#include "app/support/exit_code.h"

namespace app {

// ScriptInput: the lines of a script, from a file or the standard input, as they come. It never waits for one.
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
  // The whole lines that were read and are still to come, each once.
  std::vector<std::string> take_ahead();

 private:
  void read();

  int file_;
  std::string buffer_;
  std::size_t seen_ = 0;  // of it, by take_ahead()
  bool ended_ = false;
};

class ScriptRun {
 public:
  using Clock = std::chrono::steady_clock;
  // May throw: that is what is wrong with the line.
  struct Doer {
    std::function<void(const script::Set&)> set;
    std::function<bool(const script::Do&)> sets;   // it changes settings, as a Set does
    std::function<bool(const script::Do&)> ready;  // what the action works on is there: a picture, a trace
    std::function<void(const script::Do&)> act;
    std::function<bool()> written;  // the files that an action began are there
    std::function<std::string(const script::Get&)> get;
  };

  // `path`: "-" is the standard input. Throws ExitError (usage) where it cannot be read.
  explicit ScriptRun(const std::string& path);

  // Between two frames: does the lines that are there, up to the first that has to wait. True where one was done.
  bool advance(const Doer& doer);
  // What lines that were read will set, each once; what is wrong with them they say when it is their turn.
  std::vector<script::Set> take_ahead();
  // A picture was made with everything that was set.
  void count_picture();
  // Pictures will not come: that is what is wrong with the line that waits for them, now (true) or next, unless something
  // else is set before. A script that a wrong line has ended reports nothing more (true).
  bool fail(ExitCode code, const std::string& why);

  bool waits_for_pictures() const { return wait_ == Wait::pictures; }
  bool lacks_pictures() const { return waits_for_pictures() && pictures_ < wanted_; }
  bool waits_for_any_picture() const { return waits_for_pictures() || wait_ == Wait::ready; }
  bool waits_for_files() const { return wait_ == Wait::files; }
  bool waits() const { return wait_ != Wait::nothing; }
  bool pending() const { return pending_.has_value(); }  // of fail(), for the next line
  bool has_set() const { return set_line_ > 0; }         // a line has set something
  bool answers() const { return answers_; }              // the lines come from the standard input
  bool ended() const { return ended_; }                  // no line is left
  ExitCode exit_code() const { return code_; }
  void interrupt();                           // the run is interrupted: the line that waits fails, and so do those behind it
  void give_up_pending();                     // no line will wait for pictures: take_untold() has it
  std::optional<std::string> take_untold();   // what failed, once, where no line said so
  std::optional<std::string> take_failure();  // of a file's line, once: "s.jsonl:3: ..."

 private:
  // ready: of the action of a line, which is carried out then.
  enum class Wait { nothing, ready, pictures, time, files };

  bool still_waits(const Doer& doer) const;
  bool go_on(const Doer& doer);
  void begin(const script::Step& step, const Doer& doer);
  void act(const script::Do& action, const Doer& doer);
  void answer(const std::string& error);
  void refuse(ExitCode code, const std::string& why);

  std::string name_;
  ScriptInput input_;
  bool answers_;
  std::uint64_t number_ = 0, set_line_ = 0;  // of the line; of the last that set something
  Wait wait_ = Wait::nothing;
  std::optional<script::Do> held_;           // until it is ready
  bool ended_ = false, failed_ = false;      // failed: a line of a file has ended it
  std::uint64_t pictures_ = 0, wanted_ = 0;  // of frames
  Clock::time_point until_;                  // of seconds
  ExitCode code_ = ExitCode::ok;
  std::string got_;                   // what the line asked for, until it is answered
  std::optional<ExitError> pending_;  // what the next line that waits for pictures ends with
  std::optional<std::string> failure_, untold_;
};

}  // namespace app
