// Seeking and stepping, exact to the picture: pictures are identified by their contents.
#include <gtest/gtest.h>

#include <atomic>

#include "app/capture/convert.h"
#include "app/capture/video.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/capture/numbered_video.h"
#include "app/tests/support/temporary_folder.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;

constexpr int count = 300;  // 12 seconds

class SeekTest : public testing::Test {
 protected:
  // The picture that the last seek or step asked for; -1 if none came.
  static int arrive(Capture& capture) {
    int number = -1;
    EXPECT_TRUE(eventually([&] {
      if (const Frame* frame = capture.take(10ms)) number = number_in(*frame);
      return !capture.seeking();
    }));
    return number;
  }
  static int go(Capture& capture, double seconds) {
    capture.seek(seconds);
    return arrive(capture);
  }
  static int step(Capture& capture, int pictures) {
    capture.step(pictures);
    return arrive(capture);
  }

  TemporaryFolder folder_;
  std::string plain_ = numbered_video(folder_.path(), count);
};

// Key frames far apart, pictures that refer to later ones, and both in several containers.
TEST_F(SeekTest, EveryPlaceIsReachedToThePicture) {
  const std::string far = "-c:v libx264 -preset ultrafast -g 1000 -keyint_min 1000 -sc_threshold 0 -bf 2 -pix_fmt yuv420p";
  for (const auto& path : {plain_, encoded(plain_, "far.mp4", far), encoded(plain_, "far.mkv", far),
                           encoded(plain_, "near.mp4", "-c:v mpeg4 -g 12 -bf 2 -q:v 2"),
                           encoded(plain_, "near.ts", "-c:v libx264 -preset ultrafast -g 25 -bf 2 -pix_fmt yuv420p")}) {
    SCOPED_TRACE(path);
    Capture capture({.source = path});
    ASSERT_NE(capture.take(20s), nullptr);
    EXPECT_EQ(capture.status().no_seek, "");
    capture.set_paused(true);
    for (const int number : {0, 1, 2, 17, 250, 249, 100, 298, 299, 3}) {
      EXPECT_EQ(go(capture, number / 25.0), number);
      EXPECT_EQ(go(capture, number / 25.0 + 0.03), number) << "between two pictures the earlier one is shown";
    }
    EXPECT_EQ(go(capture, 1e4), count - 1) << "beyond the end";
    EXPECT_EQ(go(capture, 5.2), 130);
    for (int number = 129; number > 95; --number) ASSERT_EQ(step(capture, -1), number);
    for (int number = 97; number < 120; ++number) ASSERT_EQ(step(capture, 1), number);
    EXPECT_EQ(step(capture, -7), 112);
    EXPECT_EQ(step(capture, 7), 119);
    EXPECT_EQ(go(capture, 0.04), 1);
    EXPECT_EQ(step(capture, -1), 0);
    EXPECT_EQ(step(capture, -1), 0) << "there is none before the first";
    EXPECT_EQ(step(capture, 1), 1);
    EXPECT_EQ(capture.take(50ms), nullptr) << "it is paused";
  }
}

TEST_F(SeekTest, ASourceStartsWhereItIsAskedTo) {
  for (const auto& [start, number] : {std::pair(0.0, 0), {5.2, 130}, {(count - 1) / 25.0, count - 1}}) {
    Capture capture({.source = plain_, .start = start});
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(number_in(*frame), number);
    EXPECT_EQ(frame->seek, 0u) << "the first pictures there are: none was left out";
    if (number + 1 == count) continue;
    frame = next_frame(capture);
    EXPECT_GT(number_in(*frame), number) << "from there it plays on";
  }
}

// A jump to the start of this file leads behind it, also where its first picture was not seen yet.
TEST_F(SeekTest, TheStartIsReachedFromAnyStart) {
  const auto path = encoded(plain_, "near.ts", "-c:v libx264 -preset ultrafast -g 25 -bf 2 -pix_fmt yuv420p");
  for (const double start : {0.04, 4.0}) {
    Capture capture({.source = path, .start = start});
    ASSERT_NE(capture.take(20s), nullptr);
    capture.set_paused(true);
    EXPECT_EQ(go(capture, 0), 0) << start;
    EXPECT_EQ(go(capture, 4), 100) << start;
    EXPECT_EQ(go(capture, 0), 0) << start;
  }
}

TEST_F(SeekTest, PicturesOfVaryingDurationAreFoundByTheirTimestamps) {
  // The video has the first 10 of each 50 pictures, and then every tenth one.
  const auto path = encoded(plain_, "varying.mkv",
                            "-vf \"select='lt(mod(n,50),10)+not(mod(n,10))'\" -vsync vfr -c:v libx264 -preset ultrafast "
                            "-g 1000 -bf 2 -pix_fmt yuv420p");
  const auto kept = [](int n) { return n % 50 < 10 || n % 10 == 0; };
  Capture capture({.source = path});
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  for (const int number : {0, 9, 12, 19, 20, 75, 104, 149, 151, 251, 3}) {
    int shown = number;
    while (!kept(shown)) --shown;
    EXPECT_EQ(go(capture, number / 25.0 + 0.01), shown);
  }
  EXPECT_EQ(go(capture, 6.41), 160);
  for (int number = 159; number > 40; --number)
    if (kept(number)) {
      ASSERT_EQ(step(capture, -1), number);
    }
}

TEST_F(SeekTest, AfterASeekNoPictureOfBeforeIsShown) {
  for (const bool max_speed : {true, false}) {
    Capture capture({.source = plain_, .max_speed = max_speed});
    ASSERT_NE(capture.take(20s), nullptr);
    std::this_thread::sleep_for(100ms);  // pictures wait to be taken
    capture.seek(6);
    std::vector<int> numbers;
    while (numbers.size() < 20) numbers.push_back(number_in(*next_frame(capture)));
    EXPECT_EQ(numbers.front(), 150);
    for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_GT(numbers[i], numbers[i - 1]);
  }
}

TEST_F(SeekTest, StepsWhileItPlaysAddUpFromThePictureThatWasTaken) {
  Capture capture({.source = plain_});
  for (const int steps : {-1, 1, -1, -2, -3}) {
    const int shown = number_in(*next_frame(capture)), reached = std::max(0, shown + steps);
    ASSERT_TRUE(eventually([&] { return capture.waiting(); }));  // the next one
    capture.set_paused(true);
    for (int i = 0; i < std::abs(steps); ++i) capture.step(steps > 0 ? 1 : -1);
    EXPECT_EQ(arrive(capture), reached);
    EXPECT_EQ(step(capture, 20), reached + 20);
    capture.set_paused(false);
  }
}

TEST_F(SeekTest, StepsThatFollowEachOtherFasterThanTheyAreDoneAddUp) {
  Capture capture({.source = plain_});
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  EXPECT_EQ(go(capture, 4), 100);
  for (int i = 0; i < 12; ++i) capture.step(-1);
  EXPECT_EQ(arrive(capture), 88);
  for (int i = 0; i < 20; ++i) {  // some of them before the one before has begun
    capture.step(2);
    capture.step(-2);
  }
  EXPECT_EQ(arrive(capture), 88) << "to and fro";
  capture.seek(2);
  capture.step(1);
  capture.step(1);
  EXPECT_EQ(arrive(capture), 52);
}

// Memory stays bounded, however many steps were collected.
TEST_F(SeekTest, FarBackFewPicturesAreKept) {
  VideoReader reader(plain_);
  ASSERT_TRUE(reader.open());
  Frame frame;
  const auto next = [&] {
    frame.resize({number_bits * number_square, 48}, false);
    auto picture = as_mat(frame);
    EXPECT_TRUE(reader.next(picture));
    return number_in(frame);
  };
  ASSERT_TRUE(reader.go_to(290 / 25.0));
  ASSERT_EQ(next(), 290);
  for (const auto& [steps, reached] : {std::pair{200, 90}, {3, 87}, {40, 47}, {100, 0}}) {
    ASSERT_TRUE(reader.go_back(reader.position(), steps));
    EXPECT_LE(reader.kept_pictures(), 26u) << steps;
    EXPECT_EQ(next(), reached);
  }
  EXPECT_EQ(next(), 1);
}

// A source that counts how often it is sent elsewhere, and takes its time.
class CountingSource : public FakeSource {
 public:
  CountingSource(std::atomic<int>& seeks, Script script) : FakeSource(seekable_info(), std::move(script)), seeks_(seeks) {}
  void seek(double, std::stop_token) override {
    rewind();
    ++seeks_;
    std::this_thread::sleep_for(20ms);
  }

 private:
  std::atomic<int>& seeks_;
};
SourceFactory counting(std::atomic<int>& seeks, Script script) {
  return [=, &seeks](const Request&, const Opening&) { return std::make_unique<CountingSource>(seeks, script); };
}

TEST_F(SeekTest, WhatIsAskedForDuringTheLastReadComesBeforeTheEnd) {
  std::atomic<int> seeks = 0, ends = 0;
  std::atomic<bool> reads_last = false, asked = false, goes_on = false;
  const auto wait_for = [](const auto& flag, const std::stop_token& stop) {
    while (!flag && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
  };
  const auto reads = [&](Frame& frame, std::uint64_t n, std::stop_token stop) {
    if (seeks > 0) wait_for(goes_on, stop);
    if (n == 0) return picture(frame, n);
    reads_last = true;
    if (seeks == 0) wait_for(asked, stop);
    ++ends;
    return Read::end;
  };
  JoinedCapture capture({.source = "file", .max_speed = true}, counting(seeks, reads));
  ASSERT_NE(capture.take(20s), nullptr);
  ASSERT_TRUE(eventually([&] { return reads_last.load(); }));
  capture.seek(0);
  asked = true;
  EXPECT_TRUE(eventually([&] { return seeks == 1; }));  // its picture does not come yet
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(capture.status().phase, Phase::playing);
  EXPECT_TRUE(capture.seeking());
  goes_on = true;
  EXPECT_NE(capture.take(20s), nullptr);
}

// A seek takes its time, and in a pause nothing is missed.
TEST_F(SeekTest, ASlowSeekIsNotReportedAsASourceWithoutFrames) {
  for (const bool paused : {true, false}) {
    std::atomic<int> seeks = 0;
    std::atomic<bool> goes_on = false;
    const auto reads = [&](Frame& frame, std::uint64_t n, std::stop_token stop) {
      while (seeks > 0 && !goes_on && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
      return picture(frame, n);
    };
    JoinedCapture capture({.source = "file"}, counting(seeks, reads), {.open = 10s, .picture = 1ms});
    ASSERT_NE(capture.take(20s), nullptr);
    capture.set_paused(paused);
    capture.seek(0);
    ASSERT_TRUE(eventually([&] { return seeks == 1; }));
    std::this_thread::sleep_for(5ms);  // longer than a source may be silent
    EXPECT_FALSE(capture.status().silent) << paused;
    EXPECT_EQ(capture.status().message, "") << paused;
    goes_on = true;
    EXPECT_NE(capture.take(20s), nullptr);
  }
}

// Nor is the way to where a source starts.
TEST_F(SeekTest, ASlowSeekToTheStartIsNotReportedAsASourceThatDoesNotAnswer) {
  std::atomic<int> seeks = 0;
  std::atomic<bool> goes_on = false;
  const auto reads = [&](Frame& frame, std::uint64_t n, std::stop_token stop) {
    while (!goes_on && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
    return picture(frame, n);
  };
  JoinedCapture capture({.source = "file", .start = 5}, counting(seeks, reads), {.open = 1ms, .picture = 1ms});
  ASSERT_TRUE(eventually([&] { return seeks == 1; }));
  std::this_thread::sleep_for(5ms);  // longer than it may take to open
  EXPECT_EQ(capture.status().phase, Phase::opening) << capture.status().message;
  goes_on = true;
  EXPECT_NE(capture.take(20s), nullptr);
  EXPECT_EQ(capture.status().phase, Phase::playing);
}

TEST_F(SeekTest, ADragDoesNotQueueUp) {
  std::atomic<int> seeks = 0;
  JoinedCapture capture({.source = "file"}, counting(seeks, pictures()));
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  for (int i = 0; i < 1000; ++i) capture.seek(i / 100.0);
  EXPECT_TRUE(eventually([&] {
    capture.take(1ms);
    return !capture.seeking();
  }));
  EXPECT_LT(seeks, 20);
}

TEST_F(SeekTest, AtTheEndItWaitsAndCanStartAgain) {
  Capture capture({.source = plain_, .max_speed = true});
  int last = -1;
  ASSERT_TRUE(eventually([&] {
    if (const Frame* frame = capture.take(1ms)) last = number_in(*frame);
    return capture.status().phase == Phase::ended && last == count - 1;
  }));
  capture.set_paused(true);
  capture.step(1);
  EXPECT_TRUE(eventually([&] { return !capture.seeking(); })) << "there is none after the last";
  EXPECT_EQ(capture.take(50ms), nullptr);
  EXPECT_EQ(step(capture, -1), count - 2);
  EXPECT_EQ(capture.status().phase, Phase::playing);
  capture.set_paused(false);
  EXPECT_EQ(go(capture, 0), 0);
  const Frame* next = next_frame(capture);
  EXPECT_EQ(number_in(*next), 1);
}

TEST_F(SeekTest, LoopingThatIsSwitchedOnAtTheEndStartsAgain) {
  Capture capture({.source = plain_, .max_speed = true});
  ASSERT_TRUE(eventually([&] {
    capture.take(1ms);
    return capture.status().phase == Phase::ended;
  }));
  while (capture.take(20ms)) continue;
  capture.set_playback({.loop = true, .max_speed = true});
  const Frame* frame = next_frame(capture);
  EXPECT_EQ(number_in(*frame), 0);
}

// Timed only in one direction: on a loaded machine it may be slow. The first picture may also be taken late.
TEST_F(SeekTest, AQuarterOfTheSpeedTakesFourTimesAsLong) {
  Capture capture({.source = plain_});
  capture.set_playback({.speed = 0.25});
  const Frame* frame = next_frame(capture);
  const auto start = std::chrono::steady_clock::now();
  const int first = number_in(*frame);
  while (number_in(*frame) < first + 10)
    if (const Frame* next = capture.take(100ms)) frame = next;
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1000ms);  // of 10 intervals of 160 ms; 400 ms at the usual speed
}

TEST_F(SeekTest, TheTestSceneGoesBothWays) {
  Capture capture({.source = "synthetic:64x48", .fps = 50});
  ASSERT_NE(capture.take(20s), nullptr);
  capture.set_paused(true);
  const auto position = [&] {
    double at = -1;
    EXPECT_TRUE(eventually([&] {
      if (const Frame* frame = capture.take(1ms)) at = frame->position;
      return !capture.seeking();
    }));
    return at;
  };
  capture.seek(100);
  EXPECT_DOUBLE_EQ(position(), 100);
  capture.step(-1);
  EXPECT_DOUBLE_EQ(position(), 99.98);
  capture.step(1);
  EXPECT_DOUBLE_EQ(position(), 100);
}

TEST_F(SeekTest, ALiveSourceSaysWhyItCannot) {
  JoinedCapture capture({}, fake(pictures(), live_info()));
  ASSERT_NE(capture.take(20s), nullptr);
  EXPECT_NE(capture.status().no_seek, "");
}

}  // namespace
}  // namespace app::capture
