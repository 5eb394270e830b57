// Still images: whatever OpenCV's imread knows.
#pragma once

#include <opencv2/core.hpp>

#include <filesystem>
#include <string>

namespace app::capture {

struct ImageFile {
  cv::Mat bgr;       // 8 bits; how deeper, gray and transparent images become that: convert.h
  std::string note;  // "16-bit gray", "alpha over a checkerboard"; empty for a plain colour image
};

bool is_image(const std::filesystem::path& path);  // by its first bytes; false where it cannot be read

// Reads an image, turned upright as its EXIF data says. Throws SourceError, one line: missing, unreadable, damaged, not
// an image, too large for memory.
ImageFile read_image(const std::filesystem::path& path);

}  // namespace app::capture
