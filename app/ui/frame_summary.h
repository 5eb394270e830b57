// The figures of the frame graph.
#pragma once

#include "app/control/settings.h"
#include "app/pipeline/frame_figures.h"

namespace app::ui {

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

}  // namespace app::ui
