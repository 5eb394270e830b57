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
  // What the timing itself costs: the share of the frame's time (that of the main thread's work or of the device, whichever
  // takes longer) for which the host records and reads points. 0..1; 0 without timed frames.
  double timing_share() const;

  Distribution interval_us, work_us;
  Distribution timing_us;    // time of the host for the points of a timed frame
  std::uint64_t points = 0;  // of all timed frames
  StageStatistics stages;
};

}  // namespace app
