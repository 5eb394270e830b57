// A frame's record as a line of a log, CSV or JSON. One table, in the .cpp, has the columns; README.md documents them.
#pragma once

#include <span>
#include <string>

#include "app/pipeline/frame_figures.h"

namespace app {

// Of the machine and the run: what the head of a log says.
struct FrameTextHead {
  std::string machine, source;
  FrameRecord::Clock::time_point start;  // that captured, taken, enqueued and presented count from
  std::string started;                   // the same in words, UTC
};

std::string csv_head(const FrameTextHead& head);
std::string csv_line(const FrameTextHead& head, const FrameRecord& record);
std::string json_head(const FrameTextHead& head);
std::string json_line(const FrameTextHead& head, const FrameRecord& record);

// "cuda 2r1w W=32, box_blur window=15x15"; of a comparison "cuda A: original; B: 2r1w W=32, box_blur window=15x15; wipe"
std::string text_of(const Selection& selection);

// Frames as a trace that Perfetto (ui.perfetto.dev) and Chrome (about:tracing) show: for each frame its way from capture to
// screen, what the host queued, and what the device did.

// Times are microseconds since the first frame was captured. The device's are on the host's clock as well as they could be
// matched: gpu::TimelineFrame::first_point.
std::string frame_trace(std::span<const FrameRecord> frames);

}  // namespace app
