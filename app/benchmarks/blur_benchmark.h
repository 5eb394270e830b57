// The box blur on the host over windows from 3x3 to the largest: its cost should not depend on the window.
#pragma once

#include "gpu/image.h"

namespace app::benchmarks {

// Prints a row per window: the medians of box_blur (from a table that is there) and of cv::blur.
void time_blur(gpu::Size size, double seconds);

}  // namespace app::benchmarks
