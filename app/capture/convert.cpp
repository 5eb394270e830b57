#include "app/capture/convert.h"

#include <algorithm>

#include <opencv2/imgproc.hpp>

#include "app/capture/source.h"
#include "gpu/pictures/host_vectors.h"

namespace app::capture {
namespace {

cv::Mat levels(const cv::Mat& values, const ValueWindow& window) {
  cv::Mat bytes(values.size(), CV_8UC(values.channels()));
  const auto of_row = static_cast<std::size_t>(values.cols) * static_cast<std::size_t>(values.channels());
  for (int y = 0; y < values.rows; ++y) levels_of({values.ptr<std::uint16_t>(y), of_row}, window, bytes.ptr(y));
  return bytes;
}

cv::Mat to_8_bits(const cv::Mat& picture, const std::string& name, const ValueWindow& window) {
  switch (picture.depth()) {
    case CV_8U: return picture;
    case CV_16U: return levels(picture, window);
    case CV_32F:
    case CV_64F: break;
    default: throw SourceError(name + " has pixels of an unsupported type; convert it to 8 or 16 bits, unsigned");
  }
  cv::Mat finite, bytes;
  picture.convertTo(finite, CV_32F);
  cv::patchNaNs(finite, 0);
  // Infinities are cut before they meet the conversion to integers, which has no value for them.
  cv::min(cv::max(finite, 0), 1, finite);
  finite.convertTo(bytes, CV_8U, 255);
  return bytes;
}

// Returns the alpha of a part; `bytes`: its 8 bits. Opacity has no window.
cv::Mat alpha_of(const cv::Mat& part, const cv::Mat& bytes) {
  cv::Mat alpha;
  cv::extractChannel(part.depth() == CV_16U ? part : bytes, alpha, part.channels() - 1);
  return alpha.depth() == CV_16U ? levels(alpha, {}) : alpha;
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

[[noreturn]] void refuse_channels(const cv::Mat& picture, const std::string& name) {
  throw SourceError(name + " has " + std::to_string(picture.channels()) +
                    " channels, and 1 to 4 can be shown; convert it to gray or colour");
}

// A part of a picture, converted into `bgr`.
void convert(const cv::Mat& part, cv::Point place, cv::Mat bgr, const std::string& name, const ValueWindow& window) {
  const cv::Mat bytes = to_8_bits(part, name, window);
  switch (bytes.channels()) {
    case 1: return cv::cvtColor(bytes, bgr, cv::COLOR_GRAY2BGR);
    case 2: {
      cv::Mat gray;
      cv::extractChannel(bytes, gray, 0);
      cv::cvtColor(gray, bgr, cv::COLOR_GRAY2BGR);
      break;
    }
    case 3: return bytes.copyTo(bgr);
    case 4: cv::cvtColor(bytes, bgr, cv::COLOR_BGRA2BGR); break;
    default: refuse_channels(bytes, name);
  }
  lay_over_checkerboard(bgr, alpha_of(part, bytes), place);
}

// Converts in parts, so that the memory for intermediate pixels does not grow with the picture, and stays in the cache.
void convert_all(const cv::Mat& picture, cv::Mat bgr, const std::string& name, const ValueWindow& window) {
  constexpr int pixels = 1 << 14;  // of a part
  const int columns = std::clamp(picture.cols, 1, pixels), rows = pixels / columns;
  for (int y = 0; y < picture.rows; y += rows)
    for (int x = 0; x < picture.cols; x += columns) {
      const cv::Rect part(x, y, std::min(columns, picture.cols - x), std::min(rows, picture.rows - y));
      convert(picture(part), part.tl(), bgr(part), name, window);
    }
}

void store_values(const cv::Mat& picture, Frame& frame, const std::string& name) {
  if (picture.channels() > 4) refuse_channels(picture, name);
  frame.size = {picture.cols, picture.rows};
  frame.values.resize(frame.size, picture.channels());
  picture.copyTo(values_of(frame));
}

}  // namespace

cv::Mat to_bgr(const cv::Mat& picture, const std::string& name, const ValueWindow& window) {
  if (picture.type() == CV_8UC3) return picture;
  cv::Mat bgr(picture.size(), CV_8UC3);
  convert_all(picture, bgr, name, window);
  return bgr;
}

ValueWindow automatic_window(const cv::Mat& values) {
  const int channels = values.channels(), colours = channels - (channels % 2 == 0);
  ValueCounts counts;
  for (int y = 0; y < values.rows; ++y) {
    const auto* pixel = values.ptr<std::uint16_t>(y);
    for (int x = 0; x < values.cols; ++x, pixel += channels)
      for (int c = 0; c < colours; ++c) counts.add(pixel[c]);
  }
  return counts.automatic();
}

cv::Mat values_of(const Frame& frame) {
  return {frame.size.height, frame.size.width, CV_16UC(frame.values.channels), frame.values.numbers.data()};
}

void show_values(Frame& frame, const ValueWindow& window, bool page_locked) {
  auto& values = frame.values;
  if (values.channels == 0 || values.shown == window) return;
  frame.resize(frame.size, page_locked);
  convert_all(values_of(frame), as_mat(frame), {}, window);
  values.shown = window;
}

std::optional<ValueWindow> ShownValues::automatic_of(Frame& frame) {
  if (frame.values.channels == 0) return {};
  // A picture of one value, as cameras begin with, decides nothing.
  if (!automatic_ || *automatic_ == ValueWindow()) automatic_ = automatic_window(values_of(frame));
  frame.values.automatic = *automatic_;
  return automatic_;
}

void ShownValues::show(Frame& frame, const std::optional<ValueWindow>& chosen, bool page_locked) {
  if (const auto automatic = automatic_of(frame)) show_values(frame, chosen.value_or(*automatic), page_locked);
}

void store(const cv::Mat& picture, Frame& frame, bool page_locked, const std::string& name) {
  const gpu::Size size{picture.cols, picture.rows};
  check_size(size, name, 0);
  if (picture.depth() == CV_16U) return store_values(picture, frame, name);
  frame.values.channels = 0;
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
