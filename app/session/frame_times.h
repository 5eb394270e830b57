// The times of frames, and what the frame-time graph says of them in numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace app {

// One frame of the program, in milliseconds.
struct FrameTime {
  double interval = 0;   // since the frame before: what the eye sees; includes waiting for vsync. 0: none just before it
  double work = 0;       // of the main thread, without waiting: the bar, held against Settings::target_ms
  double gpu = 0;        // sum of its kernels, where already known; 0 where not
  std::uint64_t sequence = 0;
  bool new_picture = false;
};

struct FrameSummary {
  double p50 = 0, p90 = 0, p99 = 0, max = 0;  // of the work, in milliseconds
  double over = 0;                            // the part of the frames above the target, 0..1
};
FrameSummary summarise(std::span<const FrameTime> frames, double target_ms);

// The top of the graph: a round number that shows the target line and the worst frames, without one outlier flattening
// all others.
double graph_top(const FrameSummary& summary, double target_ms);

}  // namespace app
