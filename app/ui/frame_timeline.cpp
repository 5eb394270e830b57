// One frame to scale, on the CPU's clock. The wheel enlarges at the mouse, dragging moves, a double click shows all of it.
#include "app/ui/frame_graph.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

// The bars of the timeline: above, when the host queued each span; below, when the device ran it. A span's parts are in the
// line below it.

struct TimelinePlace {
  Rect bars;                // where times are drawn
  float line_height = 0;    // of a bar
  bool host_queues = true;  // false: the host runs the spans itself, and there is one lane
};

std::string short_name(const std::string& path) { return title_of_path(std::string_view(path).substr(path.rfind('/') + 1)); }

std::string times_text(double from, double to) {
  return number(to - from, to - from < 99.95 ? 2 : 1) + " µs, from " + number(from, 1) + " to " + number(to, 1);
}

// One lane: its bars, and what of it is under the mouse.
class Lane {
 public:
  Lane(const TimelineView& view, const Rect& rect, float line_height) : view_(view), rect_(rect), line_(line_height) {}

  // Draws it; true where the mouse is on it.
  bool bar(double from, double to, int depth, ImU32 colour, std::string_view name) {
    const auto left = x(from), right = std::max(x(to), left + 1);
    if (right < rect_.x || left > rect_.x + rect_.width) return false;
    const auto top = rect_.y + static_cast<float>(depth) * line_, bottom = top + line_ - 1;
    const ImVec2 from_corner(std::max(left, rect_.x), top), to_corner(std::min(right, rect_.x + rect_.width), bottom);
    auto& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled(from_corner, to_corner, colour);
    if (to_corner.x - from_corner.x > em() * 1.5f && line_ > em()) {
      const auto fitting = shortened(name, to_corner.x - from_corner.x - em() * 0.4f);
      draw.AddText({from_corner.x + em() * 0.2f, top + (line_ - 1 - em()) / 2}, colour::letters_on(colour), fitting.c_str());
    }
    return hovered(from_corner, {std::max(to_corner.x, from_corner.x + 3), bottom + 1});
  }
  bool over_gap(double from, double to) const { return hovered({x(from), rect_.y}, {x(to), rect_.y + rect_.height}); }
  float x(double time) const { return rect_.x + static_cast<float>(view_.position(time)) * rect_.width; }
  const Rect& rect() const { return rect_; }

 private:
  static bool hovered(ImVec2 from, ImVec2 to) {  // of what is in view
    return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(from, to);
  }

  const TimelineView& view_;
  Rect rect_;
  float line_;
};

std::string gap_text(const gpu::TimelineFrame& frame, const SpanGap& gap) {
  const auto next = title_of_path(frame.path(frame.spans[static_cast<std::size_t>(gap.before)]));
  const auto length = "idle for " + number(gap.to - gap.from, 2) + " µs";
  if (gap.reason == Gap::queue) return length + ": the CPU had not queued " + next + " yet";
  return length + " before " + next + ", which was queued: the time between two launches, and their timing";
}

std::string span_text(const gpu::TimelineFrame& frame, const gpu::TimelineSpan& span, bool host_queues) {
  const auto& path = frame.path(span);
  auto words = title_of_path(path) + "\n";
  if (host_queues) words += "CPU queued it: " + times_text(span.enqueued, span.queued) + "\n";
  if (span.timed)
    words += (host_queues ? "GPU ran it: " : "") +
             times_text(frame.first_point + span.started, frame.first_point + span.ended);
  else
    words += "timed only as a part of the span around it";
  if (span.lost > 0)
    words += "\nabout " + microseconds(span.lost) +
             " µs of it left out as an outlier, probably OpenGL's drawing; no timing event records this";
  if (const auto what = explanation(path); !what.empty()) words += "\n" + std::string(what);
  return words;
}

// How high the lanes are, for a frame of such a depth.
float lanes_height(const gpu::TimelineFrame& frame, const TimelinePlace& place) {
  const auto lines = static_cast<float>(line_count(frame));
  return place.line_height * (place.host_queues ? 2 * lines + 0.75f : lines);
}

// How opaque the bars of the host are, of 255: it only queues what the device then runs.
constexpr unsigned host_opacity = 150;

// Draws both lanes, in the colours of the table of kernels (`rows`); returns what is under the mouse, with its times, or
// nothing.
std::string draw_lanes(const gpu::TimelineFrame& frame, const TimelineView& view, const TimelinePlace& place,
                       std::span<const KernelRow> rows) {
  const auto depths = depths_of(frame);
  const auto height = static_cast<float>(line_count(frame)) * place.line_height;
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
    const auto fill = span.kind != gpu::SpanKind::compute ? ImU32(colour::dim)
                      : group                             ? ImU32(colour::active)
                                                          : path_colour(rows, path);
    const double started = frame.first_point + span.started, ended = frame.first_point + span.ended;
    const bool over_host = place.host_queues && host.bar(span.enqueued, span.queued, depths[i],
                                                         colour::translucent(fill, host_opacity), short_name(path));
    const auto name = short_name(path) + (span.lost > 0 ? ": " + microseconds(span.lost) + " µs above usual" : "");
    const bool over_device = span.timed && device.bar(started, ended, depths[i], fill, name);
    if (!over_host && !over_device) continue;
    hovered = span_text(frame, span, place.host_queues);
    if (place.host_queues && span.timed)
      draw.AddLine({host.x(span.queued), host.rect().y + height}, {device.x(started), device.rect().y}, colour::text);
  }
  return hovered;
}

constexpr double wheel_step = 1.25;

void show(PanelContext& ui, const TimelineView& view) {
  ui.settings.timeline_zoom = view.zoom();
  ui.settings.timeline_start = view.start();
}

// Which frame, how long, and what is shown of it.
void which_frame(PanelContext& ui, const TimeRange& range, const TimelineView& view) {
  const auto& state = ui.state.timeline;
  const bool whole = view.zoom() <= 1;
  auto words = std::string(state.pinned ? "Pinned frame " : "Latest frame ") + grouped(state.id) + ", " +
               microseconds(range.last - range.first) + " µs";
  if (!whole) words += ", " + number(view.zoom(), view.zoom() < 9.95 ? 1 : 0) + "x";
  const auto all = width_of_buttons({"Show all"});
  ImGui::AlignTextToFramePadding();
  text(shortened(words, ImGui::GetContentRegionAvail().x - all - ImGui::GetStyle().ItemSpacing.x), colour::dim);
  tooltip(
      words +
      "\nThe wheel enlarges, dragging moves. Both lanes are on the CPU's clock; the GPU's is placed on it by what the GPU "
      "did after the CPU queued it, and before the CPU saw it done.");
  same_line_at_right(all);
  if (button("Show all", "From the beginning of the frame to its end (double click)",
             whole ? "All of the frame is shown" : ""))
    show(ui, {range.first, range.last, 1, 0});
}

void axis(const TimelineView& view, const Rect& rect) {
  auto& draw = *ImGui::GetWindowDrawList();
  const auto all = marks(view, std::max(2, static_cast<int>(rect.width / (em() * 5))));
  for (const auto time : all.times) {
    const auto x = rect.x + static_cast<float>(view.position(time)) * rect.width;
    const auto label = number(time, all.decimals) + (time == all.times.front() ? " µs" : "");
    draw.AddRectFilled({x, rect.y}, {x + 1, rect.y + rect.height}, colour::line);
    if (x + text_width(label) + em() * 0.3f <= rect.x + rect.width)
      draw.AddText({x + em() * 0.25f, rect.y}, colour::dim, label.c_str());
  }
}

void follow_mouse(PanelContext& ui, const TimelineView& view, const Rect& rect) {
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  ImGui::InvisibleButton("timeline", {std::max(1.f, rect.width), std::max(1.f, rect.height)});
  take_wheel();
  const auto& io = ImGui::GetIO();
  if (ImGui::IsItemHovered()) {
    if (ImGui::IsMouseDoubleClicked(0)) return show(ui, view.zoomed(0, 0));
    if (io.MouseWheel != 0)
      return show(ui, view.zoomed(std::pow(wheel_step, io.MouseWheel), (io.MousePos.x - rect.x) / rect.width));
  }
  if (ImGui::IsItemActive() && io.MouseDelta.x != 0) show(ui, view.moved(io.MouseDelta.x / rect.width));
}

}  // namespace

void frame_timeline(PanelContext& ui) {
  const auto& state = ui.state.timeline;
  const auto range = range_of(state.frame);
  const auto view = view_of(state.frame, ui.settings.timeline_zoom, ui.settings.timeline_start);
  if (!(range.last > range.first) || !std::isfinite(range.last - range.first))
    return text(state.missing.empty() ? "nothing timed yet" : state.missing, colour::dim);
  which_frame(ui, range, view);
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x;
  TimelinePlace place;
  place.host_queues = state.host_queues;
  const auto labels = place.host_queues ? std::round(text_width("GPU") + em() * 0.6f) : 0;
  const auto lanes_top = at.y + std::round(em() * 1.3f), most = std::round(em() * 18);
  place.line_height = std::round(em() * 1.35f);
  place.bars = {at.x + labels, lanes_top, std::max(1.f, width - labels), 0};
  if (const auto wanted = lanes_height(state.frame, place); wanted > most)  // deep trees
    place.line_height = std::max(3.f, std::floor(place.line_height * most / wanted));
  place.bars.height = lanes_height(state.frame, place);
  const Rect times{place.bars.x, at.y, place.bars.width, lanes_top + place.bars.height - at.y};

  auto& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect({times.x, times.y}, {times.x + times.width, times.y + times.height}, true);
  axis(view, times);
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
