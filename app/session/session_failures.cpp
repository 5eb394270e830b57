// What has failed: it is reported, and decides how the run ends.
#include <utility>

#include "app/control/source_request.h"
#include "app/session/session.h"
#include "app/support/interrupt.h"

namespace app {

// Reports each error once. If a source failed, the settings name again the one that plays.
void Session::say_failures() {
  if (const auto why = take_engine_failure()) {
    const bool failed = why->code != ExitCode::ok, line_fails = failed && script_.fail(why->code, why->text);
    if (!line_fails && !attended_ && failed && !engine_.has_picture()) throw ExitError(why->code, why->text);
    if (!failed) messages_.warn(why->text);
    const auto* meanwhile = why->plain ? "; meanwhile the source is shown without an effect" : "";
    if (failed && !line_fails && !script_.reports()) messages_.error(why->text + meanwhile);
  }
  if (const auto why = light_.take_news()) messages_.error(*why);
  if (const auto warning = feed_.take_warning()) messages_.warn(*warning);
  if (const auto loss = feed_.take_loss()) messages_.warn(*loss);
  if (const auto why = log_file_ ? log_file_->take_failure() : std::nullopt) {
    log_failed_ = true;
    messages_.error(*why);
  }
  const auto why = feed_.take_failure();
  if (!why) return;
  held_failure_.reset();  // one line is enough; the picture stays refused
  // An unattended run, or one with a task, ends: nobody would choose another source. So does one whose first source is wrong.
  const bool line_fails = script_.fail(ExitCode::source, *why), scripted = line_fails || script_.answers();
  const bool task = run_.frames || run_.record || run_.screenshot || run_.export_file || run_.log || run_.script;
  if (!scripted && (!attended_ || task || at_start_) && !feed_.last() && !feed_.opening())
    throw ExitError(ExitCode::source, *why);
  source_failed_ = true;
  lost_ |= run_.offscreen && !run_.script && !has_all_frames();
  failed_source_ = requested_.source;
  failed_because_ = *why;
  if (!line_fails && !script_.reports()) messages_.error(*why);
  if (const auto* request = feed_.will_play(); request && !same_request(*request, requested_)) {
    put_request(*request, settings_);
    requested_ = *request;
  }
}

// Where another source opens, what does not fit the last picture of the one before may fit it: that is known once it has a
// picture, or fails. Dropped where the run ends before.
std::optional<Engine::Failure> Session::take_engine_failure() {
  const bool its_picture_is_made = engine_.busy() && taken_from_ != shown_from_ && engine_.refusal().empty();
  const bool opens = feed_.opening() || feed_.open_failed() || its_picture_is_made;
  auto why = engine_.take_failure();
  if (opens && why && why->text == engine_.refusal()) held_failure_ = std::exchange(why, {});
  if (opens) return why;
  const auto held = std::exchange(held_failure_, {});
  return !why && held && held->text == engine_.refusal() ? held : why;
}

bool Session::has_nothing() const {
  const bool asked = run_.frames || !run_.results().empty();
  return asked && run_.offscreen && !run_.script && !run_.race && pictures_ == 0 && interrupted();
}

ExitCode Session::exit_code() const {
  if (script_.exit_code() != ExitCode::ok) return script_.exit_code();
  if (outputs_.failures() > 0 || log_failed_ || race_failed_) return ExitCode::failed;
  if (run_.offscreen && light_.ever_wrong()) return ExitCode::failed;
  return lost_ || (source_failed_ && pictures_ == 0) ? ExitCode::source : ExitCode::ok;
}

}  // namespace app
