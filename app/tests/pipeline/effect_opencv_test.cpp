// Effects, luma and tables against OpenCV, bit for bit, and against their definitions.
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/pipeline/pipeline.h"
#include "app/support/files.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/tables/tables.h"
#include "gpu/tests/effects/effect_support.h"
#include "gpu/tests/refusal.h"
#include "gpu/vision/cascade_files.h"

namespace app::test {
namespace {

using gpu::test::arguments_of;
using gpu::test::effect_named;
using gpu::test::HostFrame;
using gpu::test::Setting;

cv::Mat random_image(int width, int height, int type, int seed) {
  cv::RNG random(static_cast<unsigned>(seed) + 1);
  cv::Mat image(height, width, type);
  random.fill(image, cv::RNG::UNIFORM, 0, 256);
  return image;
}

// A gray matrix becomes a frame with three equal channels, whose luma is the matrix again.
HostFrame frame_of(const cv::Mat& image) {
  return HostFrame({image.cols, image.rows}, [&](int x, int y) {
    if (image.channels() == 1) {
      const auto level = image.at<std::uint8_t>(y, x);
      return gpu::Bgr{level, level, level};
    }
    const auto pixel = image.at<cv::Vec3b>(y, x);
    return gpu::Bgr{pixel[0], pixel[1], pixel[2]};
  });
}

cv::Mat matrix_of(const gpu::test::Picture& picture) {
  cv::Mat raw(picture.size.height, picture.size.width, picture.channels == 1 ? CV_8UC1 : CV_8UC4,
              const_cast<std::uint8_t*>(picture.bytes.data()));
  cv::Mat image;
  if (picture.channels == 1)
    image = raw.clone();
  else
    cv::cvtColor(raw, image, cv::COLOR_RGBA2BGR);
  return image;
}

cv::Mat apply(std::string_view effect, std::initializer_list<Setting> settings, const HostFrame& frame) {
  const auto& found = effect_named(effect);
  return matrix_of(gpu::test::run_on_host(found, arguments_of(found, settings), frame));
}

// Names the first pixel that differs.
testing::AssertionResult same(const cv::Mat& ours, const cv::Mat& theirs) {
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

std::string size_text(cv::Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

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

cv::Mat gray_blur(cv::Size window, const char* border, const HostFrame& frame) {
  return apply("box_blur", {{"window", size_text(window)}, {"border", border}, {"colour", "off"}}, frame);
}
// For each of these sizes and windows: what `expected` makes of an image, a window and a border.
template <class Expected>
void expect_blurs(std::span<const cv::Size> image_sizes, std::span<const cv::Size> windows, const Expected& expected) {
  for (const auto size : image_sizes) {
    const auto image = random_image(size.width, size.height, CV_8UC1, size.width);
    const auto frame = frame_of(image);
    for (const auto window : windows)
      for (const auto& border : borders) {
        SCOPED_TRACE(size_text(size) + " window " + size_text(window) + " " + border.name);
        EXPECT_TRUE(same(gray_blur(window, border.name, frame), expected(image, window, border.opencv)));
      }
  }
}
cv::Mat opencv_blur(const cv::Mat& image, cv::Size window, int border) {
  cv::Mat blurred;
  cv::blur(image, blurred, window, {-1, -1}, border);
  return blurred;
}

TEST(EffectBoxBlurTest, EqualsOpenCVsForOddWindows) {
  expect_blurs(sizes, odd_windows, opencv_blur);
  const cv::Size frame[] = {{640, 480}}, windows[] = {{15, 15}, {101, 51}, {3, 129}};
  expect_blurs(frame, windows, opencv_blur);
}

TEST(EffectBoxBlurTest, IsTheExactMeanForEvenWindows) {
  const cv::Size small[] = {{1, 1}, {1, 9}, {7, 1}, {21, 13}}, windows[] = {{2, 2}, {2, 1}, {1, 4}, {16, 6}, {40, 30}};
  expect_blurs(small, windows,
               [](const cv::Mat& image, cv::Size window, int border) { return naive_blur(image, window, border, false); });
}

TEST(EffectBoxBlurTest, ClipDividesByThePixelsInside) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 9}, cv::Size{7, 1}, cv::Size{31, 19}}) {
    const auto image = random_image(size.width, size.height, CV_8UC1, size.height);
    const auto frame = frame_of(image);
    for (const auto window : {cv::Size{1, 1}, cv::Size{3, 3}, cv::Size{4, 2}, cv::Size{15, 9}, cv::Size{63, 63}})
      EXPECT_TRUE(same(gray_blur(window, "clip", frame), naive_blur(image, window, cv::BORDER_CONSTANT, true)))
          << size_text(size) << " window " << size_text(window);
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

// adaptive_threshold: mean_c against OpenCV, bit for bit; bradley against the definition, pixel by pixel.
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

TEST(EffectBoxBlurTest, ChoosesTheWindowItself) {
  for (const auto& [size, window] : {std::pair(cv::Size(40, 30), cv::Size(15, 15)),
                                     {cv::Size(15, 40), cv::Size(15, 15)},
                                     {cv::Size(14, 40), cv::Size(7, 15)},
                                     {cv::Size(40, 9), cv::Size(15, 3)},
                                     {cv::Size(4, 4), cv::Size(3, 3)},
                                     {cv::Size(2, 9), cv::Size(1, 3)},
                                     {cv::Size(90, 1), cv::Size(15, 1)}}) {
    const auto image = random_image(size.width, size.height, CV_8UC1, 1);
    EXPECT_TRUE(
        same(apply("box_blur", {{"colour", "off"}}, frame_of(image)), opencv_blur(image, window, cv::BORDER_REFLECT_101)))
        << size;
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

// Tables against OpenCV's integral(): sums, squares and tilted.
// Without the first row and column.
cv::Mat inner(const cv::Mat& table) { return table(cv::Rect(1, 1, table.cols - 1, table.rows - 1)); }

TEST(TablesOpencvTest, EqualOpenCVsIntegrals) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 50}, cv::Size{60, 1}, cv::Size{2, 2}, cv::Size{333, 77}}) {
    SCOPED_TRACE(size_text(size));
    const auto image = random_image(size.width, size.height, CV_8UC1, 11);
    const auto frame = frame_of(image);
    cv::Mat sum, squares, tilted;
    cv::integral(image, sum, squares, tilted, CV_32S, CV_64F);

    const gpu::Image<std::uint32_t> ours(frame.size(), gpu::Device::host);
    gpu::ThreadPool pool(1);
    auto context = gpu::Context::on_host(pool, {});
    gpu::compute_tilted(context, frame.gray.view(), ours.view());
    const auto theirs = inner(tilted);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        ASSERT_EQ(ours.view()(x, y), static_cast<std::uint32_t>(theirs.at<int>(y, x))) << x << "," << y;
    // What OpenCV's table has besides: the first column and the end of the rows.
    for (int y = 1; y < size.height; ++y)
      ASSERT_EQ(ours.view()(0, y - 1), static_cast<std::uint32_t>(tilted.at<int>(y + 1, 0))) << y;

    const gpu::Image<std::uint64_t> our_squares(frame.size(), gpu::Device::host);
    gpu::compute_sat(context, gpu::test::host_algorithm(), frame.gray.view(), our_squares.view(), gpu::Arguments());
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        ASSERT_EQ(static_cast<double>(our_squares.view()(x, y)), inner(squares).at<double>(y, x)) << x << "," << y;
  }
}

// faces on a photograph, and a cascade that cannot be used in the pipeline.
HostFrame astronaut() { return frame_of(cv::imread(asset("astronaut.png").string(), cv::IMREAD_COLOR)); }

std::vector<gpu::Annotation> faces(std::initializer_list<Setting> settings, const HostFrame& frame) {
  return gpu::test::annotations_on_host(effect_named("faces"), arguments_of(effect_named("faces"), settings), frame);
}

TEST(EffectFacesTest, TheAstronautHasOneFace) {
  const auto found = faces({}, astronaut());
  ASSERT_EQ(found.size(), 2u);
  const auto& face = found[0];
  EXPECT_TRUE(face.x0 > 150 && face.x0 < 200 && face.x1 > 250 && face.x1 < 300) << face.x0 << ' ' << face.x1;
  EXPECT_TRUE(face.y0 > 50 && face.y0 < 90 && face.y1 > 150 && face.y1 < 200) << face.y0 << ' ' << face.y1;
  EXPECT_GT(found[1].value, 10);
}

TEST(EffectFacesTest, EyesAreInsideTheFace) {
  if (gpu::vision::known_cascades().size() == 1) GTEST_SKIP() << "opencv-data is not installed";
  const auto found = faces({{"inside", "eye"}}, astronaut());
  ASSERT_EQ(found.size(), 6u) << "a face and two eyes";
  for (const auto& eye : {found[2], found[4]}) {
    EXPECT_GE(eye.x0, found[0].x0);
    EXPECT_LE(eye.x1, found[0].x1);
    EXPECT_LT(eye.y1, (found[0].y0 + found[0].y1) / 2 + 10);
  }
}

TEST(EffectFacesTest, ACascadeThatCannotBeUsedLeavesThePictureAsItWas) {
  const auto frame = ramp_frame({64, 48});
  auto selection = selection_of("host_serial", "faces");
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(frame, selection);
  const auto level = pipeline.picture().pixels(5, 5).g;
  selection.effect_arguments.set("cascade", "/nowhere/mine.xml");
  EXPECT_EQ(gpu::test::refusal_of<gpu::ArgumentError>([&] { pipeline.process(frame, selection); }),
            "there is no cascade file '/nowhere/mine.xml': check the path");
  EXPECT_EQ(pipeline.picture().pixels(5, 5).g, level);
}

}  // namespace
}  // namespace app::test
