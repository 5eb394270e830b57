#include "app/session/timeline_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/session/frame_graph_state.h"

namespace app {
namespace {

constexpr double most_zoom = 1e4;   // as the field's
constexpr double least_gap = 0.05;  // less is what clocks cannot tell

std::string why_no_timeline(const FrameRecord& frame) {
  if (frame.selection->timing == TimingChoice::off) return "timing is off";
  if (frame.times.first_launches > 0)
    return "a kernel ran for the first time in this frame: its time would be that of loading it";
  return "this frame was not timed";
}

}  // namespace

TimelineState timeline_state(std::span<const FrameRecord> frames, std::optional<std::uint64_t> pinned) {
  TimelineState state;
  state.pinned = pinned.has_value();
  const auto shown = [&](const FrameRecord& frame) { return pinned ? frame.id == *pinned : frame.times.timed; };
  const auto at = std::ranges::find_if(frames.rbegin(), frames.rend(), shown);
  if (at == frames.rend()) {
    if (pinned) state.missing = "the pinned frame's timeline is no longer kept: it is one of the latest frames only";
    if (!pinned && !frames.empty()) state.missing = why_no_timeline(frames.back());
    return state;
  }
  state.id = at->id;
  state.host_queues = at->selection && at->selection->device == gpu::Device::cuda;
  if (at->times.timed)
    state.frame = at->times;
  else
    state.missing = why_no_timeline(*at);
  return state;
}

TimelineView::TimelineView(double first, double last, double zoom, double start)
    : first_(first), span_(std::max(last - first, 1e-3)), zoom_(std::clamp(zoom, 1.0, most_zoom)) {
  start_ = std::clamp(start, 0.0, 1 - 1 / zoom_);
}

TimelineView TimelineView::zoomed(double factor, double position) const {
  const auto kept = time(position);
  const auto zoom = std::clamp(zoom_ * factor, 1.0, most_zoom);
  return {first_, first_ + span_, zoom, (kept - position * span_ / zoom - first_) / span_};
}

TimelineView TimelineView::moved(double by) const { return {first_, first_ + span_, zoom_, start_ - by / zoom_}; }

TimelineView TimelineView::near_a_span(const gpu::TimelineFrame& frame) const {
  double nearest = 0, by = std::numeric_limits<double>::infinity();  // how far the view moves, in microseconds
  const auto see = [&](double begin, double end) {
    const auto move = begin >= to()   ? std::min(end - to(), begin - from())
                      : end <= from() ? std::max(begin - from(), end - to())
                                      : 0;
    if (std::abs(move) < by) by = std::abs(move), nearest = move;
  };
  for (const auto& span : frame.spans) {
    if (!span.timed) continue;
    see(span.enqueued, span.queued);
    see(frame.first_point + span.started, frame.first_point + span.ended);
  }
  return nearest == 0 ? *this : moved(-nearest / shown());
}

TimeRange range_of(const gpu::TimelineFrame& frame) {
  TimeRange range;
  for (const auto& span : frame.spans) {
    if (!span.timed) continue;
    range.first = std::min({range.first, span.enqueued, frame.first_point + span.started});
    range.last = std::max({range.last, span.queued, frame.first_point + span.ended});
  }
  return range;
}

TimelineView view_of(const gpu::TimelineFrame& frame, double zoom, double start) {
  const auto whole = range_of(frame);
  if (zoom > 0) return TimelineView(whole.first, whole.last, zoom, start).near_a_span(frame);
  constexpr double room = 0.05;  // at each side, of what the kernels take
  auto first = whole.last, last = whole.first;
  for (const auto& span : frame.spans) {
    if (!span.timed || span.kind != gpu::SpanKind::compute) continue;
    first = std::min(first, frame.first_point + span.started);
    last = std::max(last, frame.first_point + span.ended);
  }
  const auto all = whole.last - whole.first, shown = (last - first) * (1 + 2 * room);
  if (!(shown > 0) || 2 * (last - first) >= all) return {whole.first, whole.last, 1, 0};
  return {whole.first, whole.last, all / shown, (first - room * (last - first) - whole.first) / all};
}

std::vector<int> depths_of(const gpu::TimelineFrame& frame) {
  std::vector<int> depths;
  for (const auto& span : frame.spans)
    depths.push_back(span.parent < 0 ? 0 : depths[static_cast<std::size_t>(span.parent)] + 1);
  return depths;
}

int line_count(const gpu::TimelineFrame& frame) {
  const auto depths = depths_of(frame);
  return depths.empty() ? 1 : *std::ranges::max_element(depths) + 1;
}

Marks marks(const TimelineView& view, int most) {
  Marks all;
  const auto least = view.shown() / std::max(most, 1);
  const auto step = round_step(least);
  all.decimals = static_cast<int>(std::clamp(std::ceil(-std::log10(step) - 1e-9), 0.0, 6.0));
  for (auto i = std::ceil(view.from() / step); i * step <= view.to(); ++i) all.times.push_back(i * step + 0.0);
  return all;
}

std::vector<SpanGap> gaps_of(const gpu::TimelineFrame& frame) {
  std::vector<bool> leaf(frame.spans.size(), true);
  for (const auto& span : frame.spans)
    if (span.timed && span.parent >= 0) leaf[static_cast<std::size_t>(span.parent)] = false;
  std::vector<SpanGap> gaps;
  double done = 0;
  for (std::size_t i = 0; i < frame.spans.size(); ++i) {
    const auto& span = frame.spans[i];
    if (!span.timed || !leaf[i]) continue;
    if (span.started - done > least_gap) {
      const bool late = span.enqueued > frame.first_point + done;
      gaps.push_back({done, span.started, late ? Gap::queue : Gap::launch, static_cast<int>(i)});
    }
    done = std::max(done, span.ended);
  }
  return gaps;
}

}  // namespace app
