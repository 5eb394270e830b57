#include "app/ui/timeline_lanes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/kernel_cells.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "gpu/explanation.h"

namespace app::ui {
namespace {

std::vector<int> depths_of(const gpu::TimelineFrame& frame) {
  std::vector<int> depths;
  for (const auto& span : frame.spans)
    depths.push_back(span.parent < 0 ? 0 : depths[static_cast<std::size_t>(span.parent)] + 1);
  return depths;
}

int lines_of(const gpu::TimelineFrame& frame) {
  const auto depths = depths_of(frame);
  return depths.empty() ? 1 : *std::ranges::max_element(depths) + 1;
}

std::string short_name(const std::string& path) { return title_of_path(std::string_view(path).substr(path.rfind('/') + 1)); }

std::string times_text(double from, double to) {
  return number(to - from, to - from < 99.95 ? 2 : 1) + " µs, from " + number(from, 1) + " to " + number(to, 1);
}

ImU32 dimmed(ImU32 colour) { return (colour & ~IM_COL32_A_MASK) | (150u << IM_COL32_A_SHIFT); }

// Draws one lane; whatever is under the mouse ends up in hovered().
class Lane {
 public:
  Lane(const TimelineView& view, const Rect& rect, float line_height)
      : view_(view), rect_(rect), line_(line_height), mouse_(ImGui::GetMousePos()) {}

  // False where it is out of view.
  bool bar(double from, double to, int depth, ImU32 colour, std::string_view name) {
    const auto left = x(from), right = std::max(x(to), left + 1);
    if (right < rect_.x || left > rect_.x + rect_.width) return false;
    const auto top = rect_.y + static_cast<float>(depth) * line_, bottom = top + line_ - 1;
    const ImVec2 from_corner(std::max(left, rect_.x), top), to_corner(std::min(right, rect_.x + rect_.width), bottom);
    auto& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled(from_corner, to_corner, colour);
    const auto em = ImGui::GetFontSize();
    if (to_corner.x - from_corner.x > em * 1.5f && line_ > em) {
      const auto fitting = shortened(name, to_corner.x - from_corner.x - em * 0.4f);
      draw.AddText({from_corner.x + em * 0.2f, top + (line_ - 1 - em) / 2}, colour::letters_on(colour), fitting.c_str());
    }
    return mouse_.x >= from_corner.x && mouse_.x < std::max(to_corner.x, from_corner.x + 3) && mouse_.y >= top &&
           mouse_.y <= bottom && ImGui::IsWindowHovered();
  }
  bool over_gap(double from, double to) const {
    return mouse_.x >= std::max(x(from), rect_.x) && mouse_.x < std::min(x(to), rect_.x + rect_.width) &&
           mouse_.y >= rect_.y && mouse_.y < rect_.y + rect_.height && ImGui::IsWindowHovered();
  }
  float x(double time) const { return rect_.x + static_cast<float>(view_.position(time)) * rect_.width; }
  const Rect& rect() const { return rect_; }

 private:
  const TimelineView& view_;
  Rect rect_;
  float line_;
  ImVec2 mouse_;
};

std::string gap_text(const gpu::TimelineFrame& frame, const SpanGap& gap) {
  const auto next = title_of_path(frame.path(frame.spans[static_cast<std::size_t>(gap.before)]));
  const auto length = "idle for " + number(gap.to - gap.from, 2) + " µs";
  if (gap.reason == Gap::queue) return length + ": the CPU had not queued " + next + " yet";
  return length + " before " + next + ", which was queued: the time between two launches, and their timing";
}

}  // namespace

float lanes_height(const gpu::TimelineFrame& frame, const TimelinePlace& place) {
  const auto lines = static_cast<float>(lines_of(frame));
  return place.line_height * (place.host_queues ? 2 * lines + 0.75f : lines);
}

std::string draw_lanes(const gpu::TimelineFrame& frame, const TimelineView& view, const TimelinePlace& place,
                       std::span<const KernelRow> rows) {
  const auto depths = depths_of(frame);
  const auto height = static_cast<float>(lines_of(frame)) * place.line_height;
  const auto& all = place.bars;
  Lane host(view, {all.x, all.y, all.width, height}, place.line_height);
  const auto below = place.host_queues ? height + place.line_height * 0.75f : 0;
  Lane device(view, {all.x, all.y + below, all.width, height}, place.line_height);
  std::string hovered;
  auto& draw = *ImGui::GetWindowDrawList();
  if (place.host_queues)
    for (const auto& gap : gaps_of(frame))
      if (device.over_gap(frame.first_point + gap.from, frame.first_point + gap.to)) hovered = gap_text(frame, gap);
  for (std::size_t i = 0; i < frame.spans.size(); ++i) {
    const auto& span = frame.spans[i];
    const auto& path = frame.path(span);
    const bool group = std::ranges::any_of(
        frame.spans, [&](const auto& other) { return other.timed && other.parent == static_cast<int>(i); });
    const auto colour = span.kind != gpu::SpanKind::compute ? ImU32(colour::dim)
                        : group                             ? ImU32(colour::active)
                                                            : path_colour(rows, path);
    const double started = frame.first_point + span.started, ended = frame.first_point + span.ended;
    const bool over_host = place.host_queues &&
                           host.bar(span.enqueued, span.queued, depths[i], dimmed(colour), short_name(path));
    const bool over_device = span.timed && device.bar(started, ended, depths[i], colour, short_name(path));
    if (!over_host && !over_device) continue;
    hovered = title_of_path(path) + "\n";
    if (place.host_queues) hovered += "CPU queued it: " + times_text(span.enqueued, span.queued) + "\n";
    if (span.timed)
      hovered += (place.host_queues ? "GPU ran it: " : "") + times_text(started, ended);
    else
      hovered += "timed only as a part of the span around it";
    if (const auto what = gpu::explanation(path); !what.empty()) hovered += "\n" + std::string(what);
    if (place.host_queues && span.timed)
      draw.AddLine({host.x(span.queued), host.rect().y + height}, {device.x(started), device.rect().y}, colour::text);
  }
  return hovered;
}

}  // namespace app::ui
