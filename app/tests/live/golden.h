// Golden images: compares what was drawn with a committed picture that was inspected.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "app/display/render_target.h"

namespace app::golden {

// Other CPUs round a few pixels of a letter's edge differently; a changed digit is dozens of pixels.
constexpr int level_tolerance = 24;
constexpr double allowed_share = 0.00002;

struct Difference {
  int pixels = 0;    // that differ by more than level_tolerance in some channel
  double share = 1;  // of all pixels
  cv::Mat image;     // white where they differ, over the darkened actual image
  bool same() const { return share <= allowed_share; }
};

// An image of another size differs everywhere.
inline Difference compare(const cv::Mat& actual, const cv::Mat& expected) {
  if (expected.empty() || actual.size() != expected.size()) return {static_cast<int>(actual.total()), 1, actual};
  cv::Mat distance, worst, mask;
  cv::absdiff(actual, expected, distance);
  std::vector<cv::Mat> channels;
  cv::split(distance, channels);
  worst = cv::max(cv::max(channels[0], channels[1]), channels[2]);
  mask = worst > level_tolerance;
  Difference difference{cv::countNonZero(mask), 0, actual * 0.25};
  difference.share = difference.pixels / static_cast<double>(actual.total());
  difference.image.setTo(cv::Scalar(255, 255, 255), mask);
  return difference;
}

inline cv::Mat read(const RenderTarget& surface) {
  auto pixels = surface.read_pixels();
  const cv::Mat rgba(surface.height(), surface.width(), CV_8UC4, pixels.data());
  cv::Mat bgr;
  cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
  return bgr;
}

// In steps of 8 levels, which are far below level_tolerance: the files have two thirds of the bytes.
inline cv::Mat coarse(const cv::Mat& image) {
  cv::Mat steps, result;
  image.convertTo(steps, CV_8U, 1.0 / 8);
  steps.convertTo(result, CV_8U, 8);
  return result;
}

inline cv::Mat load(const std::string& name) { return cv::imread(std::string(SATSCOPE_GOLDEN) + "/" + name + ".png"); }

// Fails if `actual` is not the golden image `name`, and writes what was drawn and the difference, for inspection. With
// SATSCOPE_UPDATE_GOLDEN=1 `actual` in coarse levels becomes the golden image
// instead.
inline void expect_golden(const cv::Mat& actual, const std::string& name) {
  const auto path = std::string(SATSCOPE_GOLDEN) + "/" + name + ".png";
  if (const char* update = std::getenv("SATSCOPE_UPDATE_GOLDEN"); update && std::string(update) == "1") {
    ASSERT_TRUE(cv::imwrite(path, coarse(actual), {cv::IMWRITE_PNG_COMPRESSION, 9})) << path;
    return;
  }
  const auto difference = compare(actual, load(name));
  if (difference.same()) return;
  const std::filesystem::path out = SATSCOPE_GOLDEN_OUT;
  std::filesystem::create_directories(out);
  cv::imwrite((out / (name + ".actual.png")).string(), actual);
  cv::imwrite((out / (name + ".difference.png")).string(), difference.image);
  ADD_FAILURE() << name << ": " << difference.pixels << " pixels differ from " << path << "; see " << out.string() << "/"
                << name << ".*.png. If the change is intended: SATSCOPE_UPDATE_GOLDEN=1";
}

}  // namespace app::golden
