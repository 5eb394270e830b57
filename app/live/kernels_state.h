// What the tabs of kernels and of the timeline show, from the log's figures and records.
#pragma once

#include <optional>
#include <span>

#include "app/pipeline/frame_figures.h"
#include "app/session/table_bound.h"
#include "app/ui/kernel_rows.h"
#include "app/ui/timeline_view.h"

namespace app {

// Of frames of `size`, made with `selection`.
ui::KernelsState kernels_state(const FrameFigures& figures, const Selection& selection, gpu::Size size,
                               const std::optional<TableBound::Figure>& bound);

// Of the frame with the id `pinned`; without one, of the latest frame whose times are there. `frames`: oldest first.
ui::TimelineState timeline_state(std::span<const FrameRecord> frames, std::optional<std::uint64_t> pinned);

}  // namespace app
