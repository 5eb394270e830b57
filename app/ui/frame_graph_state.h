// FrameGraphState: what the frame graph shows, and which frames the figures of all panels are of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/capture/capture.h"
#include "app/control/settings.h"
#include "app/pipeline/frame_figures.h"
#include "app/session/frame_history.h"

namespace app::ui {

// The figures of the frame graph.
struct FrameSummary {
  std::size_t frames = 0;                               // that the figures are of
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;  // milliseconds
  double late = 0;                                      // the fraction of intervals that are not on_time(), 0..1
  double fps = 0, low_1 = 0, low_01 = 0;                // of the intervals: see FrameFigures
};

// A tenth above the target is still on time: clocks and monitors are no more exact than that.
constexpr double latest_on_time(double target) { return target * 1.1; }
constexpr bool on_time(double interval, double target) { return interval <= latest_on_time(target); }

// What the graph shows of each frame: its times.
const Distribution& values_of(const FrameFigures& figures, GraphShows shows);
FrameSummary summarise(const FrameFigures& figures, GraphShows shows, double target_ms);

// The scale of times of the frame graph.
struct GraphScaleOfTimes {
  double low = 0, top = 1;  // milliseconds at the lower and the upper edge; low is 0 if linear
  bool logarithmic = false;

  double height(double ms) const;  // 0 at the lower edge, 1 at the upper; clamped
  double at(double height) const;  // its inverse
};

// For frames that take `typical` (median), `slow` (99th percentile) and at most `slowest` milliseconds. Linear: round, above
// the slow ones, such that one outlier does not flatten all others; also above the target, unless that would make slivers of
// the others. Logarithmic: decades around all of them.
GraphScaleOfTimes linear_scale(double slow, double slowest, double target);
GraphScaleOfTimes logarithmic_scale(double typical, double slowest, double target);

// Round numbers between the edges, at most `most` of them: 0, 5, 10 or 1, 10, 100; 1, 2, 5, 10 where there
// is room.
std::vector<double> ticks(const GraphScaleOfTimes& scale, int most);
// 1, 2 or 5 times a power of ten, not below `least`.
double round_step(double least);

// The frames that figures are of.
struct FiguresFrames {
  std::uint64_t count = 0, first = 0, last = 0;  // the latter two: ids
  bool selected = false;                         // by the user; else all since the work last changed
};
// "301 frames"; "frames 1200 to 1500, 301 frames" where they are selected.
std::string frames_text(const FiguresFrames& frames);
// The same in fewer and fewer letters, where there is less room; a range always has both of its ends.
std::vector<std::string> frames_texts(const FiguresFrames& frames);

// The target of a frame, in milliseconds: what the user set; else the time from one frame of the source to the next, as it
// plays now; else that of most monitors.
double target_of(const Settings& settings, const capture::Status& source);
// Where it comes from: "the source's rate, 2x".
std::string target_origin(const Settings& settings, const capture::Status& source);

struct FrameGraphState {
  const FrameHistory* history = nullptr;  // null: nothing to show
  double target_ms = 1000.0 / 60;         // that frames are compared with
  FiguresFrames of;                       // the figures of all panels
  FiguresFrames summary_of;               // the graph's own: while it is paused, those of before
  FrameSummary summary;                   // of what the graph shows
  GraphScaleOfTimes histogram_scale;
  std::vector<std::uint64_t> histogram;  // frames of each bin of that scale, from its low end; those above it in the last
};

// Puts the graph's own figures there.
void summarise(const FrameFigures& figures, const Settings& settings, FrameGraphState& state);

}  // namespace app::ui
