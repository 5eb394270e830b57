#include "app/ui/why_not.h"

#include "app/capture/still_source.h"
#include "app/control/command.h"
#include "app/control/settings_file.h"

namespace app::ui {
namespace {

using capture::SourceKind;

std::string if_so(bool refused, const char* why) { return refused ? why : ""; }

// Without a place to go to there is no rate to play at either.
std::string no_speed(const State& state, const Settings& settings) {
  const auto& why = state.capture.no_seek;
  return why.empty() ? if_so(settings.max_speed, "Max speed is on") : why;
}

}  // namespace

std::string why_not(Action action, const State& state, const Settings& settings) {
  const auto& capture = state.capture;
  switch (meant_by(action).action) {
    case Action::seek:
    case Action::step: return capture.no_seek;
    default: break;
  }
  switch (action) {
    case Action::pause:
    case Action::resume:
    case Action::toggle_pause: return capture::is_still(capture.kind) ? capture.no_seek : "";
    case Action::slower:
    case Action::faster:
    case Action::slightly_slower:
    case Action::slightly_faster:
    case Action::normal_speed: return no_speed(state, settings);
    case Action::toggle_loop:
      return if_so(capture.kind != SourceKind::video || !capture.no_seek.empty(), "Only a video file has an end");
    case Action::toggle_matrix:
    case Action::save_matrix: return if_so(capture.kind != SourceKind::matrix, "The source is no matrix");
    case Action::ui_default: return if_so(settings.ui_scale == 0, "As large as the display asks for");
    case Action::record: return if_so(state.recording, "Already recording");
    case Action::stop_record: return if_so(!state.recording, "Nothing is being recorded");
    case Action::open_folder: return state.source.no_folder;
    case Action::next_stage:
    case Action::previous_stage:
      return if_so(!state.cascade.window || state.cascade.window->stages.stages.empty(), "No window of a cascade is shown");
    case Action::trace_tiles: return state.trace.unavailable;
    case Action::export_trace: return if_so(!state.trace.history, "Nothing was traced yet");
    case Action::start_race: return if_so(state.race.running(), "The race is running");
    case Action::stop_race: return if_so(!state.race.running(), "No race is running");
    case Action::export_race: return if_so(state.race.runs == 0, "Nothing has run yet");
    case Action::save_wrong_frame: return if_so(state.check.wrong == 0, "No table was wrong");
    case Action::reset_everything:
      return if_so(settings == as_at_first_start(settings), "Everything is as at the first start");
    default: return {};
  }
}

}  // namespace app::ui
