// The tab of the timeline: one frame to scale, on the CPU's clock. The wheel enlarges at the mouse, dragging moves, a double
// click shows all of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/control/fields.h"
#include "app/ui/figures_line.h"
#include "app/ui/panel.h"
#include "app/ui/timeline_lanes.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr double wheel_step = 1.25;

void show(PanelContext& ui, const TimelineView& view) {
  const Change changes[] = {{"timeline_zoom", number_as_text(view.zoom())},
                            {"timeline_start", number_as_text(view.start())}};
  ui.change(changes);
}

// Right of the tabs: which frame, how long, and what is shown of it.
void timeline_head(PanelContext& ui, const TimeRange& range, const TimelineView& view) {
  const auto& state = ui.state.timeline;
  const bool whole = view.zoom() <= 1;
  const auto& style = ImGui::GetStyle();
  const auto width = ImGui::CalcTextSize("Show all").x + style.FramePadding.x * 2;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const auto all_room = ImGui::GetContentRegionAvail().x;
  const bool has_button = all_room > width;  // a double click does the same
  const auto room = has_button ? all_room - width - style.ItemSpacing.x : all_room;
  {
    const WithFont small(Font::small);
    const auto frame = std::string(state.pinned ? "pinned frame " : "latest frame ") + grouped(state.id);
    std::vector<std::string> all{frame, microseconds(range.last - range.first) + " µs"};
    if (!whole) all.push_back(number(view.zoom(), view.zoom() < 9.95 ? 1 : 0) + "x");
    text(line_of(all, ", ", room), colour::dim);
    tooltip(line_of(all, ", ", std::numeric_limits<float>::max()) +
            "\nThe wheel enlarges, dragging moves. Both lanes are on the CPU's clock; the GPU's is placed on it by what the "
            "GPU did after the CPU queued it, and before the CPU saw it done.");
  }
  if (!has_button) return;
  same_line_at_right(width);
  if (button("Show all", "From the beginning of the frame to its end (double click)",
             whole ? "All of the frame is shown" : ""))
    show(ui, {range.first, range.last, 1, 0});
}

void axis(const TimelineView& view, const Rect& rect, float height) {
  const auto em = ImGui::GetFontSize();
  auto& draw = *ImGui::GetWindowDrawList();
  const auto all = marks(view, std::max(2, static_cast<int>(rect.width / (em * 5))));
  for (const auto time : all.times) {
    const auto x = rect.x + static_cast<float>(view.position(time)) * rect.width;
    const auto label = number(time, all.decimals) + (time == all.times.front() ? " µs" : "");
    draw.AddRectFilled({x, rect.y}, {x + 1, rect.y + height}, colour::line);
    if (x + ImGui::CalcTextSize(label.c_str()).x + em * 0.3f <= rect.x + rect.width)
      draw.AddText({x + em * 0.25f, rect.y}, colour::dim, label.c_str());
  }
}

void follow_mouse(PanelContext& ui, const TimelineView& view, const Rect& rect) {
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  ImGui::InvisibleButton("timeline", {std::max(1.f, rect.width), std::max(1.f, rect.height)});
  const auto& io = ImGui::GetIO();
  if (ImGui::IsItemHovered()) {
    if (ImGui::IsMouseDoubleClicked(0)) return show(ui, view.zoomed(0, 0));
    if (io.MouseWheel != 0)
      return show(ui, view.zoomed(std::pow(wheel_step, io.MouseWheel), (io.MousePos.x - rect.x) / rect.width));
  }
  if (ImGui::IsItemActive() && io.MouseDelta.x != 0) show(ui, view.moved(io.MouseDelta.x / rect.width));
}

}  // namespace

void timeline_tab(PanelContext& ui) {
  const auto& state = ui.state.timeline;
  const auto range = range_of(state.frame);
  const auto view =
      TimelineView(range.first, range.last, ui.settings.timeline_zoom, ui.settings.timeline_start).near_a_span(state.frame);
  if (!(range.last > range.first) || !std::isfinite(range.last - range.first)) {
    const WithFont small(Font::small);
    text(state.missing.empty() ? "nothing timed yet" : state.missing, colour::dim);
    return;
  }
  timeline_head(ui, range, view);
  const WithFont small(Font::small);
  const auto em = ImGui::GetFontSize();
  const auto at = ImGui::GetCursorScreenPos();
  const auto room = ImGui::GetContentRegionAvail();
  TimelinePlace place;
  place.host_queues = state.host_queues;
  const auto labels = place.host_queues ? std::round(ImGui::CalcTextSize("GPU").x + em * 0.6f) : 0;
  const Rect times{at.x + labels, at.y, std::max(1.f, room.x - labels), room.y};
  const auto lanes_top = at.y + std::round(em * 1.3f);
  place.line_height = std::round(em * 1.35f);
  place.bars = {times.x, lanes_top, times.width, 0};
  const auto wanted = lanes_height(state.frame, place), left = at.y + room.y - lanes_top;
  if (wanted > left) place.line_height = std::max(3.f, std::floor(place.line_height * left / wanted));  // deep trees
  place.bars.height = lanes_height(state.frame, place);

  auto& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect({times.x, times.y}, {times.x + times.width, times.y + times.height}, true);
  axis(view, times, place.bars.y + place.bars.height - times.y);
  const auto hovered = draw_lanes(state.frame, view, place, ui.state.kernels.rows);
  draw.PopClipRect();
  if (place.host_queues) {
    draw.AddText({at.x, lanes_top}, colour::dim, "CPU");
    draw.AddText({at.x, lanes_top + place.bars.height / 2 + place.line_height * 0.375f}, colour::dim, "GPU");
  }
  follow_mouse(ui, view, times);
  if (!hovered.empty() && !ImGui::IsMouseDown(0)) tooltip(hovered);
}

}  // namespace app::ui
