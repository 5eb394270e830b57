// host_parallel compared with cv::integral, and both with the limit: all threads clearing the table.
#pragma once

#include "gpu/image.h"

namespace app::benchmarks {

// Prints one line per contender. Throws std::runtime_error if the tables differ.
void compare_tables(gpu::Size size, double seconds);

}  // namespace app::benchmarks
