// The system starts no more threads: each one costs what it was for, at most, and the program goes on.
#include <gtest/gtest.h>
#include <pthread.h>

#include "app/capture/camera_list.h"
#include "app/capture/folder_reader.h"
#include "app/output/log_file.h"
#include "app/output/picture_files.h"
#include "app/session/session.h"
#include "app/support/threads.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

using namespace std::chrono_literals;

// During its lifetime every new thread asks for a stack that is larger than all memory.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_;
};

constexpr auto says =
    "the system starts no more threads (Resource temporarily unavailable); close other programs, or raise "
    "the limit (ulimit -u)";

TEST(WithoutThreadsTest, TheMessageIsOneLineWithACauseAndANextStep) {
  const NoMoreThreads none;
  EXPECT_EQ(gpu::test::refusal_of<std::runtime_error>([] { start_detached([] {}); }), says);
  EXPECT_EQ(gpu::test::refusal_of<std::runtime_error>([] { start_thread([](std::stop_token) {}); }), says);
  EXPECT_TRUE(wait_for_detached(0ms)) << "what did not start is not waited for";
}

TEST(WithoutThreadsTest, ASourceFails) {
  const NoMoreThreads none;
  capture::Capture capture({.source = "synthetic"});
  EXPECT_EQ(capture.status().phase, capture::Status::Phase::failed);
  EXPECT_EQ(capture.status().message, "'synthetic' could not be opened: " + std::string(says));
}

TEST(WithoutThreadsTest, TasksAreDoneByWhoeverBeginsThem) {
  const NoMoreThreads none;
  bool done = false;
  TaskThread tasks;
  tasks.begin([&] { done = true; });
  EXPECT_TRUE(done);
  EXPECT_TRUE(tasks.wait(0s));
  tasks.begin([] { throw std::runtime_error("wrong"); });
  EXPECT_THROW(tasks.wait(0s), std::runtime_error);
  WriterThread writer;
  writer.add([&] { done = false; });
  EXPECT_FALSE(done);
  EXPECT_TRUE(writer.try_add(1, [] { throw std::runtime_error("full"); }));
  EXPECT_TRUE(writer.wait(0s));
  EXPECT_EQ(writer.take_errors(), std::vector<std::string>{"full"});
}

TEST(WithoutThreadsTest, ALogIsRefusedWithTheCause) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "log.csv";
  const NoMoreThreads none;
  EXPECT_EQ(gpu::test::refusal_of<std::runtime_error>([&] { LogFile log(path, "a machine"); }),
            "cannot write " + path.string() + ": " + says);
}

TEST(WithoutThreadsTest, ListsStayEmpty) {
  const TemporaryFolder folder;
  const NoMoreThreads none;
  capture::CameraWatch watch([] { return std::vector<capture::CameraInfo>{}; }, folder.path());
  EXPECT_FALSE(watch.look());
  EXPECT_FALSE(watch.look());
  capture::FolderReader reader;
  reader.open(folder.path());
  ASSERT_TRUE(reader.look());
  EXPECT_EQ(reader.folder().problem, says);
}

TEST(WithoutThreadsTest, MemoryForPicturesIsMadeWhenItIsNeeded) {
  gpu::ThreadPool pool(1);  // starts none
  auto context = gpu::Context::on_host(pool, {});
  const gpu::Image<gpu::Rgba> picture({8, 8}, gpu::Device::host);
  const NoMoreThreads none;
  PictureCopies copies;
  copies.prepare(context, {8, 8}, 3);
  EXPECT_EQ(copies.unused(), 0u);
  EXPECT_EQ(copies.make(context, picture.view())->view().width, 8);
}

TEST(WithoutThreadsTest, ASessionGoesOn) {
  const TemporaryFolder folder;
  const auto picture = folder.path() / "picture.png";
  ShownSession session("synthetic:64x48");
  const NoMoreThreads none;
  session.act({Action::save_picture, picture});
  session.change({"source", "matrix:8x8"});
  EXPECT_TRUE(step_until(session, [&] { return said(session, says); }));
  EXPECT_EQ(session.settings().source, "synthetic:64x48");
  const auto pictures = session.pictures();
  EXPECT_TRUE(step_until(session, [&] { return session.pictures() > pictures + 2; }));
  while (!session.outputs().finish(10ms)) continue;
  EXPECT_TRUE(said(session, "Saved " + picture.string()));
}

}  // namespace
}  // namespace app
