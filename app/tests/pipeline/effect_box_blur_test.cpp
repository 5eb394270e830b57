// box_blur and luma against OpenCV, bit for bit; even windows against the exact mean.
#include "app/tests/pipeline/effect_opencv.h"

namespace app::test {
namespace {

struct NamedBorder {
  const char* name;
  int opencv;
};
constexpr NamedBorder borders[] = {{"reflect101", cv::BORDER_REFLECT_101},
                                   {"reflect", cv::BORDER_REFLECT},
                                   {"replicate", cv::BORDER_REPLICATE},
                                   {"constant", cv::BORDER_CONSTANT}};
const cv::Size sizes[] = {{1, 1}, {1, 17}, {23, 1}, {2, 2}, {3, 5}, {33, 17}, {64, 48}};
const cv::Size odd_windows[] = {{1, 1}, {3, 3}, {5, 1}, {1, 7}, {9, 5}, {15, 15}, {17, 31}, {33, 65}, {129, 129}, {129, 3}};

// The mean by the definition, pixel by pixel.
cv::Mat naive_blur(const cv::Mat& image, cv::Size window, int border, bool clip) {
  cv::Mat result(image.size(), CV_8UC1);
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x) {
      std::int64_t sum = 0, count = 0;
      for (int j = y - window.height / 2; j < y - window.height / 2 + window.height; ++j)
        for (int i = x - window.width / 2; i < x - window.width / 2 + window.width; ++i) {
          const bool in = i >= 0 && i < image.cols && j >= 0 && j < image.rows;
          if (clip && !in) continue;
          ++count;
          const int column = cv::borderInterpolate(i, image.cols, border);
          const int row = cv::borderInterpolate(j, image.rows, border);
          if (column >= 0 && row >= 0) sum += image.at<std::uint8_t>(row, column);
        }
      result.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>((2 * sum + count) / (2 * count));
    }
  return result;
}

TEST(EffectBoxBlurTest, EqualsOpenCVsForOddWindows) {
  for (const auto size : sizes) {
    const auto image = random_image(size.width, size.height, CV_8UC1, size.width);
    const auto frame = frame_of(image);
    for (const auto window : odd_windows)
      for (const auto& border : borders) {
        SCOPED_TRACE(size_text(size) + " window " + size_text(window) + " " + border.name);
        cv::Mat theirs;
        cv::blur(image, theirs, window, {-1, -1}, border.opencv);
        EXPECT_TRUE(same(
            apply("box_blur", {{"window", size_text(window)}, {"border", border.name}, {"colour", "off"}}, frame), theirs));
      }
  }
}

TEST(EffectBoxBlurTest, EqualsOpenCVsOnAFrame) {
  const auto image = random_image(640, 480, CV_8UC1, 7);
  const auto frame = frame_of(image);
  for (const auto window : {cv::Size{15, 15}, cv::Size{101, 51}, cv::Size{3, 129}})
    for (const auto& border : borders) {
      SCOPED_TRACE(size_text(window) + " " + border.name);
      cv::Mat theirs;
      cv::blur(image, theirs, window, {-1, -1}, border.opencv);
      EXPECT_TRUE(same(apply("box_blur", {{"window", size_text(window)}, {"border", border.name}, {"colour", "off"}}, frame),
                       theirs));
    }
}

TEST(EffectBoxBlurTest, IsTheExactMeanForEvenWindows) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 9}, cv::Size{7, 1}, cv::Size{21, 13}}) {
    const auto image = random_image(size.width, size.height, CV_8UC1, size.height);
    const auto frame = frame_of(image);
    for (const auto window : {cv::Size{2, 2}, cv::Size{2, 1}, cv::Size{1, 4}, cv::Size{16, 6}, cv::Size{40, 30}})
      for (const auto& border : borders) {
        SCOPED_TRACE(size_text(size) + " window " + size_text(window) + " " + border.name);
        EXPECT_TRUE(
            same(apply("box_blur", {{"window", size_text(window)}, {"border", border.name}, {"colour", "off"}}, frame),
                 naive_blur(image, window, border.opencv, false)));
      }
  }
}

TEST(EffectBoxBlurTest, ClipDividesByThePixelsInside) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 9}, cv::Size{7, 1}, cv::Size{31, 19}}) {
    const auto image = random_image(size.width, size.height, CV_8UC1, size.height);
    const auto frame = frame_of(image);
    for (const auto window : {cv::Size{1, 1}, cv::Size{3, 3}, cv::Size{4, 2}, cv::Size{15, 9}, cv::Size{63, 63}}) {
      SCOPED_TRACE(size_text(size) + " window " + size_text(window));
      EXPECT_TRUE(same(apply("box_blur", {{"window", size_text(window)}, {"border", "clip"}, {"colour", "off"}}, frame),
                       naive_blur(image, window, cv::BORDER_CONSTANT, true)));
    }
  }
}

TEST(EffectBoxBlurTest, RepeatsPasses) {
  const auto image = random_image(75, 50, CV_8UC1, 3);
  const auto frame = frame_of(image);
  cv::Mat theirs = image.clone();
  for (const auto* passes : {"1", "2", "3", "4"}) {
    cv::blur(theirs, theirs, {9, 5});
    EXPECT_TRUE(same(apply("box_blur", {{"window", "9x5"}, {"passes", passes}, {"colour", "off"}}, frame), theirs))
        << passes;
  }
}

TEST(EffectBoxBlurTest, BlursEachColour) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{57, 43}}) {
    const auto image = random_image(size.width, size.height, CV_8UC3, 5);
    const auto frame = frame_of(image);
    cv::Mat theirs = image.clone();
    for (const auto* passes : {"1", "2"}) {
      cv::blur(theirs, theirs, {15, 15});
      EXPECT_TRUE(same(apply("box_blur", {{"passes", passes}}, frame), theirs)) << passes;
    }
  }
}

TEST(EffectBoxBlurLumaTest, EqualsOpenCVs) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 50}, cv::Size{333, 77}}) {
    const auto image = random_image(size.width, size.height, CV_8UC3, 11);
    const auto frame = frame_of(image);
    cv::Mat theirs;
    cv::cvtColor(image, theirs, cv::COLOR_BGR2GRAY);
    EXPECT_TRUE(same(matrix_of(gpu::test::tight<std::uint8_t>(frame.gray.view())), theirs));
  }
}

}  // namespace
}  // namespace app::test
