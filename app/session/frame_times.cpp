#include "app/session/frame_times.h"

#include <algorithm>
#include <cmath>

namespace app {

FrameSummary summarise(std::span<const FrameTime> frames, double target_ms) {
  FrameSummary summary;
  if (frames.empty()) return summary;
  std::vector<double> work;
  work.reserve(frames.size());
  for (const auto& frame : frames) work.push_back(frame.work);
  std::sort(work.begin(), work.end());
  // The nearest rank: a value that was measured.
  const auto rank = [&](double part) {
    const auto at = std::ceil(part * static_cast<double>(work.size())) - 1;
    return work[static_cast<std::size_t>(std::max(0.0, at))];
  };
  summary.p50 = rank(0.5);
  summary.p90 = rank(0.9);
  summary.p99 = rank(0.99);
  summary.max = work.back();
  const auto over = work.end() - std::upper_bound(work.begin(), work.end(), target_ms);
  summary.over = static_cast<double>(over) / static_cast<double>(work.size());
  return summary;
}

double graph_top(const FrameSummary& summary, double target_ms) {
  const auto wanted = std::max({target_ms * 1.25, std::min(summary.max, summary.p99 * 2) * 1.1, 0.01});
  const auto decade = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const auto step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (decade * step >= wanted * (1 - 1e-9)) return decade * step;
  return decade * 10;
}

}  // namespace app
