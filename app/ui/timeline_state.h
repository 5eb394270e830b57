// TimelineState: the frame whose timeline is shown.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/timeline.h"

namespace app::ui {

struct TimelineState {
  gpu::TimelineFrame frame;  // with timed spans, or `missing` says why it has none
  std::uint64_t id = 0;      // of the frame, as in FrameRecord
  bool pinned = false;       // by the frame graph; otherwise it is the latest frame
  bool host_queues = false;  // for a GPU; otherwise the host runs the spans itself
  std::string missing;
};

}  // namespace app::ui
