// The mouse in the frame graph: click pins a frame, dragging selects a range, the wheel zooms, the right or middle button (or
// Shift and the wheel) pans.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/ui/frame_graph.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

constexpr float click_pixels = 4;  // less movement is a click

std::string range_text(const GraphPlot& plot, std::uint64_t from, std::uint64_t to) {
  const auto per = plot.view.per_column, added = plot.history.added();
  const auto kept = added - plot.history.frames().size();
  auto first = std::clamp(std::min(from, to) * per + 1, kept + 1, added);
  auto last = std::clamp((std::max(from, to) + 1) * per, kept + 1, added);
  // Figures are of one work: that of the frame at `from`.
  const auto anchor = std::clamp(from < to ? first : last, kept + 1, added);
  const auto work = frame_numbered(plot.history, anchor)->work;
  while (first < last && frame_numbered(plot.history, first)->work != work) ++first;
  while (last > first && frame_numbered(plot.history, last)->work != work) --last;
  return std::to_string(frame_numbered(plot.history, first)->id) + '-' +
         std::to_string(frame_numbered(plot.history, last)->id);
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
  if (plot.ui.settings.graph_range && !is_selected(plot, column)) return plot.ui.change("graph_range", "");
  const bool pinned = static_cast<std::uint64_t>(plot.ui.settings.graph_pinned) == frame->id;
  plot.ui.change("graph_pinned", pinned ? "0" : std::to_string(frame->id));
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
    plot.ui.change("graph_range", draft.from_empty ? range_text(plot, *at, from) : range_text(plot, from, *at));
  else if (plot.ui.settings.graph_range)
    plot.ui.change("graph_range", "");
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
  plot.ui.change("graph_end", std::to_string(end_at(plot.history, std::max(last, least))));
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
  const std::array changes{Change{"graph_frames", std::to_string(frames)}, Change{"graph_end", std::to_string(end)}};
  plot.ui.change(changes);
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

}  // namespace app::ui
