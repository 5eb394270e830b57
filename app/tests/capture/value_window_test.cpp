// Sources of 16 bits: the values that are shown, the automatic window, and another window of a frame that is there.
#include "app/capture/frame.h"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <random>

#include "app/capture/camera.h"
#include "app/capture/convert.h"
#include "app/capture/feed.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;

// The formula as it is written, in another arithmetic.
int expected_level(int value, const ValueWindow& window) {
  if (value <= window.from) return 0;
  if (value >= window.to) return 255;
  return static_cast<int>(std::floor(255.0L * (value - window.from) / (window.to - window.from) + 0.5L));
}

const ValueWindow windows[] = {{0, 65535},  {0, 1},         {65534, 65535}, {0, 255},     {0, 510},     {1, 65535},
                               {500, 4000}, {32767, 32769}, {0, 65534},     {1000, 1017}, {123, 65432}, {40000, 40512}};

TEST(ValueWindowTest, EveryValueIsShownExactlyByEveryWindow) {
  std::vector<std::uint16_t> all(65536 + 13);  // no multiple of any vector
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i * 40503);
  std::vector<std::uint8_t> levels(all.size());
  std::vector<ValueWindow> tried(std::begin(windows), std::end(windows));
  std::mt19937 random(16);
  while (tried.size() < 40) {
    const int a = static_cast<int>(random() % 65536), b = static_cast<int>(random() % 65536);
    if (a != b) tried.push_back({std::min(a, b), std::max(a, b)});
  }
  for (const auto& window : tried) {
    levels_of(all, window, levels.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) wrong += levels[i] != expected_level(all[i], window);
    EXPECT_EQ(wrong, 0u) << values_text(window);
  }
}

ValueWindow automatic(std::initializer_list<std::pair<int, int>> values_and_counts) {
  ValueCounts counts;
  for (const auto& [value, count] : values_and_counts)
    for (int i = 0; i < count; ++i) counts.add(static_cast<std::uint16_t>(value));
  return counts.automatic();
}

TEST(ValueWindowTest, TheAutomaticWindowLeavesOutAThousandthAtEachEnd) {
  EXPECT_EQ(automatic({{700, 1}, {900, 1}, {4000, 1}}), (ValueWindow{700, 4000})) << "of few values each counts";
  EXPECT_EQ(automatic({{0, 1}, {500, 499}, {4000, 499}, {65535, 1}}), (ValueWindow{500, 4000})) << "1 of 1000";
  EXPECT_EQ(automatic({{0, 2}, {500, 498}, {4000, 498}, {65535, 2}}), (ValueWindow{0, 65535})) << "2 of 1000";
  EXPECT_EQ(automatic({{65535, 1}, {65534, 998}, {0, 1}}), (ValueWindow{0, 65535})) << "else it would be one value";
  EXPECT_EQ(automatic({{300, 5000}}), ValueWindow());
  EXPECT_EQ(automatic({}), ValueWindow());
}

TEST(ValueWindowTest, ItsTextIsTwoNumbersTheSecondAboveTheFirst) {
  for (const auto& window : windows) EXPECT_EQ(value_window_from(values_text(window)), window);
  for (const char* wrong : {"", "5", "5-", "-5", "5-5", "6-5", "-1-5", "0-65536", "1-2-3", "1.5-3", " 1-2", "1-2 ", "a-b",
                            "0x1-2", "99999999999-5", "+1-2", "1--2"})
    EXPECT_FALSE(value_window_from(wrong)) << wrong;
}

cv::Mat random_picture(int width, int height, int channels, unsigned seed = 7) {
  cv::Mat picture(height, width, CV_16UC(channels));
  cv::RNG(seed).fill(picture, cv::RNG::UNIFORM, 0, 65536);
  return picture;
}

std::string differences(const cv::Mat& picture, const cv::Mat& shown, const ValueWindow& window) {
  const int channels = picture.channels(), colours = channels > 2 ? 3 : 1;
  for (int y = 0; y < picture.rows; ++y)
    for (int x = 0; x < picture.cols; ++x) {
      const auto* from = picture.ptr<std::uint16_t>(y, x);
      const int alpha = channels % 2 ? 255 : expected_level(from[channels - 1], {}), board = (x / 8 + y / 8) % 2 ? 153 : 204;
      for (int c = 0; c < 3; ++c) {
        const int level = expected_level(from[c % colours], window);
        const int expected = (level * alpha + board * (255 - alpha) + 127) / 255, is = shown.at<cv::Vec3b>(y, x)[c];
        if (is != expected)
          return std::to_string(is) + " instead of " + std::to_string(expected) + " at " + std::to_string(x) + ", " +
                 std::to_string(y);
      }
    }
  return {};
}

// The frame is used again for pictures of other sizes and channels, and of 8 bits.
TEST(ValueWindowTest, OneToFourChannelsOfAnySizeAreShownByTheSameWindow) {
  Frame frame;
  for (const auto& [width, height] : {std::pair(1, 1), {641, 37}, {17, 1030}, {20'001, 2}})
    for (int channels = 1; channels <= 4; ++channels) {
      const auto picture = random_picture(width, height, channels);
      store(picture, frame, false, "test");
      for (const ValueWindow& window : {ValueWindow{}, ValueWindow{500, 40'000}, ValueWindow{65534, 65535}}) {
        EXPECT_EQ(differences(picture, to_bgr(picture, "test", window), window), "") << width << ' ' << channels;
        show_values(frame, window, false);
        EXPECT_EQ(differences(picture, as_mat(frame), window), "") << width << ' ' << channels;
        EXPECT_EQ(frame.values.shown, window);
      }
      const auto middle = picture(cv::Rect(0, height / 2, width, 1));  // rows of a larger picture
      EXPECT_EQ(differences(middle, to_bgr(middle, "test", {9, 999}), {9, 999}), "");
      store(cv::Mat(3, 5, CV_8UC1, cv::Scalar(4)), frame, false, "test");
      EXPECT_EQ(frame.values.channels, 0);
      show_values(frame, {0, 1}, false);
      EXPECT_EQ(frame.pixels.data()[14].r, 4) << "8 bits have no window";
    }
  EXPECT_THROW(store(cv::Mat(2, 2, CV_16UC(5)), frame, false, "odd"), SourceError);
}

TEST(ValueWindowTest, OpacityHasNoPartInTheAutomaticWindow) {
  EXPECT_EQ(automatic_window(cv::Mat(9, 9, CV_16UC4, cv::Scalar(300, 200, 400, 65535))), (ValueWindow{200, 400}));
  EXPECT_EQ(automatic_window(cv::Mat(9, 9, CV_16UC3, cv::Scalar(300, 200, 65535))), (ValueWindow{200, 65535}));
}

TEST(ValueWindowTest, RawBytesOfACameraBecomeItsValues) {
  const auto picture = random_picture(7, 5, 1);
  const cv::Mat two_bytes(5, 7, CV_8UC2, picture.data), one_row(1, 70, CV_8UC1, picture.data),
      rows(5, 14, CV_8UC1, picture.data);
  for (const auto& raw : {picture, two_bytes, one_row, rows}) {
    const auto values = values_of_raw(raw, {7, 5});
    ASSERT_EQ(values.type(), CV_16UC1);
    EXPECT_EQ(cv::norm(values, picture, cv::NORM_INF), 0);
  }
  EXPECT_TRUE(values_of_raw(rows, {7, 6}).empty()) << "a part of a picture is none";
  EXPECT_TRUE(values_of_raw(cv::Mat(5, 7, CV_8UC3, cv::Scalar()), {7, 5}).empty());
}

// Picture n has the values from 100 n + 1000 on: each is brighter than the one before.
Read deep_picture(Frame& frame, std::uint64_t n) {
  cv::Mat picture(2, 4, CV_16UC1);
  for (int i = 0; i < 8; ++i) picture.at<std::uint16_t>(i / 4, i % 4) = static_cast<std::uint16_t>(1000 + 100 * n + 10 * i);
  store(picture, frame, false, "fake");
  frame.position = static_cast<double>(n) / 1000;
  return Read::frame;
}
SourceFactory deep_source() {
  return fake([](Frame& frame, std::uint64_t n, const std::stop_token&) { return deep_picture(frame, n); }, file_info());
}
int first_level(const Frame& frame, const ValueWindow& window) {
  return expected_level(frame.values.numbers.data()[0], window);
}

TEST(ValueWindowTest, TheAutomaticWindowIsThatOfTheFirstPictureAndStays) {
  JoinedCapture capture({.max_speed = true, .lossless = true}, deep_source());
  for (std::uint64_t n = 0; n < 5; ++n) {
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->values.automatic, (ValueWindow{1000, 1070}));
    EXPECT_EQ(frame->values.shown, (ValueWindow{1000, 1070}));
    EXPECT_EQ(frame->pixels.data()[0].g, n == 0 ? 0 : 255);
    EXPECT_EQ(capture.status().automatic, (ValueWindow{1000, 1070}));
  }
}

// Many cameras begin with black pictures.
TEST(ValueWindowTest, PicturesOfOneValueDecideNoAutomaticWindow) {
  ShownValues shown;
  Frame frame;
  for (const int value : {0, 0, 7}) {
    store(cv::Mat(2, 4, CV_16UC1, cv::Scalar::all(value)), frame, false, "fake");
    shown.show(frame, {}, false);
    EXPECT_EQ(frame.values.automatic, ValueWindow()) << value;
  }
  for (const std::uint64_t n : {0u, 3u}) {
    deep_picture(frame, n);
    shown.show(frame, {}, false);
    EXPECT_EQ(frame.values.automatic, (ValueWindow{1000, 1070})) << n;
  }
}

TEST(ValueWindowTest, AChosenWindowIsThatOfEveryFrameFromTheFirstOn) {
  const ValueWindow window{900, 2100};
  JoinedCapture capture({.max_speed = true, .lossless = true, .values = window}, deep_source());
  for (int n = 0; n < 4; ++n) {
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->values.shown, window);
    EXPECT_EQ(frame->pixels.data()[0].b, first_level(*frame, window)) << n;
  }
}

// Without another picture of the source: the one taken last, of the source shown or of one that was closed.
TEST(ValueWindowTest, TheFrameTakenLastIsShownAnew) {
  Feed feed(fake([](Frame& frame, std::uint64_t n, const std::stop_token&) { return deep_picture(frame, n), Read::still; },
                 {.kind = SourceKind::image}));
  EXPECT_FALSE(feed.shows_other(ValueWindow{1, 2})) << "there is no frame yet";
  feed.open({.source = "a"});
  ASSERT_TRUE(eventually([&] { return feed.take(5ms) != nullptr; }));
  const auto& frame = *feed.last();
  const auto expect = [&](const std::optional<ValueWindow>& values) {
    const auto window = values.value_or(ValueWindow{1000, 1070});
    EXPECT_EQ(frame.pixels.data()[3].g, expected_level(1030, window)) << values_text(window);
    EXPECT_FALSE(feed.shows_other(values));
  };
  expect({});
  for (int turn = 0; turn < 2; ++turn)
    for (const ValueWindow& window : windows) {  // in quick succession
      feed.show(window);
      expect(window);
    }
  EXPECT_TRUE(feed.shows_other({}));
  feed.show({});
  expect({});
  EXPECT_EQ(frame.sequence, 0u) << "the source was read once";
  wait_for_detached(20s);
}

TEST(ValueWindowTest, FilesOfEightBitsHaveNoWindow) {
  Feed feed;
  feed.open({.source = "synthetic:32x24", .values = ValueWindow{1, 2}});
  ASSERT_TRUE(eventually([&] { return feed.take(5ms) != nullptr; }));
  EXPECT_FALSE(feed.shows_other(ValueWindow{3, 4}));
  EXPECT_FALSE(feed.status().automatic);
}

// PNG, TIFF and PGM, gray and colour; and scaled down, where a texture is too small.
TEST(ValueWindowTest, ImageFilesKeepTheirSixteenBits) {
  const TemporaryFolder folder;
  for (const auto& [name, channels] :
       {std::pair("gray.png", 1), {"colour.png", 3}, {"gray.tiff", 1}, {"colour.tif", 3}, {"a.pgm", 1}}) {
    const auto path = (folder.path() / name).string();
    cv::Mat picture = random_picture(33, 21, channels, 3) / 16;
    ASSERT_TRUE(cv::imwrite(path, picture));
    Capture capture({.source = path});
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(cv::norm(values_of(*frame), picture, cv::NORM_INF), 0) << name;
    const auto window = automatic_window(picture);
    EXPECT_EQ(capture.status().automatic, window);
    EXPECT_LT(window.to, 4097);
    EXPECT_EQ(differences(picture, as_mat(capture.taken()), window), "") << name;
    EXPECT_NE(capture.status().description.find("16-bit"), std::string::npos);
    Capture small({.source = path, .largest_side = 11});
    frame = next_frame(small);
    EXPECT_EQ(frame->size, (gpu::Size{11, 7}));
    EXPECT_EQ(frame->values.channels, channels);
  }
}

}  // namespace
}  // namespace app::capture
