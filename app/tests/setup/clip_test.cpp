// The bundled clip is as assets/README.md describes it, and has content for every effect.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <opencv2/videoio.hpp>

#include "app/support/files.h"

namespace app {
namespace {

cv::Mat gray_frame_at(double seconds) {
  cv::VideoCapture clip(asset("clip.mp4").string());
  cv::Mat frame, gray;
  for (int i = 0; i <= static_cast<int>(seconds * 30); ++i) {
    if (!clip.read(frame)) return {};
  }
  cv::cvtColor(frame, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

TEST(ClipTest, HasTheDocumentedLengthSizeAndRate) {
  cv::VideoCapture clip(asset("clip.mp4").string());
  ASSERT_TRUE(clip.isOpened());
  EXPECT_EQ(clip.get(cv::CAP_PROP_FRAME_WIDTH), 960);
  EXPECT_EQ(clip.get(cv::CAP_PROP_FRAME_HEIGHT), 540);
  EXPECT_EQ(clip.get(cv::CAP_PROP_FPS), 30);
  int frames = 0;
  while (clip.grab()) ++frames;
  EXPECT_GE(frames, 12 * 30);
  EXPECT_LE(frames, 20 * 30);
  EXPECT_LE(std::filesystem::file_size(asset("clip.mp4")), 3'000'000u);
}

TEST(ClipTest, HasAFace) {
  cv::CascadeClassifier faces;
  ASSERT_TRUE(faces.load("/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"));
  for (double seconds : {0.0, 0.8, 1.6, 2.4}) {
    std::vector<cv::Rect> found;
    faces.detectMultiScale(gray_frame_at(seconds), found, 1.1, 3, 0, {80, 80});
    EXPECT_EQ(found.size(), 1u) << "at " << seconds << " s";
  }
}

// No single threshold separates text from paper: in bright parts it would be higher, in dark parts lower. The mean around
// each pixel does.
TEST(ClipTest, HasTextUnderUnevenLight) {
  const cv::Mat page = gray_frame_at(7.0);
  ASSERT_FALSE(page.empty());
  cv::Mat global, local;
  cv::threshold(page, global, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU);
  cv::adaptiveThreshold(page, local, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY, 41, 12);
  const cv::Rect dark(0, 430, 150, 110);  // no text, only shade
  EXPECT_LT(cv::mean(global(dark))[0], 64);
  EXPECT_GT(cv::mean(local(dark))[0], 240);
  const cv::Rect text(150, 80, 600, 250);
  const double ink = 1 - cv::mean(local(text))[0] / 255;
  EXPECT_GT(ink, 0.05);
  EXPECT_LT(ink, 0.35);
}

TEST(ClipTest, HasEdges) {
  cv::Mat edges;
  cv::Canny(gray_frame_at(10.5), edges, 80, 160);
  EXPECT_GT(cv::countNonZero(edges), 5000);
}

// The sign in the noise: single pixels do not show it, the mean over a window does.
TEST(ClipTest, HasASignThatOnlyAWindowsMeanShows) {
  const cv::Mat noise = gray_frame_at(14.5);
  ASSERT_FALSE(noise.empty());
  const cv::Rect on(390, 110, 150, 40), off(60, 110, 150, 40);  // the upper bar of the sign, and the background
  cv::Scalar mean_on, spread_on, mean_off, spread_off;
  cv::meanStdDev(noise(on), mean_on, spread_on);
  cv::meanStdDev(noise(off), mean_off, spread_off);
  EXPECT_GT(spread_off[0], 25);
  cv::Mat blurred;
  cv::blur(noise, blurred, {31, 31});
  cv::Scalar mean, spread;
  cv::meanStdDev(blurred(off), mean, spread);
  EXPECT_GT(mean_on[0] - mean_off[0], 4 * spread[0]);
}

}  // namespace
}  // namespace app
