// One frame through the program's pipeline on the host: luma, table, box blur.
#pragma once

#include "gpu/image.h"

namespace app::benchmarks {

// Prints the median of a frame and of each of its steps.
void time_pipeline(gpu::Size size, double seconds);

}  // namespace app::benchmarks
