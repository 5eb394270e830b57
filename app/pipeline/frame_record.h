// FrameRecord: one frame from capture to screen.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/control/selection.h"
#include "app/pipeline/picture_check.h"
#include "gpu/timeline.h"

namespace app {

struct FrameRecord {
  using Clock = std::chrono::steady_clock;

  std::uint64_t id = 0;              // counts the frames captured in a run: dropped ones leave gaps
  std::uint64_t dropped_before = 0;  // captured between the frame before and this one, and never taken
  bool again = false;                // not a new frame: the one before, computed again

  std::shared_ptr<const std::string> source;   // as it describes itself
  std::shared_ptr<const Selection> selection;  // what it was made with
  gpu::Size size;
  std::uint64_t work_number = 0;  // grows with every change of source, selection or size, and every reset of the figures
  std::uint64_t of_work = 0;      // counts the frames of one work, from 1

  Clock::time_point captured, taken, enqueued, presented;
  double interval_us = 0;  // of a new frame: since the one before; 0 for the first, and where nothing was due meanwhile
  double work_us = 0;      // of the main thread, without waiting
  int drawn_bytes = 0;     // of the picture, per pixel, as Picture::drawn_bytes
  std::vector<PictureCheck> checks;  // of its tables, until it is complete
  std::optional<bool> table_right;   // their result; nothing if no table was checked
  gpu::TimelineFrame times;          // of its stages on the selection's device; empty until they are known

  double age_us() const { return std::chrono::duration<double, std::micro>(presented - captured).count(); }
};

}  // namespace app
