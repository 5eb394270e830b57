// host_parallel against cv::integral, and both against the limit: all threads clearing the table.
#pragma once

#include "gpu/image.h"

namespace app::benchmarks {

// Prints a line for each contender. Throws std::runtime_error where the tables differ.
void compare_tables(gpu::Size size, double seconds);

}  // namespace app::benchmarks
