// A video that grows is on its disk every few seconds.
#include "app/output/video_file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "app/output/video_encoder.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/image.h"

namespace app {
namespace {

struct Syncs {
  std::atomic<int> count = 0;
  std::atomic<ino_t> file = 0;          // of the last one
  std::atomic<std::thread::id> thread;  // likewise
};
Syncs* syncs = nullptr;

}  // namespace
}  // namespace app

// The system's, counted.
extern "C" int fdatasync(int descriptor) {
  if (auto* const counted = app::syncs) {
    struct stat status {};
    if (::fstat(descriptor, &status) == 0) counted->file = status.st_ino;
    counted->thread = std::this_thread::get_id();
    ++counted->count;
  }
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

namespace app {
namespace {

// How often a video of 4 seconds is synced before its end.
void record(const std::filesystem::path& target, std::chrono::milliseconds between_syncs) {
  VideoEncoder encoder({64, 48}, 25);
  const gpu::Image<gpu::Rgba> picture({64, 48}, gpu::Device::host);
  VideoFile file(target, encoder.codec(), between_syncs);
  for (int i = 0; i < 100; ++i)
    encoder.encode(encoder.frame(picture.view()).get(), i, [&](AVPacket& packet) { file.write(packet); });
}

TEST(VideoFileTest, ItIsSyncedWhileItGrowsOnAThreadThatEncodesNothing) {
  const TemporaryFolder folder;
  for (const auto* name : {"one.mp4", "two.mp4"}) {
    Syncs counted;
    syncs = &counted;
    record(folder.path() / name, std::chrono::milliseconds(0));
    syncs = nullptr;
    EXPECT_GT(counted.count, 0);
    EXPECT_LE(counted.count, 17) << "no more often than it grows";
    EXPECT_NE(counted.thread.load(), std::this_thread::get_id());
    struct stat status {};
    ASSERT_EQ(::stat((folder.path() / name).replace_extension(".partial.mp4").c_str(), &status), 0);
    EXPECT_EQ(counted.file, status.st_ino);
  }
}

TEST(VideoFileTest, NotBeforeItIsTime) {
  const TemporaryFolder folder;
  Syncs counted;
  syncs = &counted;
  record(folder.path() / "video.mp4", std::chrono::hours(1));
  syncs = nullptr;
  EXPECT_EQ(counted.count, 0);
}

}  // namespace
}  // namespace app
