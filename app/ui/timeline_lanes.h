// The bars of the timeline: above, when the host queued each span; below, when the device ran it. A span's parts are in the
// line below it.
#pragma once

#include <span>
#include <string>

#include "app/ui/kernel_rows.h"
#include "app/ui/timeline_view.h"
#include "app/ui/ui.h"

namespace app::ui {

struct TimelinePlace {
  Rect bars;                // where times are drawn
  float line_height = 0;    // of a bar
  bool host_queues = true;  // false: the host runs the spans itself, and there is one lane
};

// How high the lanes are, for a frame of such a depth.
float lanes_height(const gpu::TimelineFrame& frame, const TimelinePlace& place);
// Draws both lanes, in the colours of the table of kernels (`rows`); returns what is under the mouse, with its times, or
// nothing.
std::string draw_lanes(const gpu::TimelineFrame& frame, const TimelineView& view, const TimelinePlace& place,
                       std::span<const KernelRow> rows);

}  // namespace app::ui
