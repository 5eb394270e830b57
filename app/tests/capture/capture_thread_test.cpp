// The rate of live sources, by the times at which their pictures come.
#include "app/capture/capture_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "app/tests/capture/fake_source.h"

namespace app::capture {
namespace {

using namespace std::chrono_literals;
using Clock = ArrivalRate::Clock;

// `count` pictures at this distance; returns the time of the last.
Clock::time_point arrive(ArrivalRate& rate, Clock::time_point first, std::chrono::milliseconds distance, int count) {
  for (int i = 0; i < count; ++i) rate.add(first + i * distance);
  return first + (count - 1) * distance;
}

TEST(CaptureThreadTest, ItIsKnownAfterTwoSecondsAndPicturesThatWaitedForTheOpeningDoNotCount) {
  const Clock::time_point start = Clock::time_point() + 1h;
  ArrivalRate rate, late;
  arrive(rate, start, 100ms, 20);
  EXPECT_EQ(rate.per_second(), 0) << "1.9 s";
  arrive(rate, start + 2s, 100ms, 2);
  EXPECT_EQ(rate.per_second(), 10);
  arrive(late, start, 1ms, 500);
  arrive(late, start + 600ms, 40ms, 60);
  EXPECT_EQ(late.per_second(), 25);
}

TEST(CaptureThreadTest, ItFollowsTheSourceAndDoesNotFlicker) {
  ArrivalRate rate;
  auto last = arrive(rate, Clock::time_point() + 1h, 40ms, 100);
  EXPECT_EQ(rate.per_second(), 25);
  last = arrive(rate, last + 41ms, 41ms, 50);  // 24.4 for 2 of 4 s
  EXPECT_EQ(rate.per_second(), 25);
  arrive(rate, last + 100ms, 100ms, 60);
  EXPECT_NEAR(rate.per_second(), 10, 0.3);
}

TEST(CaptureThreadTest, SlowSourcesHaveOneAndASilenceBeginsAnew) {
  ArrivalRate rate;
  const auto last = arrive(rate, Clock::time_point() + 1h, 4000ms, 6);
  EXPECT_EQ(rate.per_second(), 0.3);
  rate.add(last + 1min);
  EXPECT_EQ(rate.per_second(), 0);
}

TEST(CaptureThreadTest, AfterASilenceARateIsThatOfAFreshOne) {
  ArrivalRate rate;
  auto start = Clock::time_point() + 1h;
  for (const auto distance : {40ms, 100ms, 10ms}) {
    start += 1h;
    ArrivalRate fresh;
    for (int i = 0; i < 400; ++i) {
      rate.add(start + i * distance);
      fresh.add(start + i * distance);
      ASSERT_EQ(rate.per_second(), fresh.per_second()) << i;
    }
  }
}

// A pause, another speed, another pass: from there on it is due as in a fresh one.
TEST(CaptureThreadTest, APaceThatForgotIsAFreshOne) {
  auto now = Clock::time_point() + 1h;
  Pace pace;
  for (const double speed : {1.0, 4.0, 0.5}) {
    for (const double position : {0.0, 0.5, 0.1}) pace.due(position, now);
    pace.next_pass(0.04);
    now += 10s;
    Pace fresh;
    pace.forget();
    for (auto* one : {&pace, &fresh}) one->set_speed(speed);
    for (const double position : {7.0, 7.04, 7.08, 0.0, 0.04}) {
      if (position == 0) {
        for (auto* one : {&pace, &fresh}) one->next_pass(0.04);
      }
      ASSERT_EQ(pace.due(position, now), fresh.due(position, now)) << speed << ' ' << position;
      now += 10ms;
    }
  }
}

TEST(CaptureThreadTest, ALiveSourceIsMeasuredWhateverItStates) {
  const auto start = Clock::now() - 1h;
  std::atomic<bool> lost = false;
  const auto reads = [&](Frame& frame, std::uint64_t n, std::stop_token) {
    if (lost) return std::this_thread::sleep_for(1ms), Read::lost;
    frame.captured = start + static_cast<int>(n) * 100ms;
    return picture(frame, n);
  };
  JoinedCapture capture({.retry = true}, fake(reads, live_info()));
  EXPECT_TRUE(eventually([&] { return capture.status().measured_fps == 10; }));
  auto status = capture.status();
  EXPECT_TRUE(status.live);
  EXPECT_EQ(status.fps, 1000);
  EXPECT_EQ(status.rate(), 10);
  lost = true;
  EXPECT_TRUE(eventually([&] { return capture.status().measured_fps == 0; }));
}

// At its own rate, too; whoever takes its pictures is late for each.
TEST(CaptureThreadTest, OfAFileThatIsLosslessNoPictureIsReplaced) {
  constexpr std::uint64_t count = 50;
  std::atomic<std::uint64_t> reads = 0;
  const auto noted = [&, script = pictures(count)](Frame& frame, std::uint64_t n, std::stop_token stop) {
    reads = n + 1;
    return script(frame, n, stop);
  };
  JoinedCapture capture({.source = "file", .lossless = true}, fake(noted, file_info()));
  for (std::uint64_t n = 0; n < count; ++n) {
    ASSERT_TRUE(eventually([&] { return reads > n + 1; }));
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->pixels.data()[0].b, n);
  }
  EXPECT_EQ(capture.status().dropped, 0u);
}

TEST(CaptureThreadTest, AFileHasTheRateThatItStates) {
  JoinedCapture capture({.source = "file", .max_speed = true}, fake(pictures(), file_info()));
  for (int i = 0; i < 50; ++i) ASSERT_NE(capture.take(20s), nullptr);
  EXPECT_FALSE(capture.status().live);
  EXPECT_EQ(capture.status().rate(), 1000);
}

// A frame's memory is used again, and so is that of one that had a time of its own.
TEST(CaptureThreadTest, APictureWithoutATimeOfItsOwnCameWhenItWasRead) {
  const auto start = Clock::now(), long_ago = start - 1h;
  std::atomic<bool> has_times = true;
  const auto reads = [&](Frame& frame, std::uint64_t n, std::stop_token) {
    std::this_thread::sleep_for(1ms);
    if (has_times) frame.captured = long_ago;
    return picture(frame, n);
  };
  JoinedCapture capture({}, fake(reads, live_info()));
  std::uint64_t last = 0;
  for (int i = 0; i < 10; ++i) {  // all of the memory
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->captured, long_ago);
    last = frame->sequence;
  }
  has_times = false;
  for (const auto from = last + 3; last < from + 10;) {  // those under way
    const Frame* frame = next_frame(capture);
    last = frame->sequence;
    if (last > from) {
      EXPECT_GE(frame->captured, start);
    }
  }
}

// A video of many hours, 25 pictures per second.
class LongVideo : public Source {
 public:
  Read read(Frame& frame, std::stop_token) override {
    picture(frame, 0);
    frame.position = next_;
    next_ += 0.04;
    return Read::frame;
  }
  void seek(double seconds, std::stop_token) override { next_ = seconds; }
  SourceInfo info() const override {
    auto info = seekable_info();
    info.fps = 25;
    return info;
  }

 private:
  double next_ = 0;
};

// Were the clock of before to count, the picture behind would be due in hours.
TEST(CaptureThreadTest, FromAnotherPlaceItPlaysOnAtOnceInEitherDirection) {
  JoinedCapture capture({.source = "long"}, [](const Request&, const Opening&) { return std::make_unique<LongVideo>(); });
  ASSERT_NE(capture.take(20s), nullptr);
  for (const double place : {5000.0, 100.0, 9000.0}) {
    capture.seek(place);
    const Frame* frame = next_frame(capture);
    EXPECT_DOUBLE_EQ(frame->position, place);
    frame = next_frame(capture);  // the picture behind
    EXPECT_NEAR(frame->position, place + 0.04, 0.5);
    EXPECT_GT(frame->position, place);
  }
}

}  // namespace
}  // namespace app::capture
