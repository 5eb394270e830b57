// An image file as the table's input.
#pragma once

#include <filesystem>
#include <opencv2/core.hpp>

namespace app {

// One channel, gray by OpenCV's BGR2GRAY; alpha is ignored. Pixels keep their depth (8 or 16 bits, float, double) where
// `deep`, else they are 8 bits (of 16 the upper ones). Throws capture::SourceError, one line.
cv::Mat read_gray(const std::filesystem::path& path, bool deep);

}  // namespace app
