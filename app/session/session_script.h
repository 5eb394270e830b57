// SessionScript: a session driven by a script: does its lines between frames, counts the pictures that they wait for, and
// ends what cannot be done. Without a script it does nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/script.h"
#include "app/session/outputs.h"
#include "app/session/trace_runner.h"
#include "app/support/exit_code.h"

namespace app {

class Session;

// ScriptRun: the state of a script: its next line, and what the current one waits for. SessionScript tells it what happens
// and does what the lines ask for. Without a script it does nothing.
//
// A wrong line of a file ends the script; the standard input is answered, a line of JSON per line ({"ok": true}, {"error": "..."},
// or the values that it asks for) once what it asks for is done, and goes on. Either way the run's exit code says what was wrong
// first.
class ScriptRun {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t most_lines = 16;  // that advance() does

  // `path`: "-" is the standard input; nullopt: there is no script. Throws ExitError (usage) where it cannot be read.
  explicit ScriptRun(const std::optional<std::string>& path);
  virtual ~ScriptRun() = default;
  ScriptRun(const ScriptRun&) = delete;
  ScriptRun& operator=(const ScriptRun&) = delete;

  // Between two frames: does the lines that are there, up to the first that has to wait, but no more than a few, and none once
  // `patience` is over. True where one was done.
  bool advance(Clock::duration patience = Clock::duration::max());
  // Until the next line may be there, or what the current one waits for.
  void await_line(std::chrono::microseconds patience);
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
  // It goes on only with pictures to come, or with time, in which they come.
  bool waits_for_frames() {
    return wait_ != Wait::nothing && wait_ != Wait::files && (wait_ == Wait::time || still_waits());
  }
  bool waits() const { return wait_ != Wait::nothing; }
  bool pending() const { return pending_.has_value(); }  // of fail(), for the next line
  bool has_set() const { return set_line_ > 0; }         // a line has set something
  bool answers() const { return answers_; }              // the lines come from the standard input
  bool has_script() const { return input_.has_value(); }
  bool runs() const { return input_ && !ended_; }
  bool ended() const { return input_ && ended_; }  // no line is left
  ExitCode exit_code() const { return code_; }
  void interrupt();                           // the run is interrupted: the line that waits fails, and so do those behind it
  void give_up_pending();                     // no line will wait for pictures: take_untold() has it
  std::optional<std::string> take_untold();   // what failed, once, where no line said so
  std::optional<std::string> take_failure();  // of a file's line, once: "s.jsonl:3: ..."

 private:
  // What lines ask for. May throw: that is what is wrong with the line.
  virtual void set(const script::Set& step) = 0;
  virtual bool loads_kernels() const { return false; }  // what was done last has begun that, for which written() waits
  virtual bool sets(const script::Do& step) = 0;        // it changes settings, as a Set does
  virtual bool ready(const script::Do& step) = 0;       // what the action works on is there: a picture, a trace
  virtual void act(const script::Do& step) = 0;
  virtual bool written() = 0;  // the files that an action began are there
  virtual std::string get(const script::Get& step) = 0;
  // For who reads the answers: prints a line without waiting for anybody. No line is done while the answers have no room.
  virtual void print(std::string line) = 0;
  virtual bool has_room() const = 0;

  // ready: of the action of a line, which is carried out then.
  enum class Wait { nothing, ready, pictures, time, files };

  bool still_waits();
  bool go_on();
  void begin(const script::Step& step);
  void begin_action(const script::Do& action);
  void answer(const std::string& error);
  void refuse(ExitCode code, const std::string& why);

  std::string name_;
  std::optional<script::Input> input_;
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

class SessionScript final : public ScriptRun {
 public:
  // Throws ExitError (usage) where the run's script cannot be read.
  explicit SessionScript(Session& session);

  // The session's step, in this order: the lines that can be done before it; `current`: the picture that is begun has
  // everything that they set; it is made; the end of the step, where `idle` says that no frame came.
  void follow();
  void picture_begun(bool current) { counts_ = current; }
  void picture_made();
  void watch(bool idle);
  void finish();  // after the last step

  // What failed between two lines is reported by the next that needs it, or at the end: not a message of its own as well.
  bool reports() const;

  // A line loads users' kernels, waits until they are compiled, and reports what is wrong: with this one.
  bool loads_kernel(std::string_view name) const;

  // A line started the race or the study, waits until it is finished, and reports what is wrong; false: none does.
  bool race_failed(const std::string& why) {
    const bool waits = races_ || studies_;
    if (waits && race_problem_.empty()) race_problem_ = why;
    return waits;
  }

  // Until this line is done no frame is needed, so that a run which must not depend on time takes none.
  bool needs_no_frame() { return runs() && !waits_for_frames(); }
  bool advanced() const { return advanced_; }  // in this step a line was done, which may have changed what is shown

 private:
  void set(const script::Set& step) override;
  bool loads_kernels() const override { return !loads_.empty(); }
  bool sets(const script::Do& step) override;
  bool ready(const script::Do& step) override;
  void act(const script::Do& step) override;
  bool written() override;
  std::string get(const script::Get& step) override;
  void print(std::string line) override;
  bool has_room() const override;
  bool say_failures();

  Session& session_;
  // What the last line `trace` leads to: another trace than the one that was there before.
  bool traces_ = false;
  TraceRunner::Trace trace_before_;
  bool races_ = false, studies_ = false;
  std::vector<std::string> loads_;  // names of kernels
  std::string race_problem_;        // of that race, or study, the first
  bool counts_ = false;             // the picture under way: it has everything that was set
  bool advanced_ = false;
};

}  // namespace app
