// adaptive_threshold: mean_c against OpenCV, bit for bit; bradley against the definition, pixel by pixel.
#include "app/tests/pipeline/effect_opencv.h"

namespace app::test {
namespace {

TEST(EffectAdaptiveThresholdTest, MeanCEqualsOpenCVs) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 17}, cv::Size{23, 1}, cv::Size{33, 17}, cv::Size{160, 120}}) {
    const auto image = random_image(size.width, size.height, CV_8UC1, size.width);
    const auto frame = frame_of(image);
    for (const int side : {3, 5, 11, 31, 129})
      for (const auto* c : {"0", "7", "-4", "2.5", "-2.5", "0.25", "255", "-255"})
        for (const bool invert : {false, true}) {
          SCOPED_TRACE(size_text(size) + " window " + std::to_string(side) + " c " + c + (invert ? " inverted" : ""));
          cv::Mat theirs;
          cv::adaptiveThreshold(image, theirs, 255, cv::ADAPTIVE_THRESH_MEAN_C,
                                invert ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY, side, std::stod(c));
          EXPECT_TRUE(same(apply("adaptive_threshold",
                                 {{"window", std::to_string(side)}, {"c", c}, {"invert", invert ? "on" : "off"}}, frame),
                           theirs));
        }
  }
}

cv::Mat naive_bradley(const cv::Mat& image, int side, int t, bool invert) {
  cv::Mat result(image.size(), CV_8UC1);
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x) {
      long long sum = 0, count = 0;
      for (int j = std::max(0, y - side / 2); j < std::min(image.rows, y - side / 2 + side); ++j)
        for (int i = std::max(0, x - side / 2); i < std::min(image.cols, x - side / 2 + side); ++i, ++count)
          sum += image.at<std::uint8_t>(j, i);
      const bool black = count * image.at<std::uint8_t>(y, x) * 100 <= sum * (100 - t);
      result.at<std::uint8_t>(y, x) = black != invert ? 0 : 255;
    }
  return result;
}

TEST(EffectAdaptiveThresholdTest, BradleyEqualsItsDefinition) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 17}, cv::Size{23, 1}, cv::Size{40, 30}}) {
    cv::Mat image = random_image(size.width, size.height, CV_8UC1, size.width);
    image.colRange(0, size.width / 2) /= 8;  // ties need few levels
    const auto frame = frame_of(image);
    for (const int side : {1, 3, 4, 9, 64})
      for (const int t : {0, 15, 50, 100})
        for (const bool invert : {false, true}) {
          SCOPED_TRACE(size_text(size) + " window " + std::to_string(side) + " t " + std::to_string(t));
          EXPECT_TRUE(same(apply("adaptive_threshold",
                                 {{"method", "bradley"},
                                  {"window", std::to_string(side)},
                                  {"t", std::to_string(t)},
                                  {"invert", invert ? "on" : "off"}},
                                 frame),
                           naive_bradley(image, side, t, invert)));
        }
  }
}

TEST(EffectAdaptiveThresholdTest, ChoosesTheWindowItself) {
  const auto image = random_image(200, 60, CV_8UC1, 1);
  const auto frame = frame_of(image);
  EXPECT_TRUE(same(apply("adaptive_threshold", {{"method", "bradley"}}, frame), naive_bradley(image, 25, 15, false)));
  cv::Mat theirs;
  cv::adaptiveThreshold(image, theirs, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY, 11, 7);
  EXPECT_TRUE(same(apply("adaptive_threshold", {}, frame), theirs));
}

// A window sum times 100 needs more than 32 bits here.
TEST(EffectAdaptiveThresholdTest, BradleyIsCorrectForLargeWhiteWindows) {
  const cv::Mat image(900, 900, CV_8UC1, cv::Scalar(255));
  const auto frame = frame_of(image);
  for (const auto& [t, white] : {std::pair{"0", 0}, {"1", 255}}) {
    const auto ours = apply("adaptive_threshold", {{"method", "bradley"}, {"window", "2047"}, {"t", t}}, frame);
    EXPECT_EQ(cv::countNonZero(ours == white), 900 * 900) << t;
  }
}

}  // namespace
}  // namespace app::test
