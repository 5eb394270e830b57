// FrameFigures: statistics over frames of one work (with the same source, size, selection, ...), exactly what their records
// give; of all of them, or of a range.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/pipeline/distribution.h"
#include "app/pipeline/frame_record.h"
#include "app/pipeline/stage_statistics.h"

namespace app {

// What statistics take from a frame.
struct FrameTimes {
  std::uint64_t id = 0, dropped_before = 0;
  double interval_us = 0, work_us = 0;  // as in FrameRecord
  std::optional<bool> table_right;      // likewise
  bool first_launches = false;          // something ran for the first time: it is not timed
  bool timed = false;                   // if not, what follows is empty
  std::uint64_t dropped_spans = 0;
  DeviceTime device;
  std::span<const StageTime> stages;
  std::uint32_t points = 0;  // of the timeline
  double timing_us = 0;      // time of the host for them, rounded to nanoseconds
  int drawn_bytes = 0;       // as in FrameRecord
};

struct FrameFigures {
  void add(const FrameTimes& frame);
  void add(const FrameRecord& record);
  // New pictures per second; 0 for fewer than two.
  double fps() const { return interval_us.sum().per_second(); }
  // New pictures per second in the slowest intervals: of so many of them, their number rounded up.
  double low_fps(unsigned permille) const { return interval_us.largest(permille).per_second(); }

  // What the timing itself costs: for which share of the time the host records and reads points. The time is that of all
  // frames: of their intervals, of the main thread's work or of the device, whichever is longest. 0..1; 0 without timed frames.
  double timing_share() const;

  std::uint64_t frames = 0, first = 0, last = 0;  // first, last: their ids
  std::uint64_t dropped = 0;                      // captured between them, and never taken
  std::uint64_t untimed = 0, dropped_spans = 0;   // frames without times of their stages; spans without room
  std::uint64_t first_launches = 0;               // frames whose stages are in no figure: gpu::TimelineFrame::first_launches
  std::uint64_t checked = 0, wrong = 0;           // frames whose tables were checked; those of them with a wrong one
  Distribution interval_us, work_us;
  Distribution timing_us;         // time of the host for the points of a timed frame
  std::uint64_t points = 0;       // of all timed frames
  std::uint64_t drawn_bytes = 0;  // likewise, as in FrameRecord
  StageStatistics stages;
};

// The same from a record whose times are there; `stages` holds its stages.
FrameTimes frame_times(const FrameRecord& record, std::vector<StageTime>& stages);

}  // namespace app
