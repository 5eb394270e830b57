#include "app/ui/frame_summary.h"

#include <algorithm>
#include <cmath>

namespace app::ui {

FrameSummary summarise(const Distribution& work_us, double target_ms) {
  const auto milliseconds = [&](unsigned percent) { return work_us.percentile(percent) / 1000; };
  return {work_us.count(),  milliseconds(50),     milliseconds(90),
          milliseconds(99), work_us.max() / 1000, work_us.share_above(target_ms * 1000)};
}

double graph_top(const FrameSummary& summary, double target_ms) {
  const auto wanted = std::max({target_ms * 1.25, std::min(summary.max, summary.p99 * 2) * 1.1, 0.01});
  const auto decade = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const auto step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (decade * step >= wanted * (1 - 1e-9)) return decade * step;
  return decade * 10;
}

}  // namespace app::ui
