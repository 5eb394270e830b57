// The camera source with simulated hardware, for machines that have no camera.
#include "app/capture/camera.h"

#include <gtest/gtest.h>
#include <opencv2/videoio.hpp>

#include <deque>
#include <thread>

#include "app/tests/capture/camera_info.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;
using Read = Source::Read;

// The hardware behind a FakePort; a test changes it while the source runs.
struct Hardware {
  std::vector<CameraInfo> plugged = {camera(0, "HD Webcam")};
  std::vector<std::pair<int, double>> orders;  // properties that were set, in order
  int opened = 0;
  std::string last_path;
  gpu::Size size{640, 480};  // of the pictures, whatever is requested
  bool takes_size = true;
  bool has_mjpg = true, mjpg_is_broken = false;
  double fps = 30;
  bool silent = false;  // grab() fails
  bool stale = false;   // grab() succeeds, but repeats the last picture
  int pictures = 0;
  bool is_plugged(const std::string& path) const {
    for (const auto& info : plugged)
      if (info.path == path) return true;
    return false;
  }
};

constexpr int mjpg = 'M' | 'J' << 8 | 'P' << 16 | 'G' << 24, yuyv = 'Y' | 'U' << 8 | 'Y' << 16 | 'V' << 24;

class FakePort : public CameraPort {
 public:
  explicit FakePort(Hardware& hardware) : hardware_(hardware) {}
  bool open(const std::string& path) override {
    hardware_.last_path = path;
    format_ = yuyv;
    size_ = hardware_.size;
    width_ = 0;
    return open_ = hardware_.is_plugged(path) && ++hardware_.opened;
  }
  void close() override { open_ = false; }
  bool set(int property, double value) override {
    hardware_.orders.emplace_back(property, value);
    if (property == cv::CAP_PROP_FOURCC && hardware_.has_mjpg) format_ = static_cast<int>(value);
    if (property == cv::CAP_PROP_FRAME_WIDTH) width_ = static_cast<int>(value);
    if (property == cv::CAP_PROP_FRAME_HEIGHT && hardware_.takes_size) size_ = {width_, static_cast<int>(value)};
    return true;
  }
  double get(int property) override {
    if (property == cv::CAP_PROP_FOURCC) return format_;
    if (property == cv::CAP_PROP_FPS) return hardware_.fps;
    if (property == cv::CAP_PROP_POS_MSEC) return stamp_;
    return 0;
  }
  bool grab() override {
    if (!open_ || hardware_.silent || !(hardware_.is_plugged(hardware_.last_path) || hardware_.stale)) return false;
    if (!hardware_.stale) stamp_ += 33;
    return true;
  }
  bool retrieve(cv::Mat& picture) override {
    if (format_ == mjpg && hardware_.mjpg_is_broken) return false;
    picture = cv::Mat(size_.height, size_.width, CV_8UC3, cv::Scalar::all(++hardware_.pictures % 256));
    return true;
  }

 private:
  Hardware& hardware_;
  bool open_ = false;
  int format_ = yuyv, width_ = 0;
  gpu::Size size_;
  double stamp_ = 1000;
};

constexpr CameraPatience hasty{.first_picture = 50ms, .hiccup = 1ms, .silence = 20ms, .between_attempts = 1ms};

std::unique_ptr<CameraSource> open_fake(Hardware& hardware, const Request& request = {.retry = true}) {
  return std::make_unique<CameraSource>(
      hardware.plugged.at(0), request, std::make_unique<FakePort>(hardware), [&hardware] { return hardware.plugged; },
      std::stop_token(), hasty);
}

// The next picture, after any number of waits; nullopt if it does not come.
std::optional<gpu::Size> next(CameraSource& source, Frame& frame) {
  for (int attempt = 0; attempt < 2000; ++attempt)
    if (source.read(frame, {}) == Read::frame) return frame.size;
  return {};
}

// What it says once it is lost.
std::string why_lost(CameraSource& source, Frame& frame) {
  auto read = Read::waiting;
  for (int attempt = 0; attempt < 2000 && read == Read::waiting; ++attempt) read = source.read(frame, {});
  EXPECT_EQ(read, Read::lost);
  return source.info().message;
}

TEST(CameraTest, RequestsMjpgFirstThenSizeThenRate) {
  Hardware hardware;
  const auto source = open_fake(hardware, {.size = {1280, 720}, .fps = 30});
  const std::vector<std::pair<int, double>> expected = {{cv::CAP_PROP_FOURCC, mjpg},
                                                        {cv::CAP_PROP_FRAME_WIDTH, 1280},
                                                        {cv::CAP_PROP_FRAME_HEIGHT, 720},
                                                        {cv::CAP_PROP_FPS, 30}};
  EXPECT_EQ(hardware.orders, expected);
  EXPECT_EQ(source->info().description, "camera 0 (HD Webcam), MJPG 1280x720, 30/s");
  EXPECT_EQ(source->info().message, "");
  EXPECT_TRUE(source->info().live);
}

TEST(CameraTest, ReportsTheActualFormatIfItDiffersFromTheRequest) {
  Hardware hardware;
  hardware.takes_size = false;
  hardware.fps = 15;
  const auto source = open_fake(hardware, {.size = {1920, 1080}, .fps = 60});
  EXPECT_EQ(source->info().size, (gpu::Size{640, 480}));
  EXPECT_EQ(source->info().message, "requested 1920x1080 at 60/s, camera 0 (HD Webcam) gives 640x480 at 15/s");
}

TEST(CameraTest, WithoutMjpgItsOwnFormatIsUsed) {
  Hardware hardware;
  hardware.has_mjpg = false;
  EXPECT_EQ(open_fake(hardware)->info().description, "camera 0 (HD Webcam), YUYV 640x480, 30/s");
}

TEST(CameraTest, MjpgThatCannotBeDecodedIsSwitchedOff) {
  Hardware hardware;
  hardware.mjpg_is_broken = true;
  const auto source = open_fake(hardware, {.size = {320, 240}});
  EXPECT_EQ(source->info().description, "camera 0 (HD Webcam), YUYV 320x240, 30/s");
  EXPECT_EQ(hardware.opened, 2);
}

TEST(CameraTest, ACameraThatSendsNoFramesIsRefusedAfterAWhile) {
  Hardware hardware;
  hardware.silent = true;
  try {
    open_fake(hardware);
    FAIL() << "opened";
  } catch (const SourceError& error) {
    EXPECT_EQ(std::string(error.what()),
              "camera 0 (HD Webcam) opened but sent no frames in 0.05 s; unplug it and plug it in again, or "
              "choose another");
  }
}

TEST(CameraTest, ACameraThatCannotBeOpenedIsRefused) {
  Hardware hardware;
  const CameraInfo gone = camera(3, "Gone");
  EXPECT_THROW(CameraSource(
                   gone, {}, std::make_unique<FakePort>(hardware), [&] { return hardware.plugged; }, {}, hasty),
               SourceError);
}

TEST(CameraTest, DeliversThePictureOfTheFirstCheckAndThenTheNextOnes) {
  Hardware hardware;
  const auto source = open_fake(hardware);
  Frame frame;
  for (int n = 1; n < 5; ++n) {
    ASSERT_EQ(source->read(frame, {}), Read::frame);
    EXPECT_EQ(frame.pixels.data()[0].g, n);
    EXPECT_NE(frame.captured, std::chrono::steady_clock::time_point{});
  }
}

TEST(CameraTest, ContinuesAfterItWasUnpluggedEvenUnderAnotherNumber) {
  Hardware hardware;
  const auto source = open_fake(hardware);
  Frame frame;
  ASSERT_TRUE(next(*source, frame));
  hardware.plugged.clear();
  EXPECT_EQ(why_lost(*source, frame), "lost camera 0 (HD Webcam): it was unplugged; trying again until it is plugged in");
  EXPECT_EQ(source->read(frame, {}), Read::lost);
  // Another camera takes the free number: it is not the one.
  hardware.plugged = {camera(0, "Other"), camera(4, "HD Webcam")};
  ASSERT_TRUE(next(*source, frame));
  EXPECT_EQ(hardware.last_path, "/dev/video4");
  EXPECT_EQ(source->info().message, "");
  EXPECT_EQ(source->info().description, "camera 4 (HD Webcam), MJPG 640x480, 30/s");
}

TEST(CameraTest, ALossThatNobodyWaitsOutDoesNotSayThatItIsTriedAgain) {
  Hardware hardware;
  const auto source = open_fake(hardware, {.retry = false});
  Frame frame;
  ASSERT_TRUE(next(*source, frame));
  hardware.plugged.clear();
  EXPECT_EQ(why_lost(*source, frame), "lost camera 0 (HD Webcam): it was unplugged; plug it in again");
}

TEST(CameraTest, OfTwoIdenticalCamerasTheOneAtTheSamePortIsReopened) {
  Hardware hardware;
  const auto source = open_fake(hardware);
  Frame frame;
  ASSERT_TRUE(next(*source, frame));
  hardware.plugged.clear();
  why_lost(*source, frame);
  hardware.plugged = {camera(2, "HD Webcam", "usb-9"), camera(3, "HD Webcam", "usb-1")};
  ASSERT_TRUE(next(*source, frame));
  EXPECT_EQ(hardware.last_path, "/dev/video3");
}

TEST(CameraTest, APictureThatRepeatsDoesNotCount) {
  Hardware hardware;
  const auto source = open_fake(hardware);
  Frame frame;
  ASSERT_TRUE(next(*source, frame));
  hardware.stale = true;  // with some drivers, reads succeed after the camera was unplugged
  hardware.plugged.clear();
  const int pictures = hardware.pictures;
  EXPECT_NE(why_lost(*source, frame).find("unplugged"), std::string::npos);
  EXPECT_EQ(hardware.pictures, pictures);
}

TEST(CameraTest, ACameraThatStopsSendingFramesIsReopened) {
  Hardware hardware;
  const auto source = open_fake(hardware);
  Frame frame;
  ASSERT_TRUE(next(*source, frame));
  hardware.silent = true;
  EXPECT_EQ(why_lost(*source, frame), "lost camera 0 (HD Webcam): it sends no frames; trying again");
  hardware.silent = false;
  ASSERT_TRUE(next(*source, frame));
  EXPECT_GE(hardware.opened, 2);
  EXPECT_EQ(source->info().message, "");
}

TEST(CameraTest, ANumberWithoutACameraIsRefusedAndNamed) {
  Capture capture({.source = "97"});
  EXPECT_EQ(capture.take(200ms), nullptr);
  const Status status = capture.status();
  EXPECT_EQ(status.phase, Status::Phase::failed);
  EXPECT_EQ(status.message.find("there is no camera 97 here; "), 0u) << status.message;
}

}  // namespace
}  // namespace app::capture
