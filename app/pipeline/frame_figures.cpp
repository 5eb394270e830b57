#include "app/pipeline/frame_figures.h"

#include <algorithm>

namespace app {

void FrameFigures::add(const FrameRecord& record) {
  ++frames;
  dropped += record.dropped_before;
  if (record.interval_us > 0) interval_us.add(record.interval_us);
  work_us.add(record.work_us);
  checked += record.table_right.has_value();
  wrong += record.table_right == false;
  untimed += !record.times.timed;
  dropped_spans += static_cast<std::uint64_t>(record.times.dropped);
  if (!record.times.timed) return;
  stages.add(record.times);
  timing_us.add(record.times.timing_us);
  points += static_cast<std::uint64_t>(record.times.points);
}

double FrameFigures::timing_share() const {
  const auto frame = std::max(work_us.mean(), stages.mean_total());
  return frame > 0 ? timing_us.mean() / frame : 0;
}

}  // namespace app
