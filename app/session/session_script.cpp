#include "app/session/session_script.h"

#include <stdexcept>

#include "app/session/session.h"
#include "app/support/files.h"

namespace app {

SessionScript::SessionScript(Session& session, const std::optional<std::string>& path)
    : session_(session), run_(path ? std::make_unique<ScriptRun>(*path) : nullptr) {}

// What a line sets holds from the next picture on.
void SessionScript::follow() {
  if (!run_) return;
  const ScriptRun::Doer doer{
      [this](const script::Set& step) { apply(session_.settings(), step.changes, session_.context()); },
      [this](const script::Do& step) { act(step); }, [this] { return written(); }};
  if (run_->advance(doer)) counts_ = false;
}

void SessionScript::act(const script::Do& step) {
  if (!step.to.empty()) check_result(step.to, session_.settings().source, session_.run().results());
  auto& outputs = session_.outputs();
  failures_ = outputs.failures();
  if (step.action == Action::export_timings) session_.take_all_times();  // of every frame that the lines before asked for
  if (step.action == Action::screenshot)
    outputs.screenshot(screenshot_(), step.to);
  else
    session_.act(step.action, step.to);
}

// Files that a line asked for are there; or throws why one is not.
bool SessionScript::written() const {
  const auto& outputs = session_.outputs();
  if (outputs.failures() != failures_) throw std::runtime_error(outputs.last_error());
  return outputs.all_written();
}

void SessionScript::picture_made() {
  if (run_ && counts_) run_->count_picture();
}

// Pictures that a line waits for and that will not come.
void SessionScript::watch(bool idle) {
  if (!run_) return;
  if (const auto failure = run_->take_failure()) {
    session_.messages().error(*failure);
    session_.quit();
  }
  if (!waits_for_pictures() || session_.engine().busy()) return;
  if (const auto why = session_.engine().refusal(); !why.empty())
    run_->fail(ExitCode::usage, why);
  else if (const auto& feed = session_.feed(); idle && !feed.still() && feed.ended())
    run_->fail(ExitCode::source, "the source has ended");
}

}  // namespace app
