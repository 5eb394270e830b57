// Changes and actions: each becomes another setting, or something that the session does.
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "app/control/selection.h"
#include "app/session/session.h"
#include "app/support/desktop.h"
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

}  // namespace app
