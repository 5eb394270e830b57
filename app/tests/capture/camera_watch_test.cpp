// Cameras appear and disappear within a second, and no camera is opened while nothing changes.
#include "app/capture/camera_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "app/tests/capture/fake_source.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CameraWatchTest : public testing::Test {
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

TEST_F(CameraWatchTest, ACameraAppearsWithinASecondAfterItIsPluggedInAndDisappearsWhenUnplugged) {
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

TEST_F(CameraWatchTest, NoCameraIsOpenedWhileNothingChanges) {
  std::ofstream(dev_.path() / "video0");
  CameraWatch watch(lister(), dev_.path());
  ASSERT_TRUE(renewed(watch, 20s));
  while (renewed(watch, 200ms)) continue;
  const int before = listed_;
  std::ofstream(dev_.path() / "ttyUSB0");
  EXPECT_FALSE(renewed(watch, 4s));
  EXPECT_EQ(listed_, before);
}

TEST_F(CameraWatchTest, ACameraThatAnotherProgramReleasesIsCheckedAgain) {
  std::ofstream(dev_.path() / "video0");
  CameraWatch watch(lister(), dev_.path());
  ASSERT_TRUE(renewed(watch, 20s));
  while (renewed(watch, 200ms)) continue;
  std::ifstream(dev_.path() / "video0");
  EXPECT_TRUE(renewed(watch, 1s));
}

// Its end may have come after the listing looked at the camera.
TEST_F(CameraWatchTest, ACameraThatAnotherProgramReleasesDuringAListingIsCheckedAgain) {
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
TEST_F(CameraWatchTest, ACameraThatHangsBlocksNobody) {
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
