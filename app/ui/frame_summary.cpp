#include "app/ui/frame_summary.h"

namespace app::ui {

const Distribution& values_of(const FrameFigures& figures, GraphShows shows) {
  switch (shows) {
    case GraphShows::work: return figures.work_us;
    case GraphShows::interval: return figures.interval_us;
    case GraphShows::kernels:
    case GraphShows::stages: break;
  }
  return figures.stages.computing();
}

FrameSummary summarise(const FrameFigures& figures, GraphShows shows, double target_ms) {
  const auto& values = values_of(figures, shows);
  const auto milliseconds = [&](unsigned permille) { return values.permille(permille) / 1000; };
  FrameSummary summary;
  summary.frames = values.count();
  summary.p50 = milliseconds(500);
  summary.p90 = milliseconds(900);
  summary.p99 = milliseconds(990);
  summary.p999 = milliseconds(999);
  summary.max = values.max() / 1000;
  summary.late = figures.interval_us.share_above(latest_on_time(target_ms) * 1000);
  summary.fps = figures.fps();
  summary.low_1 = figures.low_fps(10);
  summary.low_01 = figures.low_fps(1);
  return summary;
}

}  // namespace app::ui
