// Panels::draw(): first the keys, then every panel at its place, then what lies over them.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/capture/capture.h"
#include "app/control/command.h"
#include "app/control/imgui_keys.h"
#include "app/control/settings_file.h"
#include "app/ui/frame_graph.h"
#include "app/ui/matrix_overlay.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

void sections(PanelContext& ui) {
  if (ui.settings.simple) {
    if (ui.state.recording || ui.state.saving_video) {
      ImGui::SetCursorPosY(ImGui::GetStyle().ItemSpacing.y);
      recording_mark(ui);
    }
    return effect_section(ui);
  }
  source_section(ui);
  algorithm_section(ui);
  effect_section(ui);
  compare_section(ui);
  display_section(ui);
}

void left_column(PanelContext& ui, const Rect& all) {
  const auto foot = about_height(all);
  const Rect rect{all.x, all.y, all.width, all.height - foot};
  about(ui, {all.x, all.y + rect.height, all.width, foot});
  // The scroll bar has its place whether it is there or not, so that nothing shifts.
  const auto& style = ImGui::GetStyle();
  const auto width = std::max(1.f, rect.width - style.WindowPadding.x * 2 - style.ScrollbarSize);
  const PanelWindow window("choices", rect, 0, PanelWindow::Padding::none, PanelWindow::Ground::panels, width);
  if (!window.visible()) return;
  hairline({rect.x + rect.width - 1, rect.y}, {rect.x + rect.width, rect.y + rect.height});
  sections(ui);
}

// The border under the mouse, and dragged by it; see splitter().
void drag_border(PanelContext& ui, const Rect& border, std::string_view path, bool upright, float origin, float thick) {
  const bool active = ImGui::IsItemActive();
  if (!active && !ImGui::IsItemHovered()) return;
  ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  ImGui::GetWindowDrawList()->AddRectFilled(
      upright ? ImVec2(border.x + thick - 1, border.y) : ImVec2(border.x, border.y + thick - 1),
      upright ? ImVec2(border.x + thick + 1, border.y + border.height)
              : ImVec2(border.x + border.width, border.y + thick + 1),
      colour::accent);
  const auto& io = ImGui::GetIO();
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return ui.change(path, "0");
  const auto moved = upright ? io.MouseDelta.x : io.MouseDelta.y;
  if (!active || moved == 0) return;
  const auto size = upright ? io.MousePos.x - origin : origin - io.MousePos.y;
  ui.change(path, std::to_string(static_cast<int>(std::max(1.f, std::round(size / ui.scale)))));
}

// The border between two panels: the mouse drags it, a double click gives its size back to the window. Without them it is
// out of sight, and not missing: a window that ImGui meets later would lie below the panels.
void splitter(PanelContext& ui, const char* name, Rect border, std::string_view path, bool upright, float origin) {
  const auto thick = std::round(3 * ui.scale);
  if (border.width + border.height <= 0)
    border = {-4 * thick, -4 * thick, thick, thick};
  else if (upright)
    border.x -= thick, border.width = 2 * thick;
  else
    border.y -= thick, border.height = 2 * thick;
  ImGui::SetNextWindowPos({border.x, border.y});
  ImGui::SetNextWindowSize({border.width, border.height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  ImGui::InvisibleButton("border", {std::max(border.width, 1.f), std::max(border.height, 1.f)});
  drag_border(ui, border, path, upright, origin, thick);
  ImGui::End();
}

}  // namespace

Drafts::Drafts() : graph(std::make_unique<GraphDraft>()) {}
Drafts::~Drafts() = default;

Panels::Panels() : drafts_(std::make_unique<Drafts>()) {}
Panels::~Panels() = default;

Result Panels::draw(const State& state, Settings& settings) {
  Result asked, result;
  const ChangeContext context{state.gpu ? "" : state.cuda_unavailable,
                              state.no_simulated,
                              state.zoom,
                              true,
                              state.display_scale,
                              state.most_scale,
                              state.failed_source,
                              state.picture};
  PanelContext ui{state, settings, context, asked, *drafts_, display_scale()};
  handle_keys(ui);
  if (const auto source = std::exchange(drafts_->to_open, {})) app::ui::open_source(ui, *source);

  const auto& display = ImGui::GetIO().DisplaySize;
  const auto places = layout(settings, static_cast<int>(display.x), static_cast<int>(display.y));
  splitter(ui, "left border", {places.picture.x, places.left.y, 0, places.left.height}, "left_width", true, places.left.x);
  const bool dock_shown = places.dock.height > 0;
  splitter(ui, "dock border", {places.dock.x, places.dock.y, dock_shown ? places.picture.width : 0, 0}, "dock_height", false,
           places.dock.y + places.dock.height);
  drafts_->hint_targets = {};
  bar(ui, places.bar);
  left_column(ui, places.left);
  dock(ui, places.dock);
  frame_graph_panel(ui, places.graph);
  status_line(ui, places.status);
  transport_bar(ui, places.transport);
  if (!shows_all_panels(settings)) transport_overlay(ui, places.picture);
  matrix_overlay(ui, places.picture);
  hints(ui, places);
  if (!settings.panels) recording_overlay(ui, places.picture);
  messages(ui, places.picture);
  draw_overlays(ui, places);

  for (const auto& command : asked.commands) try {
      if (!apply(command, settings, context)) result.commands.push_back(command);
    } catch (const std::exception& error) {
      asked.refusals.push_back(error.what());
    }
  result.refusals = std::move(asked.refusals);
  result.drags = ImGui::IsAnyMouseDown();
  result.seek = asked.seek;
  result.start = asked.start;
  result.browse = std::move(asked.browse);
  return result;
}

void Panels::open_source(const std::string& source) { drafts_->to_open = source; }

void Panels::accept_typed(const State& state, Settings& settings) {
  Result ignored;
  PanelContext ui{state, settings, {}, ignored, *drafts_, 1};
  accept_valid_number(ui);
}

bool Panels::may_close(const State& state) { return may_quit(drafts_->quit, state); }

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
    case Action::save_matrix: return if_so(capture.kind != SourceKind::matrix, "The source is not a matrix");
    case Action::ui_default: return if_so(settings.ui_scale == 0, "The display's scale is in use");
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

void action_button(PanelContext& ui, const char* text, Action action) {
  if (button(text, ui.help_of(action), why_not(action, ui.state, ui.settings))) ui.act(action);
}

}  // namespace app::ui
