#include "app/session/session_script.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/capture/source.h"
#include "app/control/settings_file.h"
#include "app/session/session.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"

namespace app {
namespace {

// What an action works on, for which a line waits.
enum class Needs {
  nothing,
  source,       // a picture of the one that the settings name
  picture,      // the same, with everything that was set
  any_picture,  // the same, or that none will come
  set,          // the same, where a line has set something: a recording may begin with the first picture
  trace,        // that was asked for last
};
Needs needs_of(Action action) {
  switch (action) {
    case Action::seek:
    case Action::step:
    case Action::save_matrix:
    case Action::start_race:
    case Action::show_feature:
    case Action::next_feature:
    case Action::previous_feature: return Needs::source;
    case Action::next_stage:
    case Action::previous_stage:
    case Action::save_picture:
    case Action::export_timings:
    case Action::export_csv:
    case Action::export_frames:
    case Action::export_timeline: return Needs::picture;
    case Action::screenshot: return Needs::any_picture;
    case Action::record:
    case Action::trace_tiles: return Needs::set;
    case Action::export_trace: return Needs::trace;
    default: return Needs::nothing;
  }
}

// Why no picture comes from a source that ended or failed, one line. Who reads the answers alone is told what was wrong with it;
// others were when it ended.
std::string why_no_picture(const Feed& feed, bool answers) {
  if (!feed.request()) return "no source is open: set source";
  const auto status = feed.status();
  if (status.phase == capture::Status::Phase::failed) return status.message;
  return "the source has ended; ask for fewer pictures, set loop, or name another source" +
         (answers && !status.warning.empty() ? "; " + status.warning : "");
}

}  // namespace

SessionScript::SessionScript(Session& session, const std::optional<std::string>& path)
    : session_(session), run_(path ? std::make_unique<ScriptRun>(*path) : nullptr) {}

bool SessionScript::reports() const { return run_ && !answers() && (runs() || session_.run().offscreen); }

// What a line sets holds from the next picture on.
void SessionScript::follow() {
  if (!run_) return;
  const ScriptRun::Doer doer{[this](const script::Set& step) { session_.set(step.changes); },
                             [this](const script::Do& step) { return session_.sets(step); },
                             [this](const script::Do& step) { return ready(step); },
                             [this](const script::Do& step) { act(step); },
                             [this] { return written(); },
                             [this](const script::Get& step) { return session_.answer(step.paths); }};
  advanced_ = run_->advance(doer);
  if (advanced_) counts_ = false;
  for (const auto& step : run_->take_ahead()) session_.engine().expect(step.changes);
  session_.outputs().leave_errors(run_->waits_for_files());
}

bool SessionScript::ready(const script::Do& step) const {
  const auto& engine = session_.engine();
  const bool has_source = session_.shows_its_source();
  const auto has_picture = [&] {
    return has_source && !session_.goes_elsewhere() && !run_->pending() && engine.shows(session_.settings());
  };
  switch (needs_of(meant_by(step).action)) {
    case Needs::nothing: return true;
    case Needs::source: return has_source;
    case Needs::picture: return has_picture();
    case Needs::any_picture: return has_picture() || (!engine.has_picture() && session_.feed().ended());
    case Needs::set: return !run_->has_set() || has_picture();
    case Needs::trace: return !engine.traces() || (engine.trace_wanted() && !session_.why_no_trace().empty());
  }
  return true;
}

// A picture that was to be traced may have failed, or be of an algorithm without tiles by then.
void SessionScript::check_trace() {
  if (!traces_ || session_.trace() != trace_before_) return;
  session_.engine().trace_next(false);
  const auto why = session_.why_no_trace();
  throw std::invalid_argument(why.empty() ? "no tiles were recorded: trace another picture" : why);
}

// Also sources and cascades that are not used any more, and results that a line made a source.
void SessionScript::note_read() {
  auto now = session_.run().read(session_.settings());
  now.push_back(capture::source_file(session_.settings().source));
  for (auto& file : now)
    if (!file.empty() && std::ranges::find(read_, file) == read_.end()) read_.push_back(std::move(file));
}

// The same action may write its file anew, as of a later picture; no other may replace it. A video was made over many lines.
void SessionScript::check_file(const Command& step) {
  const bool anew = step.action != Action::record && step.action != Action::toggle_record;
  auto others = session_.run().results();
  for (const auto& [path, action] : results_)
    if (!anew || action != step.action) others.push_back(path);
  check_result(step.to, capture::source_file(session_.settings().source), others);
  note_read();
  check_kept(step.to, read_);
  taken_.take(step.to);
}

// Once it is begun: what was refused has written nothing.
void SessionScript::wrote(const Command& step) {
  if (!step.to.empty()) results_[step.to] = step.action;
}

void SessionScript::act(const script::Do& step) {
  if (!step.to.empty()) check_file(step);
  auto& outputs = session_.outputs();
  outputs.leave_errors(true);
  if (step.action == Action::export_trace) check_trace();
  // Of every frame that the lines before asked for.
  if (info(step.action).name.starts_with("export")) session_.take_all_times();
  if (step.action == Action::start_race) race_problem_.clear();
  if (step.action == Action::screenshot)
    outputs.screenshot(screenshot_(), step.to);
  else
    session_.act(step);
  wrote(step);
  races_ = step.action == Action::start_race;
  if (step.action == Action::trace_tiles) {
    traces_ = true;
    trace_before_ = session_.trace();
  }
}

// Files that a line asked for are there, or the race is finished; or throws what is wrong.
bool SessionScript::written() {
  if (races_ && session_.race().running()) return false;
  if (std::exchange(races_, false)) {
    if (!race_problem_.empty()) throw std::runtime_error(race_problem_);
    if (!session_.race().finished()) throw std::runtime_error("race: it was stopped");
  }
  auto& outputs = session_.outputs();
  if (const auto why = outputs.take_error(); !why.empty()) throw std::runtime_error(why);
  return outputs.all_written() && !session_.saves_pictures();
}

// If what was set is refused, the picture is one with the settings before.
void SessionScript::picture_made() {
  if (run_ && counts_ && session_.engine().refusal().empty()) run_->count_picture();
}

// What no line will report any more, and what was wrong with the last one.
void SessionScript::finish() {
  session_.outputs().leave_errors(false);
  if (!run_) return;
  if (interrupted()) run_->interrupt();
  run_->give_up_pending();
  say_failures();
}

// True where a line of a file was wrong.
bool SessionScript::say_failures() {
  session_.messages().fail(Messages::Rank::script, run_->exit_code());
  if (const auto why = run_->take_untold()) session_.messages().error(*why);
  const auto failure = run_->take_failure();
  if (failure) session_.messages().error(*failure);
  return failure.has_value();
}

// Pictures that a line waits for and that will not come.
void SessionScript::watch(bool idle) {
  if (!run_) return;
  if (say_failures()) session_.quit();
  if (races_ && idle && !session_.feed().still() && session_.feed().ended() && !session_.engine().has_picture())
    session_.race().stop();  // on what?
  if (!run_->waits_for_any_picture()) return;
  const bool busy = session_.engine().busy();
  if (session_.feed().opening()) return;  // what was refused was a picture of the source before
  if (const auto& why = session_.engine().refusal();
      !why.empty() && session_.engine().has_followed(session_.settings()) && (!busy || counts_))
    run_->fail(ExitCode::usage, why);
  else if (busy)
    return;
  else if (const auto& feed = session_.feed();
           idle && !feed.still() && feed.ended() && (run_->lacks_pictures() || !session_.shows_its_source()))
    run_->fail(ExitCode::source, why_no_picture(feed, answers()));
}

}  // namespace app
