// FrameFigures: statistics over the frames of one work (frames with the same source, size and selection), exactly what their
// records give.
#pragma once

#include <cstdint>

#include "app/pipeline/distribution.h"
#include "app/pipeline/frame_record.h"
#include "app/pipeline/stage_statistics.h"

namespace app {

struct FrameFigures {
  void add(const FrameRecord& record);
  // New pictures per second; 0 for fewer than two.
  double fps() const {
    return interval_us.sum() > 0 ? static_cast<double>(interval_us.count()) / interval_us.sum() * 1e6 : 0;
  }

  std::uint64_t frames = 0, dropped = 0;         // dropped: captured between them, and never taken
  std::uint64_t untimed = 0, dropped_spans = 0;  // frames without times of their stages; spans without room
  std::uint64_t checked = 0, wrong = 0;          // frames whose tables were checked; those of them with a wrong one
  Distribution interval_us, work_us;
  StageStatistics stages;
};

}  // namespace app
