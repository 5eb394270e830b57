// What the frame-time graph says in numbers.
#pragma once

#include "app/pipeline/distribution.h"

namespace app::ui {

struct FrameSummary {
  std::size_t frames = 0;                     // that the figures are of
  double p50 = 0, p90 = 0, p99 = 0, max = 0;  // of the work, in milliseconds
  double over = 0;                            // the part of the frames above the target, 0..1
};
FrameSummary summarise(const Distribution& work_us, double target_ms);

// The top of the graph: a round number that shows the target line and the worst frames, without one outlier flattening
// all others.
double graph_top(const FrameSummary& summary, double target_ms);

}  // namespace app::ui
