// The figures of the frame graph.
#pragma once

#include "app/control/settings.h"
#include "app/pipeline/frame_figures.h"

namespace app::ui {

struct FrameSummary {
  std::size_t frames = 0;                               // that the figures are of
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;  // milliseconds
  double over = 0;                                      // the fraction of frames above the target, 0..1
  double fps = 0, low_1 = 0, low_01 = 0;                // of the intervals: see FrameFigures
};

// What the graph shows of each frame: its times.
const Distribution& values_of(const FrameFigures& figures, GraphShows shows);
FrameSummary summarise(const FrameFigures& figures, GraphShows shows, double target_ms);

}  // namespace app::ui
