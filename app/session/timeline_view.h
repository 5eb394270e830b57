// TimelineView: which frame the timeline shows, which part of it, and the marks of its axis. All times are microseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/pipeline/frame_figures.h"
#include "gpu/execution/timeline.h"

namespace app {

// The frame whose timeline is shown.
struct TimelineState {
  gpu::TimelineFrame frame;  // with timed spans, or `missing` says why it has none
  std::uint64_t id = 0;      // of the frame, as in FrameRecord
  bool pinned = false;       // by the frame graph; otherwise it is the latest frame
  bool host_queues = false;  // for a GPU; otherwise the host runs the spans itself
  std::string missing;
};
// Of the frame with the id `pinned`; without one, of the latest frame whose times are there. `frames`: oldest first.
TimelineState timeline_state(std::span<const FrameRecord> frames, std::optional<std::uint64_t> pinned);

// A part of the time that a frame takes. Positions are 0..1 from the left edge to the right.
class TimelineView {
 public:
  // The view of a frame from `first` to `last`: enlarged `zoom` times, with the fraction `start` of the frame at the left edge.
  TimelineView(double first, double last, double zoom, double start);

  double zoom() const { return zoom_; }
  double start() const { return start_; }
  double from() const { return first_ + start_ * span_; }
  double to() const { return from() + shown(); }
  double shown() const { return span_ / zoom_; }
  double position(double time) const { return (time - from()) / shown(); }
  double time(double position) const { return from() + position * shown(); }

  // Enlarged by `factor`; the time at `position` stays there, as far as the frame's ends allow.
  TimelineView zoomed(double factor, double position) const;
  // What was at `position` is at `position + by`.
  TimelineView moved(double by) const;
  // Where it shows no span of `frame`: moved until it shows the nearest one whole, or as much of it as there is room for.
  // Frames differ, and a part that was chosen in one may be empty in the next.
  TimelineView near_a_span(const gpu::TimelineFrame& frame) const;

 private:
  double first_, span_, zoom_, start_;
};

// From when the host begins the frame, or the device if that is earlier, until both are done; on the host's clock since the
// frame's begin. {0, 0} for a frame without timed spans.
struct TimeRange {
  double first = 0, last = 0;
};
TimeRange range_of(const gpu::TimelineFrame& frame);

// The view of a frame that was asked for. `zoom` 0: from the first kernel to the last, with a little room around them, or the
// whole frame where that is at most twice as long; else kernels beside all that waiting would be too small to be seen.
TimelineView view_of(const gpu::TimelineFrame& frame, double zoom, double start);

// How many spans each span of the frame is a part of; and how many lines they need, where parts are below what they are of.
std::vector<int> depths_of(const gpu::TimelineFrame& frame);
int line_count(const gpu::TimelineFrame& frame);

// Round times within the view, at most `most` of them, and how many decimals tell them apart.
struct Marks {
  std::vector<double> times;
  int decimals = 0;
};
Marks marks(const TimelineView& view, int most);

// Why the device had nothing to do before a span.
enum class Gap {
  none,    // it had something to do, or nothing can be said
  queue,   // the host had not queued the span yet
  launch,  // the span was there: the time between two kernels
};
struct SpanGap {
  double from = 0, to = 0;  // on the device's clock since the frame's first point
  Gap reason = Gap::none;
  int before = -1;  // the span that follows
};
// Between the timed spans without timed parts.
std::vector<SpanGap> gaps_of(const gpu::TimelineFrame& frame);

}  // namespace app
