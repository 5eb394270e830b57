// Changes and actions: each becomes another setting, or something that the session does.
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "app/capture/capture.h"
#include "app/capture/source_text.h"
#include "app/control/actions.h"
#include "app/control/fields.h"
#include "app/control/key_table.h"
#include "app/control/selection.h"
#include "app/pipeline/tile_history.h"
#include "app/session/session.h"
#include "app/support/machine.h"
#include "app/support/simulated_gpu.h"

namespace app {

void Session::set(std::span<const Change> changes, bool drags) {
  auto changed = settings_;
  apply(changed, changes, context());
  use(changed, drags);
}

void Session::use(const Settings& changed, bool drags) {
  if (changed == settings_) return;
  for (const auto& file : files_of(changed))
    if (outputs_.will_write(file))
      throw std::invalid_argument(file.string() + " is a result of this run, and not complete yet: name another file");
  script_.note_read();
  settings_ = changed;
  undo_.note(settings_, drags);
}

void Session::change(std::span<const Change> changes) {
  try {
    set(changes, true);
  } catch (const std::invalid_argument& error) {
    messages_.warn(error.what());
  }
}

void Session::perform(const Command& command) {
  try {
    if (!may_write(command)) return;
    act(command);
    script_.wrote(command);
  } catch (const std::invalid_argument& error) {
    messages_.warn(error.what());
  }
}

bool Session::sets(const Command& command) const {
  const auto action = meant_by(command).action;
  if (action == Action::undo || action == Action::redo || action == Action::reset_everything) return true;
  try {
    return changes_of(command, settings_, context()).has_value();
  } catch (const std::invalid_argument&) {
    return true;
  }
}

bool Session::may_write(const Command& command) {
  try {
    if (!command.to.empty() && std::filesystem::exists(command.to) && !script_.has_written(command.to))
      throw ExitError(ExitCode::usage, command.to.string() + " exists: name another file");
    if (!command.to.empty()) script_.check_file(command);
    return true;
  } catch (const ExitError& error) {
    messages_.warn(error.what());
    return false;
  }
}

void Session::go_to(double seconds) {
  try {
    seek(seconds);
  } catch (const std::invalid_argument& error) {
    messages_.warn(error.what());
  }
}

void Session::act(const Command& asked) {
  const auto command = meant_by(asked);
  if (act_on_transport(command) || act_on_session(command.action, command.to)) return;
  if (command.action == Action::open) return open(command.text);
  auto changed = settings_;
  if (!apply(command, changed, context()))
    throw std::invalid_argument("'" + std::string(info(command.action).name) + "' cannot be done here");
  use(changed);
}

void Session::undo(bool again) {
  auto changed = settings_;
  const auto what = again ? undo_.redo(changed) : undo_.undo(changed);
  use(changed);
  messages_.info((again ? "redone: " : "undone: ") + what);
}

// The source that plays already is opened anew.
void Session::open(const std::string& source) {
  reopen_ |= source == settings_.source;
  const Change change{"source", source};
  set(std::span(&change, 1));
}

// False: it is a setting, or a matter of the window.
bool Session::act_on_session(Action action, const std::filesystem::path& to) {
  switch (action) {
    case Action::undo: undo(false); return true;
    case Action::redo: undo(true); return true;
    case Action::reopen: reopen_ = true; return true;
    case Action::record: outputs_.record(to); return true;
    case Action::stop_record: outputs_.stop_record(); return true;
    case Action::toggle_record: outputs_.recording() ? outputs_.stop_recording() : outputs_.record(to); return true;
    case Action::save_picture: save_picture(to); return true;
    case Action::open_folder: open_folder(outputs_.folder()); return true;
    case Action::export_timings: export_timings(to); return true;
    case Action::start_race: race_.start(); return true;
    case Action::stop_race: race_.stop(); return true;
    case Action::toggle_race: race_.running() ? race_.stop() : show_race(); return true;
    case Action::export_race: export_race(to); return true;
    case Action::show_feature: show_feature(0); return true;
    case Action::next_feature: show_feature(1); return true;
    case Action::previous_feature: show_feature(-1); return true;
    case Action::next_stage: show_stage(1); return true;
    case Action::previous_stage: show_stage(-1); return true;
    case Action::trace_tiles: trace_next(); return true;
    case Action::export_trace: export_trace(to); return true;
    case Action::export_csv: export_timings(to, ".csv"); return true;
    case Action::export_frames: export_frames(to); return true;
    case Action::export_timeline: export_timeline(to); return true;
    case Action::reset_statistics:
      log_.reset();
      forget_range();
      light_.reset();
      return true;
    case Action::save_matrix: save_matrix(to); return true;
    case Action::save_wrong_frame: save_wrong_frame(to); return true;
    case Action::quit: quit_ = answered_ = true; return true;
    default: return false;
  }
}

// The chosen one, and its tab; or the one so many steps away.
void Session::show_feature(int step) {
  if (!engine_.has_picture()) throw std::invalid_argument("there is no picture yet");
  auto changes = changes_to_show_feature(settings_, next_feature(settings_.feature, step), settings_.feature_scale,
                                         engine_.pipeline().size());
  if (step == 0) std::ranges::move(changes_to_show(Dock::features), std::back_inserter(changes));
  apply(settings_, changes, context());
}

// The stage so many steps away from the one that is shown, with all of its features; the first and the last are ends.
void Session::show_stage(int step) {
  const auto window = cascade_view_.window();
  if (!window || window->stages.stages.empty())
    throw std::invalid_argument("no window of a cascade is shown: choose the effect faces and click the picture");
  const int last = static_cast<int>(window->stages.stages.size()) - 1;
  const int stage = std::clamp(shown_stage(window->stages, settings_) + step, 0, last);
  const Change changes[] = {{"cascade_stage", std::to_string(stage + 1)}, {"cascade_feature", "0"}};
  apply(settings_, changes, context());
}

ChangeContext Session::context() const {
  const auto& probe = engine_.probe();
  return {probe.gpu ? "" : probe.reason, why_no_simulated_gpu(), zoom_, true, display_scale_, most_scale_};
}

// Where in its source the session is, and how it gets to another place.

// False: it is another kind of action.
bool Session::act_on_transport(const Command& command) {
  const auto number = command.number.value_or(0);
  switch (command.action) {
    case Action::pause: feed_.set_paused(true); return true;
    case Action::resume: resume(); return true;
    case Action::toggle_pause: toggle_pause(); return true;
    case Action::step: step_pictures(static_cast<int>(number)); return true;
    case Action::seek: command.relative ? seek(place() + number) : seek_within(number); return true;
    default: return false;
  }
}

bool Session::at_end() const {
  return !feed_.opening() && feed_.status().phase == capture::Status::Phase::ended && feed_.no_seek().empty();
}

// At the end of a file it starts again.
void Session::resume() {
  if (at_end()) seek(0);
  feed_.set_paused(false);
}

// A still image does not play: a key that is pressed while it is shown must not stop the next source.
void Session::toggle_pause() {
  if (feed_.paused() || at_end()) return resume();
  if (feed_.opening() || !capture::is_still(feed_.status().kind)) return feed_.set_paused(true);
  messages_.info(feed_.no_seek() + ": there is nothing to pause");
}

// Where it is, or will be once the last seek is done: keys that follow each other add up.
double Session::place() const { return feed_.seeking() ? sought_ : position_; }

void Session::require_transport() const {
  if (const auto why = feed_.no_seek(); !why.empty())
    throw std::invalid_argument(why +
                                (feed_.request() ? ": only videos and the synthetic scene can be sought or stepped" : ""));
}

void Session::seek(double seconds) {
  require_transport();
  const double length = feed_.status().length;
  sought_ = std::clamp(seconds, 0.0, length > 0 ? length : std::max(seconds, 0.0));
  feed_.seek(sought_);
}

// Keys and drags stop at the end; a number that somebody wrote is wrong there.
void Session::seek_within(double seconds) {
  require_transport();
  if (const double length = feed_.status().length; length > 0 && seconds > length)
    throw std::invalid_argument("seek " + number_as_text(seconds) + ": " + capture::describe_source(requested_) +
                                " ends at " + number_as_text(length) + " s");
  seek(seconds);
}

void Session::step_pictures(int count) {
  require_transport();
  feed_.set_paused(true);
  const double fps = feed_.status().fps;
  sought_ = std::max(0.0, place() + (fps > 0 ? count / fps : 0));
  feed_.step(count);
}

// When the race runs: on request, and at the end of a run that was asked for one.

// For a key: the race, and its tab.
void Session::show_race() {
  apply(settings_, changes_to_show(Dock::race), context());
  race_.start();
}

// Between two pictures. The race that a run was asked for starts with its last one.
void Session::step_race() {
  if (race_is_due() && !race_.on() && has_run_out()) {
    if (frames_ < run_.frames.value_or(0))
      messages_.warn("the source ended before frame " + std::to_string(*run_.frames) + ": the race is on frame " +
                     std::to_string(frames_) + ", its last one");
    race_.start();
  }
  try {
    bound_.step(engine_, settings_, race_);
    if (!bound_.busy()) race_.step(engine_, settings_, {shown_from_, *source_});  // at once they would slow each other down
  } catch (const gpu::CudaError&) {
    race_failed_ = true;
    messages_.fail(Messages::Rank::result, ExitCode::failed);
    engine_.explain(std::current_exception());
  }
  for (const auto& problem : race_.take_problems()) {
    race_failed_ = true;
    messages_.fail(Messages::Rank::result, ExitCode::failed);
    script_.races() ? script_.race_failed(problem) : messages_.error(problem);
  }
}

// The run was asked for a race, which can be run and is not finished.
bool Session::race_is_due() const {
  return run_.race && engine_.has_picture() && !race_.finished() && (race_.on() || !race_failed_);
}

// The tile trace: it is asked for, arrives after its picture, and is exported.

// A picture that stays is made once more for it.
void Session::trace_next() {
  if (const auto why = why_no_trace(); !why.empty()) throw std::invalid_argument(why);
  engine_.trace_next();
  auto changes = changes_to_show(Dock::trace);
  changes.push_back({"trace_overlay", "on"});
  change(changes);
  measure_again();
}

void Session::export_trace(const std::filesystem::path& to) {
  if (!trace_) throw std::invalid_argument("there is no tile trace yet: trace a picture first");
  outputs_.export_to(to, trace_);
}

std::string Session::why_no_trace() const try {
  const auto here = context();
  const auto device = device_for(settings_, here);
  const auto& algorithm = chosen_algorithm(settings_, device);
  if (device != gpu::Device::host) return why_no_tiles(algorithm);
  const auto none = std::string(algorithm.name) + " records no tiles";
  const bool simulated = here.no_simulated.empty();
  if (!simulated && !here.no_cuda.empty()) return none + "; the simulated GPU does, but " + here.no_simulated;
  return none + ": press " + labels(Action::next_device) + " for the " + (simulated ? "simulated GPU" : "GPU") +
         ", which does";
} catch (const std::invalid_argument& error) {  // the device does not have that algorithm
  return error.what();
}

void Session::take_trace() {
  if (auto trace = engine_.take_trace()) trace_ = std::move(trace);
}

}  // namespace app
