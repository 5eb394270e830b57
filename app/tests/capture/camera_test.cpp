// The camera source with simulated hardware, for machines that have no camera; and the list of cameras.
#include "app/capture/camera.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <opencv2/videoio.hpp>
#include <string>
#include <thread>

#include "app/capture/camera_list.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app::capture {
namespace {

CameraInfo camera(int number, const std::string& name, const std::string& bus = "usb-1", bool available = true) {
  CameraInfo info;
  info.number = number;
  info.path = "/dev/video" + std::to_string(number);
  info.name = name;
  info.bus = bus;
  info.available = available;
  return info;
}

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
  bool deep = false;    // its only format is Y16, of which it gives the bytes
  bool cut = false;     // a part of a picture of it comes
  bool silent = false;  // grab() fails
  bool stale = false;   // grab() succeeds, but repeats the last picture
  int pictures = 0;
  bool is_plugged(const std::string& path) const {
    for (const auto& info : plugged)
      if (info.path == path) return true;
    return false;
  }
};

constexpr int y16 = 'Y' | '1' << 8 | '6' << 16 | ' ' << 24;
constexpr int mjpg = 'M' | 'J' << 8 | 'P' << 16 | 'G' << 24, yuyv = 'Y' | 'U' << 8 | 'Y' << 16 | 'V' << 24;

class FakePort : public CameraPort {
 public:
  explicit FakePort(Hardware& hardware) : hardware_(hardware) {}
  bool open(const std::string& path) override {
    hardware_.last_path = path;
    format_ = hardware_.deep ? y16 : yuyv;
    converts_ = true;
    size_ = hardware_.size;
    width_ = 0;
    return open_ = hardware_.is_plugged(path) && ++hardware_.opened;
  }
  void close() override { open_ = false; }
  bool set(int property, double value) override {
    hardware_.orders.emplace_back(property, value);
    if (property == cv::CAP_PROP_CONVERT_RGB) converts_ = value != 0;
    if (property == cv::CAP_PROP_FOURCC && hardware_.has_mjpg && !hardware_.deep) format_ = static_cast<int>(value);
    if (property == cv::CAP_PROP_FRAME_WIDTH) width_ = static_cast<int>(value);
    if (property == cv::CAP_PROP_FRAME_HEIGHT && hardware_.takes_size) size_ = {width_, static_cast<int>(value)};
    return true;
  }
  double get(int property) override {
    if (property == cv::CAP_PROP_FOURCC) return format_;
    if (property == cv::CAP_PROP_FRAME_WIDTH) return size_.width;
    if (property == cv::CAP_PROP_FRAME_HEIGHT) return size_.height;
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
    if (!converts_) {
      picture = cv::Mat(1, size_.width * size_.height * 2 - (hardware_.cut ? 2 : 0), CV_8UC1, cv::Scalar::all(0));
      for (int i = 0; i < picture.cols / 2; ++i) picture.at<std::uint16_t>(0, i) = static_cast<std::uint16_t>(i + 500);
      return true;
    }
    picture = cv::Mat(size_.height, size_.width, CV_8UC3, cv::Scalar::all(++hardware_.pictures % 256));
    return true;
  }

 private:
  Hardware& hardware_;
  bool open_ = false, converts_ = true;
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

// A camera that has sent a frame.
struct Playing {
  explicit Playing(const Request& request = {.retry = true}) : source(open_fake(hardware, request)) {
    EXPECT_TRUE(next(*source, frame));
  }
  Hardware hardware;
  Frame frame;
  std::unique_ptr<CameraSource> source;
};

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

// OpenCV's conversion would leave the upper 8 bits, which are shown where a driver's bytes are not those of the pixels.
TEST(CameraTest, OneOf16BitsDeliversItsValuesOrItsUpperEightWhereTheyCannotBeRead) {
  for (const bool cut : {false, true}) {
    Hardware hardware;
    hardware.deep = true;
    hardware.cut = cut;
    hardware.size = {20, 10};
    const auto source = open_fake(hardware);
    EXPECT_EQ(source->info().description,
              std::string("camera 0 (HD Webcam), Y16 20x10, 30/s") + (cut ? "" : ", 16-bit gray"));
    Frame frame;
    for (int turn = 0; turn < 2; ++turn) {
      ASSERT_EQ(next(*source, frame), (gpu::Size{20, 10}));
      ASSERT_EQ(frame.values.channels, cut ? 0 : 1);
      for (int i = 0; i < 200 && !cut; ++i) ASSERT_EQ(frame.values.numbers.data()[i], i + 500);
      EXPECT_TRUE(!cut || frame.pixels.data()[0].g == hardware.pictures);
    }
    if (cut) continue;
    hardware.cut = true;
    EXPECT_EQ(why_lost(*source, frame), "lost camera 0 (HD Webcam): it sends no frames; trying again");
  }
}

TEST(CameraTest, WithoutMjpgOrWhereItCannotBeDecodedItsOwnFormatIsUsed) {
  Hardware without, broken;
  without.has_mjpg = false;
  broken.mjpg_is_broken = true;
  EXPECT_EQ(open_fake(without)->info().description, "camera 0 (HD Webcam), YUYV 640x480, 30/s");
  EXPECT_EQ(open_fake(broken, {.size = {320, 240}})->info().description, "camera 0 (HD Webcam), YUYV 320x240, 30/s");
  EXPECT_EQ(broken.opened, 2);
}

TEST(CameraTest, ACameraThatCannotBeOpenedOrSendsNoFramesIsRefused) {
  Hardware hardware;
  hardware.silent = true;
  EXPECT_EQ(gpu::test::refusal_of<SourceError>([&] { open_fake(hardware); }),
            "camera 0 (HD Webcam) opened but sent no frames in 0.05 s; unplug it and plug it in again, or choose another");
  EXPECT_THROW(CameraSource(
                   camera(3, "Gone"), {}, std::make_unique<FakePort>(hardware), [&] { return hardware.plugged; }, {}, hasty),
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
  Playing playing;
  auto& [hardware, frame, source] = playing;
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
  Playing playing({.retry = false});
  auto& [hardware, frame, source] = playing;
  hardware.plugged.clear();
  EXPECT_EQ(why_lost(*source, frame), "lost camera 0 (HD Webcam): it was unplugged; plug it in again");
}

TEST(CameraTest, OfTwoIdenticalCamerasTheOneAtTheSamePortIsReopened) {
  Playing playing;
  auto& [hardware, frame, source] = playing;
  hardware.plugged.clear();
  why_lost(*source, frame);
  hardware.plugged = {camera(2, "HD Webcam", "usb-9"), camera(3, "HD Webcam", "usb-1")};
  ASSERT_TRUE(next(*source, frame));
  EXPECT_EQ(hardware.last_path, "/dev/video3");
}

TEST(CameraTest, APictureThatRepeatsDoesNotCount) {
  Playing playing;
  auto& [hardware, frame, source] = playing;
  hardware.stale = true;  // with some drivers, reads succeed after the camera was unplugged
  hardware.plugged.clear();
  const int pictures = hardware.pictures;
  EXPECT_NE(why_lost(*source, frame).find("unplugged"), std::string::npos);
  EXPECT_EQ(hardware.pictures, pictures);
}

TEST(CameraTest, ACameraThatStopsSendingFramesIsReopened) {
  Playing playing;
  auto& [hardware, frame, source] = playing;
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

// The list of cameras, read from a folder in place of /sys.
namespace fs = std::filesystem;

TEST(CameraListTest, ReadsNamesAndNumbersAndWhyANodeIsNotACamera) {
  const TemporaryFolder folder;
  for (const auto& [node, name] : {std::pair{"video10", "Capture card\n"},
                                   {"video2", "HD Webcam: HD Webcam\n"},
                                   {"v4l-subdev0", "sensor\n"},
                                   {"radio0", "Radio\n"}}) {
    fs::create_directories(folder.path() / "sys" / node);
    std::ofstream(folder.path() / "sys" / node / "name") << name;
  }
  fs::create_directories(folder.path() / "dev");
  std::ofstream(folder.path() / "dev" / "video2") << "a file, not a device";
  const auto cameras = list_cameras(folder.path() / "sys", folder.path() / "dev");
  ASSERT_EQ(cameras.size(), 2u);
  EXPECT_EQ(cameras[0].number, 2);
  EXPECT_EQ(cameras[0].name, "HD Webcam: HD Webcam");
  EXPECT_FALSE(cameras[0].available);
  EXPECT_EQ(cameras[0].reason, "not a video4linux device; choose another");
  EXPECT_EQ(cameras[1].number, 10);
  EXPECT_EQ(cameras[1].reason, "unplugged; plug it in again");  // listed, but its node is gone
}

TEST(CameraListTest, ExplainsHowToGetPermission) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "sys/video0");
  fs::create_directories(folder.path() / "dev");
  const fs::path node = folder.path() / "dev/video0";
  std::ofstream(node) << "x";
  fs::permissions(node, fs::perms::none);
  const WithoutRoot user;
  const auto cameras = list_cameras(folder.path() / "sys", folder.path() / "dev");
  ASSERT_EQ(cameras.size(), 1u);
  EXPECT_NE(cameras[0].reason.find("no permission"), std::string::npos) << cameras[0].reason;
  EXPECT_NE(cameras[0].reason.find("usermod -aG video"), std::string::npos);
}

TEST(CameraListTest, IsEmptyWithoutVideo4linux) { EXPECT_TRUE(list_cameras("/nonexistent", "/dev").empty()); }

TEST(CameraListFindTest, ByNumberPathNameAndPartOfAName) {
  const std::vector cameras = {camera(0, "HD Webcam: HD Webcam", "usb-1"), camera(1, "HD Webcam: HD Webcam", "usb-1", false),
                               camera(2, "Elgato Cam Link", "usb-2"), camera(12, "IR Sensor", "usb-3")};
  const std::pair<const char*, int> table[] = {{"0", 0},
                                               {"1", 1},
                                               {"12", 12},
                                               {"3", -1},
                                               {"/dev/video2", 2},
                                               {"/dev/video7", -1},
                                               {"elgato cam link", 2},
                                               {"ELGATO", 2},
                                               {"HD Webcam", 0},  // the metadata node of the same camera is skipped
                                               {"e", -1},
                                               {"", -1},
                                               {"99999999999999999999", -1}};  // matches several
  for (const auto& [source, number] : table) {
    const auto found = find_camera(source, cameras);
    EXPECT_EQ(found ? found->number : -1, number) << source;
  }
  // The one that plays looks busy; so do all of its nodes.
  const auto in_use = find_camera("HD Webcam",
                                  {camera(0, "HD Webcam", "usb-1", false), camera(1, "HD Webcam", "usb-1", false)});
  ASSERT_TRUE(in_use);
  EXPECT_EQ(in_use->number, 0);
}

TEST(CameraListFindTest, FollowsLinks) {
  const TemporaryFolder folder;
  const fs::path node = folder.path() / "video5", link = folder.path() / "by-id";
  std::ofstream(node) << "x";
  fs::create_symlink(node, link);
  CameraInfo info = camera(5, "Webcam");
  info.path = fs::canonical(node).string();
  EXPECT_TRUE(find_camera(link.string(), {info}));
}

TEST(CameraListModesTest, ThereIsOneForEachSizeTheLargestFirst) {
  EXPECT_DOUBLE_EQ(rate_of(1, 30), 30);
  EXPECT_DOUBLE_EQ(rate_of(1001, 30000), 29.97);
  EXPECT_EQ(rate_of(0, 1), 0);
  const auto modes = by_size({{"YUYV", {640, 480}, {30, 15}},
                              {"YUYV", {1280, 720}, {10}},
                              {"MJPG", {640, 480}, {30, 15}},
                              {"MJPG", {1280, 720}, {30}},
                              {"YUYV", {320, 240}, {}}});
  EXPECT_EQ(modes, (std::vector<CameraMode>{
                       {"MJPG", {1280, 720}, {30}}, {"MJPG", {640, 480}, {30, 15}}, {"YUYV", {320, 240}, {}}}));
}

// Cameras appear and disappear within a second, and no camera is opened while nothing changes.
class CameraListWatchTest : public testing::Test {
 protected:
  // As in the program: checked once per frame.
  bool renewed(CameraWatch& watch, std::chrono::milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    while (std::chrono::steady_clock::now() < end) {
      if (watch.look()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  // The first listing, and those after it until nothing has changed for a while: a node is created, then gets its permissions.
  void settle(CameraWatch& watch, std::chrono::milliseconds within = 20s) {
    EXPECT_TRUE(renewed(watch, within));
    while (renewed(watch, 200ms)) continue;
  }
  CameraWatch::Lister lister() {
    return [this] {
      ++listed_;
      std::vector<CameraInfo> cameras;
      for (const auto& entry : fs::directory_iterator(dev_.path()))
        if (entry.path().filename().string().starts_with("video")) {
          std::ifstream opened(entry.path());
          cameras.emplace_back().path = entry.path().string();
        }
      return cameras;
    };
  }

  TemporaryFolder dev_;
  std::atomic<int> listed_ = 0;
  WaitForThreads wait_;  // last: the lister uses the members above
};

TEST_F(CameraListWatchTest, ACameraAppearsWithinASecondAfterItIsPluggedInAndDisappearsWhenUnplugged) {
  CameraWatch watch(lister(), dev_.path());
  ASSERT_TRUE(renewed(watch, 20s));
  EXPECT_TRUE(watch.cameras().empty());
  std::ofstream(dev_.path() / "video7");
  settle(watch, 1s);
  ASSERT_EQ(watch.cameras().size(), 1u);
  EXPECT_EQ(watch.cameras()[0].path, (dev_.path() / "video7").string());
  fs::remove(dev_.path() / "video7");
  settle(watch, 1s);
  EXPECT_TRUE(watch.cameras().empty());
}

TEST_F(CameraListWatchTest, NoCameraIsOpenedWhileNothingChanges) {
  std::ofstream(dev_.path() / "video0");
  CameraWatch watch(lister(), dev_.path());
  settle(watch);
  const int before = listed_;
  std::ofstream(dev_.path() / "ttyUSB0");
  EXPECT_FALSE(renewed(watch, 4s));
  EXPECT_EQ(listed_, before);
}

TEST_F(CameraListWatchTest, ACameraThatAnotherProgramReleasesIsCheckedAgain) {
  std::ofstream(dev_.path() / "video0");
  CameraWatch watch(lister(), dev_.path());
  settle(watch);
  std::ifstream(dev_.path() / "video0");
  EXPECT_TRUE(renewed(watch, 1s));
}

// Its end may have come after the listing looked at the camera.
TEST_F(CameraListWatchTest, ACameraThatAnotherProgramReleasesDuringAListingIsCheckedAgain) {
  const auto node = dev_.path() / "video0";
  std::ofstream user(node);
  std::atomic<int> wanted = 0;  // how many listings may end
  CameraWatch watch(
      [this, &wanted, list = lister()] {
        auto cameras = list();
        while (listed_ > wanted) std::this_thread::sleep_for(1ms);
        return cameras;
      },
      dev_.path());
  wanted = 2;
  ASSERT_TRUE(renewed(watch, 20s));
  ASSERT_TRUE(renewed(watch, 20s)) << "what happened before it was watched is not known";
  while (renewed(watch, 200ms)) continue;
  const int before = listed_;
  EXPECT_LE(before, 2);
  wanted = before;
  std::ifstream{node};  // the next listing begins
  ASSERT_TRUE(eventually([&] { return !watch.look() && listed_ == before + 1; }));
  user.close();
  wanted = before + 2;
  EXPECT_TRUE(eventually([&] { return !watch.look() && listed_ == before + 2; }));
}

// std::async's future would wait for the listing.
TEST_F(CameraListWatchTest, ACameraThatHangsBlocksNobody) {
  std::promise<void> gate;
  const auto start = std::chrono::steady_clock::now();
  {
    CameraWatch watch(
        [opened = gate.get_future().share()] {
          opened.wait_for(20s);
          return std::vector<CameraInfo>{};
        },
        dev_.path());
    EXPECT_FALSE(renewed(watch, 50ms));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  gate.set_value();
}

TEST(CameraTest, OneWhosePicturesAreLargerThanTheBudgetIsRefusedAtOnceAndLater) {
  constexpr std::uint64_t needed = 3 * 3 * 640 * 480;
  Hardware hardware;
  const auto why = gpu::test::refusal_of<SourceError>([&] { open_fake(hardware, {.retry = true, .memory = needed - 1}); });
  EXPECT_TRUE(why.starts_with("camera 0 (HD Webcam) is 640x480: reading it takes 3 MB of memory, and the budget is "))
      << why;
  const auto source = open_fake(hardware, {.retry = true, .memory = needed});
  Frame frame;
  ASSERT_EQ(next(*source, frame), (gpu::Size{640, 480}));
  hardware.size = {1280, 720};
  hardware.plugged.clear();  // and it comes back
  while (source->read(frame, {}) != Read::lost) continue;
  hardware.plugged = {camera(0, "HD Webcam")};
  const auto later = gpu::test::refusal_of<SourceError>([&] {
    while (source->read(frame, {}) != Read::frame) continue;
  });
  EXPECT_TRUE(later.starts_with("camera 0 (HD Webcam) is 1280x720: ")) << later;
  EXPECT_LE(frame.pixels.size(), gpu::Size(640, 480).pixels()) << "it was not stored";
}

}  // namespace
}  // namespace app::capture
