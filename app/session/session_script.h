// SessionScript: a session driven by a script: does its lines between frames, counts the pictures that they wait for, and
// ends what cannot be done. Without a script it does nothing.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/control/script.h"
#include "app/session/messages.h"
#include "app/session/outputs.h"
#include "app/session/picture_maker.h"
#include "app/session/race.h"
#include "app/session/saver.h"
#include "app/session/trace_runner.h"
#include "app/session/transport.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"

namespace app {

// Files that lines named, and what wrote them. The place of each name is resolved once: there may be thousands.
class NamedResults {
 public:
  // Throws ExitError (usage) where `step` would replace another one. The same action may write its file anew, as of a later picture; no
  // other may replace it. A video was made over many lines.
  void check(const Command& step) const;
  void note(const Command& step);
  void forget(const std::filesystem::path& path);
  bool has(const std::filesystem::path& path) const { return named_.contains(path); }
  void look_again();  // files were written since they were named

 private:
  struct Named {
    Action action;
    FileIdentity identity;
  };
  std::map<std::filesystem::path, Named> named_;
  std::multimap<std::string, std::filesystem::path> by_place_, by_inode_;
};

// ScriptRun: the state of a script: its next line, and what the current one waits for. SessionScript tells it what happens
// and does what the lines ask for.
//
// A wrong line of a file ends the script; the standard input is answered, a line of JSON per line ({"ok": true}, {"error": "..."},
// or the values that it asks for) once what it asks for is done, and goes on. Either way the run's exit code says what was wrong
// first.
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
  // Who reads the answers: prints a line without waiting for anybody. No line is done while the answers have no room.
  struct Reader {
    std::function<void(std::string line)> print;
    std::function<bool()> has_room;
  };
  static constexpr std::uint64_t most_lines = 16;  // that advance() does

  // `path`: "-" is the standard input. Throws ExitError (usage) where it cannot be read. Without a `reader` nothing is printed.
  explicit ScriptRun(const std::string& path, Reader reader = {});

  // Between two frames: does the lines that are there, up to the first that has to wait, but no more than a few, and none once
  // `patience` is over. True where one was done.
  bool advance(const Doer& doer, Clock::duration patience = Clock::duration::max());
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
  bool waits_for_frames(const Doer& doer) const {
    return wait_ != Wait::nothing && wait_ != Wait::files && (wait_ == Wait::time || still_waits(doer));
  }
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
  bool has_room() const { return !reader_.has_room || reader_.has_room(); }

  std::string name_;
  Reader reader_;
  script::Input input_;
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

class SessionScript {
 public:
  // The parts of the session that its lines are about.
  struct Parts {
    const Run& run;
    const Settings& settings;
    Messages& messages;
    Outputs& outputs;
    Engine& engine;
    Transport& transport;
    PictureMaker& maker;
    Saver& saver;
    RaceRunner& race;
    TraceRunner& trace;
  };
  // What the session does for them; what it throws is what is wrong with the line.
  struct Doer {
    std::function<void(const script::Set&)> set;
    std::function<bool(const script::Do&)> sets;                 // it changes settings, as a Set does
    std::function<bool(const script::Do&)> starts_from_picture;  // and from what the picture decides
    std::function<void(const script::Do&)> act;
    std::function<std::string(const script::Get&)> get;
    std::function<void()> quit;
  };

  // Throws ExitError (usage) where the run's script cannot be read.
  SessionScript(const Parts& parts, Doer doer);

  // Sets the job that writes a picture of what is shown now.
  void set_screenshot(std::function<Outputs::Job()> screenshot) { screenshot_ = std::move(screenshot); }

  // The session's step, in this order: the lines that can be done before it; `current`: the picture that is begun has
  // everything that they set; it is made; the end of the step, where `idle` says that no frame came.
  void follow();
  void picture_begun(bool current) { counts_ = current; }
  void picture_made();
  void watch(bool idle);
  void finish();  // after the last step
  // Pictures will not come: ScriptRun::fail(). False, too, where there is no script.
  bool fail(ExitCode code, const std::string& why) { return run_ && run_->fail(code, why); }

  // What failed between two lines is reported by the next that needs it, or at the end: not a message of its own as well.
  bool reports() const;

  // A line started the race, waits until it is finished, and reports what is wrong; false: none does.
  bool race_failed(const std::string& why) {
    if (races_ && race_problem_.empty()) race_problem_ = why;
    return races_;
  }

  // A result that a command names, also without a script. Throws ExitError (usage) where it would replace what it must not, or
  // another program writes it; else it is a result of this command, and no other takes it until it is written or fails
  // (Outputs::release).
  void check_file(const Command& command);
  bool has_written(const std::filesystem::path& file) const { return results_.has(file); }
  void note_read();  // before the settings change: what they name was read

  // Until this line is done no frame is needed, so that a run which must not depend on time takes none.
  bool needs_no_frame() const { return runs() && !run_->waits_for_frames(steps_); }
  void rest(std::chrono::microseconds patience) { run_->await_line(patience); }  // then

  bool runs() const { return run_ && !run_->ended(); }
  bool ended() const { return run_ && run_->ended(); }
  bool waits() const { return run_ && run_->waits(); }
  bool advanced() const { return advanced_; }  // in this step a line was done, which may have changed what is shown
  bool waits_for_pictures() const { return run_ && run_->waits_for_pictures(); }
  bool answers() const { return run_ && run_->answers(); }

 private:
  bool ready(const script::Do& step) const;
  void act(const script::Do& step);
  bool say_failures();
  bool written();

  Parts parts_;
  Doer doer_;
  ScriptRun::Doer steps_;  // of a line
  std::unique_ptr<ScriptRun> run_;
  std::function<Outputs::Job()> screenshot_;
  // What the last line `trace` leads to: another trace than the one that was there before.
  bool traces_ = false;
  TraceRunner::Trace trace_before_;
  NamedResults results_;
  std::vector<std::filesystem::path> read_;  // files that the run has read
  bool races_ = false;
  std::string race_problem_;  // of that race, the first
  bool counts_ = false;       // the picture under way: it has everything that was set
  bool advanced_ = false;
};

}  // namespace app
