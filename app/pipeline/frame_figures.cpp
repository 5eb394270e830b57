#include "app/pipeline/frame_figures.h"

#include <algorithm>

namespace app {

FrameTimes frame_times(const FrameRecord& record, std::vector<StageTime>& stages) {
  FrameTimes frame;
  frame.id = record.id;
  frame.dropped_before = record.dropped_before;
  frame.interval_us = record.interval_us;
  frame.work_us = record.work_us;
  frame.table_right = record.table_right;
  frame.first_launches = record.times.first_launches > 0;
  frame.timed = record.times.timed;
  frame.dropped_spans = static_cast<std::uint64_t>(record.times.dropped);
  if (!frame.timed) return frame;
  frame.device = device_time(record.times);
  stages = stage_times(record.times);
  frame.stages = stages;
  frame.points = static_cast<std::uint32_t>(record.times.points);
  frame.timing_us = whole_nanoseconds(record.times.timing_us);
  frame.drawn_bytes = record.drawn_bytes;
  return frame;
}

void FrameFigures::add(const FrameTimes& frame) {
  if (frames++ == 0) first = frame.id;
  last = frame.id;
  dropped += frame.dropped_before;
  if (frame.interval_us > 0) interval_us.add(frame.interval_us);
  work_us.add(frame.work_us);
  checked += frame.table_right.has_value();
  wrong += frame.table_right == false;
  first_launches += frame.first_launches;
  untimed += !frame.timed && !frame.first_launches;
  dropped_spans += frame.dropped_spans;
  if (!frame.timed) return;
  stages.add(frame.stages, frame.device);
  timing_us.add(frame.timing_us);
  points += frame.points;
  drawn_bytes += static_cast<std::uint64_t>(frame.drawn_bytes);
}

void FrameFigures::add(const FrameRecord& record) {
  std::vector<StageTime> stages;
  add(frame_times(record, stages));
}

double FrameFigures::timing_share() const {
  const auto frame = std::max({interval_us.mean(), work_us.mean(), stages.mean_on_device()});
  if (frame <= 0) return 0;
  return timing_us.mean() / frame * static_cast<double>(timing_us.count()) / static_cast<double>(frames);
}

}  // namespace app
