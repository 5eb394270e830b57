// The mouse in the frame graph: click pins a frame, dragging selects a range, the wheel zooms, the right or middle button (or
// Shift and the wheel) pans.
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/control/selection.h"
#include "app/support/text.h"
#include "app/ui/frame_graph.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr float click_pixels = 4;  // less movement is a click

FrameRange range_of(const GraphPlot& plot, std::uint64_t from, std::uint64_t to) {
  const auto per = plot.view.per_column, added = plot.history.added();
  const auto kept = added - plot.history.frames().size();
  auto first = std::clamp(std::min(from, to) * per + 1, kept + 1, added);
  auto last = std::clamp((std::max(from, to) + 1) * per, kept + 1, added);
  // Figures are of one work: that of the frame at `from`.
  const auto anchor = std::clamp(from < to ? first : last, kept + 1, added);
  const auto work = frame_numbered(plot.history, anchor)->work;
  while (first < last && frame_numbered(plot.history, first)->work != work) ++first;
  while (last > first && frame_numbered(plot.history, last)->work != work) --last;
  return {frame_numbered(plot.history, first)->id, frame_numbered(plot.history, last)->id};
}

bool is_selected(const GraphPlot& plot, std::uint64_t column) {
  const auto& range = plot.ui.settings.graph_range;
  const auto* seen = plot.column(column);
  const auto* frame = seen ? frame_numbered(plot.history, seen->slowest) : nullptr;
  return range && frame && frame->id >= range->first && frame->id <= range->last;
}

// Outside of a selection a click ends it; else it pins the frame, or unpins it.
void click(GraphPlot& plot, std::uint64_t column) {
  const auto* seen = plot.column(column);
  const auto* frame = seen ? frame_numbered(plot.history, seen->slowest) : nullptr;
  if (!frame) return;
  auto& settings = plot.ui.settings;
  if (settings.graph_range && !is_selected(plot, column)) return settings.graph_range.reset();
  const auto id = static_cast<int>(frame->id);
  settings.graph_pinned = settings.graph_pinned == id ? 0 : id;
}

// A drag that begins or ends beside the frames begins or ends with the nearest one.
void press_and_drag(GraphPlot& plot) {
  auto& draft = plot.draft;
  const auto x = ImGui::GetMousePos().x;
  const auto at = plot.nearest(x);
  if (ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    draft.drag_from = at;
    draft.dragged = false;
    draft.from_empty = plot.empty_at(x);
  }
  if (!draft.drag_from) return;
  const auto moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
  draft.dragged |= std::abs(moved.x) > click_pixels * plot.ui.scale;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  const auto from = *std::exchange(draft.drag_from, {});
  if (!at) return;
  if (!draft.dragged && !draft.from_empty) return click(plot, from);
  if (draft.dragged && !(draft.from_empty && plot.empty_at(x)))
    plot.ui.settings.graph_range = draft.from_empty ? range_of(plot, *at, from) : range_of(plot, from, *at);
  else
    plot.ui.settings.graph_range.reset();
}

void pan(GraphPlot& plot, float pixels) {
  auto& rest = plot.draft.panned;
  rest += pixels;
  const auto columns = std::trunc(rest / plot.view.pitch);
  if (columns == 0) return;
  rest -= columns * plot.view.pitch;
  const auto per = static_cast<std::int64_t>(plot.view.per_column);
  const auto last = (static_cast<std::int64_t>(plot.view.last) + 1) * per - static_cast<std::int64_t>(columns) * per;
  const auto least = static_cast<std::int64_t>(plot.history.added() - plot.history.frames().size() + plot.view.frames());
  plot.ui.settings.graph_end = end_at(plot.history, std::max(last, least));
}

// The newest frame stays at the right edge; else the frame under the mouse stays where it is.
void zoom(GraphPlot& plot, float steps) {
  const auto frames = zoomed_frames(plot.view, steps);
  const auto share = (plot.view.right - ImGui::GetMousePos().x) / std::max(plot.view.right - plot.view.left, 1.f);
  int end = 0;
  if (plot.ui.settings.graph_end > 0 && plot.hovered) {
    const auto anchor = static_cast<double>(*plot.hovered * plot.view.per_column);
    end = end_at(plot.history, static_cast<std::int64_t>(anchor + static_cast<double>(share) * frames));
  }
  plot.ui.settings.graph_frames = frames;
  plot.ui.settings.graph_end = end;
}

}  // namespace

void graph_input(GraphPlot& plot) {
  const auto& io = ImGui::GetIO();
  const bool over = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  if (over) plot.hovered = plot.view.column_at(ImGui::GetMousePos().x);
  if (plot.hovered && !plot.column(*plot.hovered)) plot.hovered.reset();
  press_and_drag(plot);
  for (const auto button : {ImGuiMouseButton_Right, ImGuiMouseButton_Middle})
    if (ImGui::IsItemActive() && ImGui::IsMouseDown(button)) pan(plot, io.MouseDelta.x);
  if (!over) return;
  if (io.MouseWheelH != 0) pan(plot, io.MouseWheelH * 3 * ImGui::GetFontSize());
  if (io.MouseWheel != 0) io.KeyShift ? pan(plot, io.MouseWheel * 3 * ImGui::GetFontSize()) : zoom(plot, io.MouseWheel);
}

void draw_selection(const GraphPlot& plot) {
  const auto shade = colour::translucent(colour::background, 150);
  auto left = plot.to.x, right = plot.from.x;
  if (plot.draft.drag_from && plot.draft.dragged) {
    const auto at = plot.nearest(ImGui::GetMousePos().x).value_or(*plot.draft.drag_from);
    left = plot.view.x(std::min(at, *plot.draft.drag_from));
    right = plot.view.x(std::max(at, *plot.draft.drag_from)) + plot.view.pitch;
  } else if (const auto& range = plot.ui.settings.graph_range) {
    const auto indices = plot.history.find(*range);
    if (indices.count() == 0) return;
    const auto kept = plot.history.added() - plot.history.frames().size();
    left = plot.view.x(plot.view.column_of(kept + indices.first + 1));
    right = plot.view.x(plot.view.column_of(kept + indices.end)) + plot.view.pitch;
  } else {
    return;
  }
  left = std::clamp(left, plot.from.x, plot.to.x);
  right = std::clamp(right, plot.from.x, plot.to.x);
  plot.draw.AddRectFilled(plot.from, {left, plot.to.y}, shade);
  plot.draw.AddRectFilled({right, plot.from.y}, plot.to, shade);
  for (const auto x : {left, right - 1}) plot.draw.AddRectFilled({x, plot.from.y}, {x + 1, plot.to.y}, colour::text);
}

// The cards of the frames under the mouse and pinned: beside the dock, over the picture, so that they hide no bar.

namespace {

void stage_lines(const GraphPlot& plot, const HistoryFrame& frame) {
  std::vector<StageTime> stages;
  plot.history.times(frame, stages);
  for (const auto& stage : stages)
    if (stage.depth == 0)
      text("  " + title_of_path(*stage.path) + "  " + microseconds(stage.microseconds) + " µs" +
               (stage.lost > 0 ? ", of which " + microseconds(stage.lost) + " far above usual, probably OpenGL's drawing"
                               : ""),
           colour::dim);
}

void frame_lines(const GraphPlot& plot, std::uint64_t frame_number) {
  const auto& frame = *frame_numbered(plot.history, frame_number);
  text("frame " + grouped(frame.id) + (frame.again ? ", the previous one computed again" : ""));
  text("work " + number(frame.work_us / 1000, 2) + " ms");
  text(frame.interval_us > 0 ? "interval " + number(frame.interval_us / 1000, 2) + " ms" : "the first after idling");
  if (frame.timed)
    text("kernels " + number(frame.device.computing / 1000, 3) + " ms, transfers " +
         number(frame.device.transferring / 1000, 3) + " ms, waiting " + number(frame.device.waiting / 1000, 3) + " ms");
  else if (frame.complete)
    text("without times of its kernels", colour::dim);
  stage_lines(plot, frame);
  if (frame.dropped_before > 0)
    text(grouped(frame.dropped_before) + (frame.dropped_before == 1 ? " frame" : " frames") + " dropped before it",
         colour::warning);
  if (const auto change = change_at(plot.history, frame_number); !change.empty()) text(change, colour::accent);
}

void column_line(const GraphPlot& plot, std::uint64_t column) {
  const auto per = plot.view.per_column;
  if (per == 1) return;
  const auto kept = plot.history.added() - plot.history.frames().size();
  const auto first = std::max(column * per, kept) + 1, last = std::min((column + 1) * per, plot.history.added());
  const auto& shown = *plot.column(column);
  text(counted(last - first + 1, "frame") + ", " +
           (shown.timed ? "median " + number(shown.median / 1000, 2) + " ms; the slowest:" : "none timed; the first:"),
       colour::dim);
  for (auto frame = first; frame <= last; ++frame)
    if (frame != shown.slowest)
      if (const auto change = change_at(plot.history, frame); !change.empty()) text(change, colour::accent);
}

// A card lies over the panels, and below all that opens over them: menus, lists, dialogs.
void lay_on_panels(ImGuiWindow* card) {
  for (auto* window : ImGui::GetCurrentContext()->Windows)
    if (window != card && window == window->RootWindow && !(window->Flags & ImGuiWindowFlags_NoBringToFrontOnFocus))
      return ImGui::BringWindowToDisplayBehind(card, window);
}

// Where cards are: left of the dock, or above it where it has the window's whole width.
struct CardPlace {
  float x, bottom;  // of a card's lower right corner
};
CardPlace place_of_cards(const GraphPlot& plot) {
  const auto gap = 4 * plot.ui.scale;
  const auto& dock = *ImGui::GetCurrentWindow()->RootWindow;
  if (dock.Pos.x > 0) return {dock.Pos.x - gap, plot.to.y};
  return {plot.to.x, dock.Pos.y - gap};
}

// Draws a card with its lower edge at `bottom`, which goes to its upper edge.
template <class Lines>
void card(const GraphPlot& plot, const char* name, CardPlace& place, Lines lines) {
  constexpr auto flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;
  ImGui::SetNextWindowPos({place.x, place.bottom}, 0, {1, 1});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour::raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  const bool visible = ImGui::Begin(name, nullptr, flags);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  lay_on_panels(ImGui::GetCurrentWindow());
  if (ImGui::IsWindowAppearing()) ImGui::GetCurrentWindow()->Hidden = true;  // its size is that of another frame's lines
  if (visible) {
    lines();
    place.bottom = ImGui::GetWindowPos().y - 4 * plot.ui.scale;
  }
  ImGui::End();
}

}  // namespace

void draw_cards(const GraphPlot& plot) {
  auto place = place_of_cards(plot);
  const auto pinned_id = static_cast<std::uint64_t>(plot.ui.settings.graph_pinned);
  const auto pinned = pinned_id > 0 ? frame_number_of(plot.history, pinned_id) : std::nullopt;
  if (pinned && frame_numbered(plot.history, *pinned)->id == pinned_id) {
    const auto x = plot.view.x(plot.view.column_of(*pinned)) + std::floor(plot.view.pitch / 2);
    if (x >= plot.from.x && x <= plot.to.x)
      plot.draw.AddRectFilled({x, plot.from.y}, {x + std::max(1.f, plot.ui.scale), plot.to.y}, colour::text);
    card(plot, "pinned frame", place, [&] { frame_lines(plot, *pinned); });
  }
  if (!plot.hovered || plot.draft.dragged) return;
  if (pinned && plot.column(*plot.hovered)->slowest == *pinned) return;  // it has its card
  card(plot, "hovered frame", place, [&] {
    column_line(plot, *plot.hovered);
    frame_lines(plot, plot.column(*plot.hovered)->slowest);
  });
}

}  // namespace app::ui
