// SessionScript: a session driven by a script: does its lines between frames, counts the pictures that they wait for, and
// ends what cannot be done. Without a script it does nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/outputs.h"
#include "app/session/script_run.h"
#include "app/support/files.h"

namespace app {

class Session;

class SessionScript {
 public:
  // `path`: of Run::script. Throws ExitError (usage) where it cannot be read.
  SessionScript(Session& session, const std::optional<std::string>& path);

  // What writes a picture of what is shown now.
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

  // A line started the race, waits until it is finished, and reports what is wrong.
  bool races() const { return races_; }
  void race_failed(const std::string& why) {
    if (race_problem_.empty()) race_problem_ = why;
  }

  // A result that a command names, also without a script. Throws ExitError (usage) where it would replace what it must not, or
  // another program writes it; else no other takes it until the run ends.
  void check_file(const Command& command);
  void wrote(const Command& command);
  bool has_written(const std::filesystem::path& file) const { return results_.contains(file); }
  void note_read();  // before the settings change: what they name was read

  bool runs() const { return run_ && !run_->ended(); }
  bool ended() const { return run_ && run_->ended(); }
  bool waits() const { return run_ && run_->waits(); }
  bool advanced() const { return advanced_; }  // in this step a line was done, which may have changed what is shown
  bool waits_for_pictures() const { return run_ && run_->waits_for_pictures(); }
  bool answers() const { return run_ && run_->answers(); }

 private:
  bool ready(const script::Do& step) const;
  void act(const script::Do& step);
  void check_trace();
  bool say_failures();
  bool written();

  Session& session_;
  std::unique_ptr<ScriptRun> run_;
  std::function<Outputs::Job()> screenshot_;
  // What the last line `trace` leads to: another trace than the one that was there before.
  bool traces_ = false;
  std::shared_ptr<const TileHistory> trace_before_;
  std::map<std::filesystem::path, Action> results_;  // files that lines named, and what wrote them
  TakenNames taken_;                                 // the same files, until the run ends: the next line may write one anew
  std::vector<std::filesystem::path> read_;          // files that the run has read
  bool races_ = false;
  std::string race_problem_;  // of that race, the first
  bool counts_ = false;       // the picture under way: it has everything that was set
  bool advanced_ = false;
};

}  // namespace app
