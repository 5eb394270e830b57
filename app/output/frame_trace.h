// Frames as a trace that Perfetto (ui.perfetto.dev) and Chrome (about:tracing) show: for each frame its way from capture to
// screen, what the host queued, and what the device did.
#pragma once

#include <span>
#include <string>

#include "app/pipeline/frame_record.h"

namespace app {

// Times are microseconds since the first frame was captured. The device's are on the host's clock as well as they could be
// matched: gpu::TimelineFrame::first_point.
std::string frame_trace(std::span<const FrameRecord> frames);

}  // namespace app
