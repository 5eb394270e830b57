// An image file as the input of a table, for `satscope sat`: its own values, one channel.
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>

namespace app {

// One channel, of colours gray by OpenCV's BGR2GRAY; alpha is ignored. 8 or 16 bits, float or
// double. Throws capture::SourceError, one line.
cv::Mat read_gray(const std::filesystem::path& path);

}  // namespace app
