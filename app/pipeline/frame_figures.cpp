#include "app/pipeline/frame_figures.h"

namespace app {

FrameTimes frame_times(const FrameRecord& record, std::vector<StageTime>& stages) {
  FrameTimes frame{record.id, record.dropped_before, record.interval_us, record.work_us, record.times.timed, 0, {}, {}};
  frame.dropped_spans = static_cast<std::uint64_t>(record.times.dropped);
  if (!frame.timed) return frame;
  frame.device = device_time(record.times);
  stages = stage_times(record.times);
  frame.stages = stages;
  return frame;
}

void FrameFigures::add(const FrameTimes& frame) {
  if (frames++ == 0) first = frame.id;
  last = frame.id;
  dropped += frame.dropped_before;
  if (frame.interval_us > 0) interval_us.add(frame.interval_us);
  work_us.add(frame.work_us);
  untimed += !frame.timed;
  dropped_spans += frame.dropped_spans;
  if (frame.timed) stages.add(frame.stages, frame.device);
}

void FrameFigures::add(const FrameRecord& record) {
  std::vector<StageTime> stages;
  add(frame_times(record, stages));
}

}  // namespace app
