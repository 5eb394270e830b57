// FrameRecord: one frame from capture to screen.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "app/control/selection.h"
#include "gpu/timeline.h"

namespace app {

struct FrameRecord {
  using Clock = std::chrono::steady_clock;

  std::uint64_t id = 0;              // counts the frames captured in a run: dropped ones leave gaps
  std::uint64_t dropped_before = 0;  // captured since the one before, and never taken
  bool again = false;                // the frame before, computed once more

  std::shared_ptr<const std::string> source;   // as it describes itself
  std::shared_ptr<const Selection> selection;  // what it was made with
  gpu::Size size;
  std::uint64_t work = 0;     // grows with every change of source, selection or size, and where the figures are reset
  std::uint64_t of_work = 0;  // counts the frames of one work, from 1

  Clock::time_point captured, taken, enqueued, presented;
  double interval_us = 0;  // since the frame before it was presented; 0 where none was, or the window stood still meanwhile
  double work_us = 0;      // of the main thread, without waiting
  gpu::TimelineFrame times;  // on the device of the selection, once they are known

  double age_us() const { return std::chrono::duration<double, std::micro>(presented - captured).count(); }
};

}  // namespace app
