// For tests: videos whose pictures show their number, as a row of black and white squares.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <string>

#include "app/capture/frame.h"

namespace app::capture {

constexpr int number_bits = 10, number_square = 16;

inline cv::Mat numbered_picture(int number) {
  cv::Mat picture(48, number_bits * number_square, CV_8UC3, cv::Scalar::all(0));
  for (int bit = 0; bit < number_bits; ++bit)
    if (number >> bit & 1)
      cv::rectangle(picture, cv::Rect(bit * number_square, 0, number_square, 48), cv::Scalar::all(255), cv::FILLED);
  return picture;
}

inline int number_in(const Frame& frame) {
  int number = 0;
  for (int bit = 0; bit < number_bits; ++bit)
    if (frame.view()(bit * number_square + number_square / 2, 24).g > 128) number |= 1 << bit;
  return number;
}

// `count` pictures, so many per second; each is a key frame.
inline std::string numbered_video(const std::filesystem::path& folder, int count, double rate = 25) {
  const auto path = (folder / "numbers.avi").string();
  cv::VideoWriter writer(path, cv::CAP_FFMPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), rate,
                         {number_bits * number_square, 48});
  EXPECT_TRUE(writer.isOpened());
  for (int n = 0; n < count; ++n) writer.write(numbered_picture(n));
  return path;
}

// The same encoded anew: "-c:v libx264 -g 1000".
inline std::string encoded(const std::string& from, const std::string& name, const std::string& options) {
  const auto to = (std::filesystem::path(from).parent_path() / name).string();
  const auto command = "ffmpeg -nostdin -v error -y -i '" + from + "' " + options + " '" + to + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return to;
}

}  // namespace app::capture
