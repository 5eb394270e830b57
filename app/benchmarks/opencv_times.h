// Times of cv::integral on this machine, for the tables of satscope-bench.
#pragma once

#include <string>

namespace app::benchmarks {

// The median for every type of cv::integral and every size of satscope-bench up to 8192 x 8192, as lines
// name,type,width,height,microseconds. Throws std::runtime_error if the file cannot be written.
void write_opencv_times(const std::string& file);

}  // namespace app::benchmarks
