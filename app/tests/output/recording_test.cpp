// A recording costs the loop only a copy per picture, however slow the encoder and the disk are.
#include "app/output/recorder.h"

#include <gtest/gtest.h>

#include <future>

#include <opencv2/videoio.hpp>

#include "app/support/files.h"
#include "app/tests/support/gate.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/cuda/error.h"
#include "gpu/execution/thread_pool.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr gpu::Size frame_size{64, 48};
constexpr std::size_t bytes = frame_size.pixels() * sizeof(gpu::Rgba);

class RecordingTest : public testing::Test {
 protected:
  // Pictures at 25 per second, each one gray level brighter than the previous one.
  void add(Recording& recording, int from, int to) {
    for (int i = from; i < to; ++i) {
      const auto gray = static_cast<std::uint8_t>(i * 5);
      std::ranges::fill(picture_.span(), gpu::Rgba{gray, gray, gray, 255});
      recording.add(context_, picture_.view(), i / 25.0);
    }
  }
  std::vector<int> levels() const {
    cv::VideoCapture video(path_.string(), cv::CAP_FFMPEG);
    std::vector<int> levels;
    for (cv::Mat frame; video.read(frame);) levels.push_back(static_cast<int>(cv::mean(frame)[0] + 0.5));
    return levels;
  }

  bool done(WriterThread& writer) { return writer.wait(20s) && finisher_.wait(20s); }

  TemporaryFolder folder_;
  WriterThread finisher_;
  std::filesystem::path path_ = folder_.path() / "video.mp4";
  gpu::ThreadPool pool_{1};
  gpu::Context context_ = gpu::Context::on_host(pool_, {});
  gpu::Image<gpu::Rgba> picture_{frame_size, gpu::Device::host};
};

TEST_F(RecordingTest, HoldsEveryPictureAsItWasWhenItWasAdded) {
  WriterThread writer;
  Recording recording(writer, finisher_, path_, frame_size, 25);
  add(recording, 0, 40);
  recording.stop();
  EXPECT_TRUE(recording.stopped());
  ASSERT_TRUE(done(writer));
  EXPECT_TRUE(recording.ended());
  EXPECT_EQ(recording.error(), "");
  EXPECT_EQ(recording.drops().all(), 0u);
  const auto found = levels();
  ASSERT_EQ(found.size(), 40u);
  for (int i = 0; i < 40; ++i) EXPECT_NEAR(found[static_cast<std::size_t>(i)], i * 5, 6) << "picture " << i;
}

// Another program may have chosen its name in the same second.
TEST_F(RecordingTest, ANewOneReplacesNoFile) {
  WriterThread writer;
  Recording recording(writer, finisher_, path_, frame_size, 25, {.is_new = true});
  add(recording, 0, 5);
  EXPECT_EQ(recording.target(), path_);
  write_file(path_, std::string_view("another's"));
  recording.stop();
  ASSERT_TRUE(done(writer));
  EXPECT_EQ(recording.error(), "");
  EXPECT_EQ(std::filesystem::file_size(path_), 9u);
  EXPECT_EQ(recording.target(), folder_.path() / "video-2.mp4");
  path_ = recording.target();
  EXPECT_EQ(levels().size(), 5u);
}

// Also when it stops: the encoder finishes in the background.
TEST_F(RecordingTest, ASlowWriterDelaysNoPictureAndDropsAreCounted) {
  Gate gate;
  WriterThread writer(10 * bytes);
  writer.add(gate.task());
  Recording recording(writer, finisher_, path_, frame_size, 25);
  const auto start = std::chrono::steady_clock::now();
  add(recording, 0, 25);
  recording.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  EXPECT_EQ(recording.drops().of(capture::DropReason::no_room), 15u);
  EXPECT_FALSE(recording.ended());
  gate.open();
  ASSERT_TRUE(done(writer));
  EXPECT_EQ(recording.error(), "");
  EXPECT_EQ(levels().size(), 10u);
}

// Pictures after a gap keep their time.
TEST_F(RecordingTest, DropsDoNotShiftLaterPictures) {
  Gate gate;
  WriterThread writer(bytes);
  Recording recording(writer, finisher_, path_, frame_size, 25);
  ASSERT_TRUE(done(writer));
  add(recording, 0, 1);
  ASSERT_TRUE(done(writer));
  writer.add(gate.task(), bytes);
  add(recording, 1, 10);
  gate.open();
  ASSERT_TRUE(done(writer));
  add(recording, 10, 11);
  recording.stop();
  ASSERT_TRUE(done(writer));
  EXPECT_EQ(recording.drops().of(capture::DropReason::no_room), 9u);
  EXPECT_EQ(levels().size(), 11u);
}

// As many as 2 % of them are not worth a line.
TEST_F(RecordingTest, PicturesThatComeTooSoonForItsRateAreSaid) {
  const struct {
    std::vector<double> positions;
    const char* note;
  } cases[] = {{{0.0, 0.01, 0.02, 0.1, 0.2}, "2 frames came faster than its 10/s, and are not in it"},
               {{0.0, 0.01, 0.1, 4.0}, "1 frame came faster than its 10/s, and is not in it"},
               {{0.0, 0.01, 0.1, 5.9}, ""}};  // one of 60
  for (const auto& [positions, note] : cases) {
    WriterThread writer;
    Recording recording(writer, finisher_, path_, frame_size, 10);
    for (const double position : positions) recording.add(context_, picture_.view(), position);
    recording.stop();
    ASSERT_TRUE(done(writer));
    EXPECT_EQ(recording.note(), note);
  }
}

TEST_F(RecordingTest, AFileThatCannotBeMadeIsReportedOnceAndItsPicturesAreSkipped) {
  WriterThread writer;
  Recording recording(writer, finisher_, folder_.path() / "none" / "video.mp4", frame_size, 25);
  add(recording, 0, 3);
  ASSERT_TRUE(done(writer));
  EXPECT_TRUE(recording.ended());
  EXPECT_NE(recording.error().find("No such file"), std::string::npos) << recording.error();
}

// Not that the encoder or the disk is slow.
TEST_F(RecordingTest, AnErrorOfTheGpuIsWhyAPictureIsDropped) {
  WriterThread writer;
  Recording recording(writer, finisher_, path_, frame_size, 25);
  add(recording, 0, 1);
  EXPECT_EQ(recording.drop_error(), "");
  PictureAnnotations lost([](bool) -> std::optional<PictureAnnotations::List> {
    gpu::check(cudaErrorIllegalAddress);
    return {};
  });
  recording.add(context_, picture_.view(), 0.04, lost);
  EXPECT_EQ(recording.drops().of(capture::DropReason::gpu_error), 1u);
  EXPECT_NE(recording.drop_error().find("cudaErrorIllegalAddress"), std::string::npos) << recording.drop_error();
}

TEST_F(RecordingTest, ARecordingThatWasNotStoppedStaysAsFarAsItCame) {
  WriterThread writer;
  {
    Recording recording(writer, finisher_, path_, frame_size, 25);
    add(recording, 0, 3);
  }
  ASSERT_TRUE(done(writer));
  EXPECT_FALSE(std::filesystem::exists(path_));
  path_ = folder_.path() / "video.partial.mp4";
  EXPECT_EQ(levels().size(), 3u);
}

// What waits for the encoder when it is stopped takes longest.
TEST_F(RecordingTest, HowMuchOfItIsFinishedCountsWhatWasNotEncodedYet) {
  Gate first, second, half;
  WriterThread writer;
  Recording recording(writer, finisher_, path_, frame_size, 25);
  EXPECT_EQ(recording.finished(), 0);
  writer.add(first.task());
  add(recording, 0, 10);
  writer.add([&half, wait = second.task()] {
    half.open();
    wait();
  });
  add(recording, 10, 19);
  recording.hold(0.8);
  recording.stop();
  EXPECT_EQ(recording.finished(), 0);
  first.open();
  half.wait();
  EXPECT_NEAR(recording.finished(), 0.5, 0.02);
  second.open();
  ASSERT_TRUE(done(writer));
  EXPECT_EQ(recording.finished(), 1);
}

// The second one is there while the first is being finished.
TEST_F(RecordingTest, TwoInQuickSuccessionAreBothWhole) {
  WriterThread writer;
  Recording first(writer, finisher_, path_, frame_size, 25);
  add(first, 0, 7);
  first.stop();
  Recording second(writer, finisher_, folder_.path() / "second.mp4", frame_size, 25);
  add(second, 10, 13);
  second.stop();
  ASSERT_TRUE(done(writer));
  EXPECT_EQ(first.error() + second.error(), "");
  EXPECT_EQ(first.finished(), 1);
  EXPECT_EQ(levels().size(), 7u);
  path_ = second.target();
  const auto found = levels();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0], 50, 6);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 2);
}

// To copy it takes as long as its disk needs.
TEST_F(RecordingTest, WhileOneIsFinishedAnotherIsEncodedAndFilesAreWritten) {
  Gate disk;
  WriterThread writer(4 * bytes);
  finisher_.add(disk.task());
  Recording first(writer, finisher_, path_, frame_size, 25);
  add(first, 0, 4);
  first.stop();
  Recording second(writer, finisher_, folder_.path() / "second.mp4", frame_size, 25);
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(writer.wait(20s));
    add(second, i, i + 1);
  }
  bool written = false;
  writer.add([&written] { written = true; });
  ASSERT_TRUE(writer.wait(20s));
  EXPECT_TRUE(written);
  EXPECT_FALSE(first.ended());
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(first.partial(), folder_.path() / "video.partial.mp4");
  EXPECT_EQ(second.drops().all(), 0u);
  second.stop();
  disk.open();
  ASSERT_TRUE(done(writer));
  EXPECT_TRUE(first.ended() && second.ended());
  EXPECT_EQ(first.error() + second.error(), "");
  EXPECT_EQ(levels().size(), 4u);
  path_ = second.target();
  EXPECT_EQ(levels().size(), 12u);
}

using namespace std::chrono_literals;

const VideoClock::Clock::time_point start{};

TEST(RecordingClockTest, FollowsTheSourceWhileItPlays) {
  VideoClock clock(true, 25);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 7}, 1, start), 0);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 7.5}, 1, start + 3s), 0.5);  // read late: the source's clock counts
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 8}, 0.5, start + 4s), 1.5);  // at half its speed
}

TEST(RecordingClockTest, CountsRealTimeWhereTheSourceJumpsOrStandsStill) {
  VideoClock clock(true, 25);
  clock.picture({1, 0, 7}, 1, start);
  EXPECT_DOUBLE_EQ(clock.picture({1, 1, 7.04}, 1, start + 2s), 2);  // sought
  EXPECT_DOUBLE_EQ(clock.picture({2, 1, 7.08}, 1, start + 3s), 3);  // another source
  EXPECT_DOUBLE_EQ(clock.picture({2, 1, 7.08}, 1, start + 4s), 4);  // the same picture with another effect
  EXPECT_DOUBLE_EQ(clock.hold(start + 10s), 10);
  EXPECT_DOUBLE_EQ(clock.hold(start + 12s), 12);
  EXPECT_DOUBLE_EQ(clock.picture({2, 1, 7.12}, 1, start + 12s), 12.04);  // it goes on
}

TEST(RecordingClockTest, PausesOfALiveSourceCountOnce) {
  VideoClock clock(true, 25);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 7, true}, 1, start), 0);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 17, true}, 1, start + 10s), 10);  // none came
  EXPECT_DOUBLE_EQ(clock.hold(start + 12s), 12);                          // the user paused it
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 20, true}, 1, start + 13s), 13);
  EXPECT_DOUBLE_EQ(clock.picture({1, 0, 20.5, true}, 1, start + 14s), 13.5);
}

TEST(RecordingClockTest, WithoutRealTimeAJumpTakesOnePicture) {
  VideoClock clock(false, 25);
  clock.picture({1, 0, 7}, 1, start);
  EXPECT_DOUBLE_EQ(clock.picture({1, 1, 3}, 1, start + 2s), 0.04);
  EXPECT_DOUBLE_EQ(clock.hold(start + 10s), 0.04);
}

// A jump of a file's clock is no pause of the video; a live source's may be as long as it likes.
TEST(RecordingClockTest, OnlyAShortStepForwardsIsTheSources) {
  struct Case {
    double step;
    bool live;
    double lasts;
  };
  for (const auto& [step, live, lasts] : {Case{5, false, 5},
                                          {5.01, false, 2},
                                          {5.01, true, 5.01},
                                          {100, true, 100},
                                          {-1, false, 2},
                                          {-1, true, 2},
                                          {0, false, 2}}) {
    VideoClock clock(true, 25);
    double expected = 0;
    clock.picture({1, 0, 7, live}, 1, start);
    auto now = start;
    double position = 7;
    for (int again = 0; again < 2; ++again) {  // measured from the picture before, not from the first
      expected += lasts;
      EXPECT_NEAR(clock.picture({1, 0, position += step, live}, 1, now += 2s), expected, 1e-9) << step << live << again;
    }
  }
}

}  // namespace

}  // namespace app
