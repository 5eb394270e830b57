#include "app/capture/convert.h"

#include <algorithm>

#include <opencv2/imgproc.hpp>

#include "app/capture/source.h"
#include "gpu/host_vectors.h"

namespace app::capture {
namespace {

cv::Mat to_8_bits(const cv::Mat& picture, const std::string& name) {
  double scale = 1;
  switch (picture.depth()) {
    case CV_8U: return picture;
    case CV_16U: scale = 1.0 / 257; break;
    case CV_32F:
    case CV_64F: scale = 255; break;
    default: throw SourceError(name + " has pixels of an unsupported type; convert it to 8 or 16 bits, unsigned");
  }
  cv::Mat bytes;
  if (picture.depth() == CV_32F || picture.depth() == CV_64F) {
    cv::Mat finite;
    picture.convertTo(finite, CV_32F);
    cv::patchNaNs(finite, 0);
    // Infinities are cut before they meet the conversion to integers, which has no value for them.
    cv::min(cv::max(finite, 0), 1, finite);
    finite.convertTo(bytes, CV_8U, scale);
  } else {
    picture.convertTo(bytes, CV_8U, scale);
  }
  return bytes;
}

// `bgr` over a checkerboard, by `alpha`; rounded to nearest. `place`: of its first pixel in the picture.
void lay_over_checkerboard(cv::Mat& bgr, const cv::Mat& alpha, cv::Point place) {
  constexpr int square = 8, light = 204, dark = 153;
  gpu::run_with(gpu::host_vectors_here().back(), [&] {
    for (int y = 0; y < bgr.rows; ++y) {
      std::uint8_t* pixel = bgr.ptr<std::uint8_t>(y);
      const std::uint8_t* opacity = alpha.ptr<std::uint8_t>(y);
      for (int x = 0; x < bgr.cols; ++x) {
        const int board = ((place.x + x) / square + (place.y + y) / square) % 2 ? dark : light;
        for (int channel = 0; channel < 3; ++channel, ++pixel)
          *pixel = static_cast<std::uint8_t>((*pixel * opacity[x] + board * (255 - opacity[x]) + 127) / 255);
      }
    }
  });
}

// A part of a picture, converted into `bgr`.
void convert(const cv::Mat& part, cv::Point place, cv::Mat bgr, const std::string& name) {
  const cv::Mat bytes = to_8_bits(part, name);
  cv::Mat alpha;
  switch (bytes.channels()) {
    case 1: cv::cvtColor(bytes, bgr, cv::COLOR_GRAY2BGR); break;
    case 2: {
      cv::Mat gray;
      cv::extractChannel(bytes, gray, 0);
      cv::cvtColor(gray, bgr, cv::COLOR_GRAY2BGR);
      cv::extractChannel(bytes, alpha, 1);
      break;
    }
    case 3: bytes.copyTo(bgr); break;
    case 4:
      cv::cvtColor(bytes, bgr, cv::COLOR_BGRA2BGR);
      cv::extractChannel(bytes, alpha, 3);
      break;
    default:
      throw SourceError(name + " has " + std::to_string(bytes.channels()) +
                        " channels, and 1 to 4 can be shown; convert it to gray or colour");
  }
  if (!alpha.empty()) lay_over_checkerboard(bgr, alpha, place);
}

}  // namespace

// Converts in parts, so that the memory for intermediate pixels does not grow with the picture.
cv::Mat to_bgr(const cv::Mat& picture, const std::string& name) {
  if (picture.type() == CV_8UC3) return picture;
  constexpr int pixels = 1 << 16;  // of a part
  const int columns = std::clamp(picture.cols, 1, pixels), rows = pixels / columns;
  cv::Mat bgr(picture.size(), CV_8UC3);
  for (int y = 0; y < picture.rows; y += rows)
    for (int x = 0; x < picture.cols; x += columns) {
      const cv::Rect part(x, y, std::min(columns, picture.cols - x), std::min(rows, picture.rows - y));
      convert(picture(part), part.tl(), bgr(part), name);
    }
  return bgr;
}

void store(const cv::Mat& picture, Frame& frame, bool page_locked, const std::string& name) {
  const gpu::Size size{picture.cols, picture.rows};
  check_size(size, name, 0);
  if (picture.data == reinterpret_cast<const std::uint8_t*>(frame.pixels.data()) && picture.type() == CV_8UC3 &&
      picture.isContinuous()) {
    frame.size = size;
    return;
  }
  const cv::Mat bgr = to_bgr(picture, name);
  frame.resize(size, page_locked);
  bgr.copyTo(as_mat(frame));
}

}  // namespace app::capture
