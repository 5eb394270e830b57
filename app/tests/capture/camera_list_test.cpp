// The list of cameras, read from a folder in place of /sys.
#include "app/capture/camera_list.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/tests/capture/camera_info.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

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
  const auto number = [&](const std::string& source) {
    const auto found = find_camera(source, cameras);
    return found ? found->number : -1;
  };
  EXPECT_EQ(number("0"), 0);
  EXPECT_EQ(number("1"), 1);
  EXPECT_EQ(number("12"), 12);
  EXPECT_EQ(number("3"), -1);
  EXPECT_EQ(number("/dev/video2"), 2);
  EXPECT_EQ(number("/dev/video7"), -1);
  EXPECT_EQ(number("elgato cam link"), 2);
  EXPECT_EQ(number("ELGATO"), 2);
  EXPECT_EQ(number("HD Webcam"), 0);  // the metadata node of the same camera is skipped
  EXPECT_EQ(number("e"), -1);         // matches several
  EXPECT_EQ(number(""), -1);
  EXPECT_EQ(number("99999999999999999999"), -1);
}

// The one that plays looks busy; so do all of its nodes.
TEST(CameraListFindTest, OneThatIsInUseIsFoundByItsName) {
  const std::vector cameras = {camera(0, "HD Webcam", "usb-1", false), camera(1, "HD Webcam", "usb-1", false)};
  const auto found = find_camera("HD Webcam", cameras);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 0);
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

namespace fs = std::filesystem;
using namespace std::chrono_literals;

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
  ASSERT_TRUE(renewed(watch, 1s));
  ASSERT_EQ(watch.cameras().size(), 1u);
  EXPECT_EQ(watch.cameras()[0].path, (dev_.path() / "video7").string());
  while (renewed(watch, 200ms)) continue;  // its node is created, then gets its permissions
  fs::remove(dev_.path() / "video7");
  ASSERT_TRUE(renewed(watch, 1s));
  while (renewed(watch, 200ms)) continue;
  EXPECT_TRUE(watch.cameras().empty());
}

TEST_F(CameraListWatchTest, NoCameraIsOpenedWhileNothingChanges) {
  std::ofstream(dev_.path() / "video0");
  CameraWatch watch(lister(), dev_.path());
  ASSERT_TRUE(renewed(watch, 20s));
  while (renewed(watch, 200ms)) continue;
  const int before = listed_;
  std::ofstream(dev_.path() / "ttyUSB0");
  EXPECT_FALSE(renewed(watch, 4s));
  EXPECT_EQ(listed_, before);
}

TEST_F(CameraListWatchTest, ACameraThatAnotherProgramReleasesIsCheckedAgain) {
  std::ofstream(dev_.path() / "video0");
  CameraWatch watch(lister(), dev_.path());
  ASSERT_TRUE(renewed(watch, 20s));
  while (renewed(watch, 200ms)) continue;
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

}  // namespace

}  // namespace app::capture
