// A frame as a row: of a log, CSV or JSON, and of an export of frames. One table, in the .cpp, has the columns; README.md
// documents them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/pipeline/frame_figures.h"

namespace app {

// Of the machine and the run: what the head of a log says.
struct FrameTextHead {
  std::string machine, source;
  FrameRecord::Clock::time_point start;  // that captured, taken, enqueued and presented count from
  std::string started;                   // the same in words, UTC
};

// What a row says of a frame that is complete. A history keeps less of it: the columns of an export are fewer.
struct FrameRow {
  FrameTimes times;
  bool again = false;
  std::uint64_t work = 0, of_work = 0;  // as FrameRecord::work_number, of_work
  std::string_view selection = {};      // text_of() it; empty: not known any more, as its source and size are not then
  const std::string* source = nullptr;
  gpu::Size size{};
  FrameRecord::Clock::time_point captured{}, taken{}, enqueued{}, presented{};
};

std::string csv_head(const FrameTextHead& head);
std::string csv_line(const FrameTextHead& head, const FrameRecord& record);
std::string json_head(const FrameTextHead& head);
std::string json_line(const FrameTextHead& head, const FrameRecord& record);
// Of an export, CSV; `start`: that presented counts from.
std::string export_head(const std::string& machine);
std::string export_line(FrameRecord::Clock::time_point start, const FrameRow& row);

// "cuda 2r1w W=32, box_blur window=15x15"; of a comparison "cuda A: original; B: 2r1w W=32, box_blur window=15x15; wipe"
std::string text_of(const Selection& selection);

// Frames as a trace that Perfetto (ui.perfetto.dev) and Chrome (about:tracing) show: for each frame its way from capture to
// screen, what the host queued, and what the device did.

// Times are microseconds since the first frame was captured. The device's are on the host's clock as well as they could be
// matched: gpu::TimelineFrame::first_point.
std::string frame_trace(std::span<const FrameRecord> frames);

}  // namespace app
