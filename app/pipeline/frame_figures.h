// FrameFigures: what the frames of one work say in numbers: the same ones that anybody gets from their records.
#pragma once

#include <cstdint>

#include "app/pipeline/distribution.h"
#include "app/pipeline/frame_record.h"
#include "app/pipeline/stage_statistics.h"

namespace app {

struct FrameFigures {
  void add(const FrameRecord& record);
  // New pictures per second; 0 where there are not two.
  double fps() const {
    return interval_us.sum() > 0 ? static_cast<double>(interval_us.count()) / interval_us.sum() * 1e6 : 0;
  }

  std::uint64_t frames = 0, dropped = 0;         // dropped: before one of them was taken
  std::uint64_t untimed = 0, dropped_spans = 0;  // frames without times of their stages; stages without
  Distribution interval_us, work_us;
  StageStatistics stages;
};

}  // namespace app
