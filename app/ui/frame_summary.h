// The figures of the frame-time graph.
#pragma once

#include "app/pipeline/distribution.h"

namespace app::ui {

struct FrameSummary {
  std::size_t frames = 0;                     // that the figures are about
  double p50 = 0, p90 = 0, p99 = 0, max = 0;  // of the work, in milliseconds
  double over = 0;                            // the fraction of frames above the target, 0..1
};
FrameSummary summarise(const Distribution& work_us, double target_ms);

// The top of the graph: a round number above the target line and the slow frames, such that one outlier does not flatten all
// others.
double graph_top(const FrameSummary& summary, double target_ms);

}  // namespace app::ui
