// For comparing effects with OpenCV: frames from matrices, pictures as matrices, and their first difference.
#pragma once

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "gpu/tests/effects/effect_support.h"

namespace app::test {

using gpu::test::arguments_of;
using gpu::test::effect_named;
using gpu::test::HostFrame;
using gpu::test::Setting;

inline cv::Mat random_image(int width, int height, int type, int seed) {
  cv::RNG random(static_cast<unsigned>(seed) + 1);
  cv::Mat image(height, width, type);
  random.fill(image, cv::RNG::UNIFORM, 0, 256);
  return image;
}

// A gray matrix becomes a frame with three equal channels, whose luma is the matrix again.
inline HostFrame frame_of(const cv::Mat& image) {
  return HostFrame({image.cols, image.rows}, [&](int x, int y) {
    if (image.channels() == 1) {
      const auto level = image.at<std::uint8_t>(y, x);
      return gpu::Bgr{level, level, level};
    }
    const auto pixel = image.at<cv::Vec3b>(y, x);
    return gpu::Bgr{pixel[0], pixel[1], pixel[2]};
  });
}

inline cv::Mat matrix_of(const gpu::test::Picture& picture) {
  cv::Mat raw(picture.size.height, picture.size.width, picture.channels == 1 ? CV_8UC1 : CV_8UC4,
              const_cast<std::uint8_t*>(picture.bytes.data()));
  cv::Mat image;
  if (picture.channels == 1)
    image = raw.clone();
  else
    cv::cvtColor(raw, image, cv::COLOR_RGBA2BGR);
  return image;
}

inline cv::Mat apply(std::string_view effect, std::initializer_list<Setting> settings, const HostFrame& frame) {
  const auto& found = effect_named(effect);
  return matrix_of(gpu::test::run_on_host(found, arguments_of(found, settings), frame));
}

// Names the first pixel that differs.
inline testing::AssertionResult same(const cv::Mat& ours, const cv::Mat& theirs) {
  if (ours.size() != theirs.size() || ours.type() != theirs.type())
    return testing::AssertionFailure() << "sizes or types differ: " << ours.size() << " " << theirs.size();
  const auto bytes = static_cast<int>(ours.elemSize());
  int different = 0;
  std::ostringstream first;
  for (int y = 0; y < ours.rows; ++y)
    for (int i = 0; i < ours.cols * bytes; ++i)
      if (ours.ptr(y)[i] != theirs.ptr(y)[i] && different++ == 0)
        first << "(" << i / bytes << ", " << y << ") is " << int{ours.ptr(y)[i]} << ", not " << int{theirs.ptr(y)[i]};
  if (different == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << different << " values differ; the first: " << first.str();
}

inline std::string size_text(cv::Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

}  // namespace app::test
