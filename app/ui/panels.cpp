// Panels::draw(): first the keys, then every panel at its place, then what lies over them.
#include "app/control/command.h"
#include "app/control/settings_file.h"
#include "app/ui/figure_table.h"
#include "app/ui/matrix_overlay.h"
#include "app/ui/panel.h"

namespace app::ui {

Panels::Panels() : drafts_(std::make_unique<Drafts>()) {}
Panels::~Panels() = default;

Result Panels::draw(const State& state, Settings& settings) {
  Result result;
  PanelContext ui{state, settings, state.context, result, *drafts_, display_scale()};
  ui.context.picture = state.picture;
  ui.context.by_hand = true;
  handle_keys(ui);
  if (const auto source = std::exchange(drafts_->to_open, {})) app::ui::open_source(ui, *source);

  const auto& display = ImGui::GetIO().DisplaySize;
  const auto places = layout(settings, static_cast<int>(display.x), static_cast<int>(display.y));
  if (settings.columns != drafts_->columns) restore_table_settings(drafts_->columns = settings.columns);
  drafts_->targets = {};
  bar(ui, places.bar);
  strip(ui, places.strip);
  dock(ui, places.dock);
  playback_bar(ui, places.playback);
  if (settings.presentation)
    presentation(ui, places.picture);
  else if (!settings.panels)
    playback_overlay(ui, places.picture);
  matrix_overlay(ui, places.picture);
  side_names(ui);
  hints(ui, places);
  if (!settings.panels || settings.presentation) recording_overlay(ui, places.picture);
  messages(ui, places.picture);
  lists(ui);
  settle_keyboard(ui);
  if (const auto text = changed_table_settings()) settings.columns = drafts_->columns = *text;

  for (const auto& command : std::exchange(result.commands, {})) try {
      if (!apply(command, settings, ui.context)) result.commands.push_back(command);
    } catch (const std::exception& error) {
      result.refusals.push_back(error.what());
    }
  result.drags = ImGui::IsAnyMouseDown();
  return result;
}

void Panels::open_source(const std::string& source) { drafts_->to_open = source; }

void Panels::browse_next_for(const std::string& setting) {
  drafts_->browser = {};
  drafts_->browser.setting = setting;
}

void Panels::accept_typed(const State& state, Settings& settings) {
  Result ignored;
  PanelContext ui{state, settings, {}, ignored, *drafts_, 1};
  accept_valid_number(ui);
}

bool Panels::may_close(const State& state) { return may_quit(drafts_->quit, state); }

namespace {

using capture::SourceKind;

constexpr auto why_no_matrix = "The source is not a matrix",
               no_steps = "The presentation has no steps to undo or redo: leave it first";

std::string if_so(bool refused, const char* why) { return refused ? why : ""; }

// Without a place to go to there is no rate to play at either.
std::string no_speed(const State& state, const Settings& settings) {
  const auto& why = state.capture.no_seek;
  return why.empty() ? if_so(settings.max_speed, "Max speed is on") : why;
}

// For the commands of the dock's tabs.
std::string why_not_in_dock(Action action, const State& state) {
  switch (action) {
    case Action::next_stage:
    case Action::previous_stage:
      return if_so(!state.cascade.window || state.cascade.window->stages.stages.empty(), "No window of a cascade is shown");
    case Action::trace_tiles:
      return state.trace.simulating ? "Tiles are being traced on the simulated GPU" : state.trace.unavailable;
    case Action::export_trace: return if_so(!state.trace.history, "Nothing was traced yet");
    case Action::start_race: return if_so(state.race.running(), "The race is running");
    case Action::stop_race: return if_so(!state.race.running(), "No race is running");
    case Action::export_race: return if_so(state.race.runs == 0, "Nothing has run yet");
    case Action::start_study: return if_so(state.study.running(), "The study is running");
    case Action::stop_study: return if_so(!state.study.running(), "No study is running");
    case Action::export_study: return if_so(state.study.sizes.empty(), "No size was measured yet");
    default: return {};
  }
}

}  // namespace

std::string why_not(const Command& command, const State& state, const Settings& settings) {
  const auto& capture = state.capture;
  const bool no_matrix = capture.kind != SourceKind::matrix;
  switch (command.action) {
    case Action::seek:
    case Action::step: return capture.no_seek;
    case Action::pause:
    case Action::resume:
    case Action::toggle_pause: return capture::is_still(capture.kind) ? capture.no_seek : "";
    case Action::multiply: return command.setting == "speed" ? no_speed(state, settings) : "";
    case Action::reset:
      return command.setting == "speed"      ? no_speed(state, settings)
             : command.setting == "ui_scale" ? if_so(settings.ui_scale == 0, "The display's scale is in use")
                                             : "";
    case Action::toggle:
      if (command.setting == "loop")
        return if_so(capture.kind != SourceKind::video || !capture.no_seek.empty(), "Only a video file has an end");
      return if_so(command.setting == "matrix_editor" && no_matrix, why_no_matrix);
    case Action::save_matrix: return if_so(no_matrix, why_no_matrix);
    case Action::undo:
      if (settings.presentation) return no_steps;
      return if_so(state.undoes.empty(), "There is nothing to undo");
    case Action::redo:
      if (settings.presentation) return no_steps;
      return if_so(state.redoes.empty(), "There is nothing to redo");
    case Action::record:
    case Action::record_clip: return if_so(state.recording, "Already recording");
    case Action::stop_record: return if_so(!state.recording, "Nothing is being recorded");
    case Action::open_folder: return state.no_folder;
    case Action::save_picture:
    case Action::copy_picture:
    case Action::save_table: return if_so(state.picture.width == 0, "There is no picture yet");
    case Action::save_wrong_frame: return if_so(state.check.wrong == 0, "No table was wrong");
    case Action::reset_everything:
      return if_so(settings == as_at_first_start(settings), "Everything is as at the first start");
    default: return why_not_in_dock(command.action, state);
  }
}

}  // namespace app::ui
