// The host's clock, what the timeline does where a clock fails, and how moments of one clock are placed on another.
#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>

#include "gpu/execution/timeline.h"

namespace gpu {
namespace {

TEST(TimelineClockHostTest, MeasuresForward) {
  auto clock = host_clock();
  clock->reserve(2);
  clock->record(0);
  clock->record(1);
  EXPECT_TRUE(clock->ready(1));
  EXPECT_GE(clock->microseconds(0, 1), 0);
}

// The host's clock is also that of a timeline on the host: the first point comes right after the host begins its span.
TEST(TimelineClockHostTest, TheFirstPointIsPlacedOnTheHostsClock) {
  constexpr double drift = 0.1;  // that is allowed for within so short a frame
  Timeline timeline(host_clock());
  for (int i = 0; i < 3; ++i) {
    timeline.begin_frame();
    timeline.begin("work");
    timeline.end();
    timeline.begin("more");
    timeline.end();
    timeline.end_frame();
    const auto frame = timeline.take();
    ASSERT_TRUE(frame);
    const auto& [work, more] = std::tie(frame->spans.at(0), frame->spans.at(1));
    EXPECT_GE(frame->first_point + work.started, work.enqueued - drift);
    EXPECT_LE(frame->first_point + work.started, work.queued);
    EXPECT_GE(frame->first_point + more.started, more.enqueued - drift);
    EXPECT_LE(frame->first_point + more.started, more.queued);
  }
}

// Like every call after a GPU is lost, from the one with that number on; or that one alone.
class FailingClock : public TimelineClock {
 public:
  FailingClock(int failing, bool for_good) : left_(failing), for_good_(for_good) {}
  void reserve(int) override {}
  void record(int) override { call(); }
  bool ready(int) override { return call(), true; }
  double microseconds(int, int) override { return call(), 10; }

 private:
  void call() {
    if (left_-- == 0 || (for_good_ && left_ < 0)) throw std::runtime_error("the GPU is lost");
  }
  int left_;
  bool for_good_;
};

TEST(TimelineClockThatFailsTest, LosesFramesAndNothingElse) {
  constexpr int frames = 6, calls_per_frame = 4 + 1 + 4 + 1;  // two spans; is it ready; both; since the frame before
  for (const bool for_good : {false, true})
    for (int failing = 0; failing <= frames * calls_per_frame; ++failing) {
      SCOPED_TRACE(failing);
      Timeline timeline(std::make_unique<FailingClock>(failing, for_good));
      for (int i = 0; i < frames; ++i) {
        timeline.begin_frame(static_cast<std::uint64_t>(i));
        timeline.begin("lane", SpanTiming::parts);
        for (const auto* name : {"first", "second"}) {
          timeline.begin(name);
          timeline.end();
        }
        timeline.end();
        timeline.end_frame();
      }
      int timed = 0, untimed = 0;
      std::uint64_t ids = 0;
      while (const auto frame = timeline.take()) {
        ids += frame->id;
        ++(frame->timed ? timed : untimed);
        EXPECT_EQ(frame->spans.size(), frame->timed ? 3u : 0u);
      }
      EXPECT_EQ(timed + untimed, frames);
      EXPECT_EQ(ids, 0u + 1 + 2 + 3 + 4 + 5) << "each once";
      if (!for_good) {
        EXPECT_GE(timed, frames - 1);
      }
    }
}

TEST(TimelineClockThatFailsTest, WithoutRoomEverySpanIsDropped) {
  struct NoRoom : FailingClock {
    NoRoom() : FailingClock(1000, false) {}
    void reserve(int) override { throw std::bad_alloc(); }
  };
  Timeline timeline(std::make_unique<NoRoom>());
  timeline.begin_frame();
  timeline.begin("kernel");
  timeline.end();
  timeline.end_frame();
  const auto frame = timeline.take();
  ASSERT_TRUE(frame);
  EXPECT_TRUE(frame->timed);
  EXPECT_EQ(frame->dropped, 1);
}

TEST(TimelineClockMatchTest, TheTightestBoundHolds) {
  ClockMatch match;
  match.not_before(0, 1000);
  EXPECT_EQ(match.host_time(5), 1005);
  match.not_before(10, 1030);  // it started this late: the clocks differ by 1020
  EXPECT_EQ(match.host_time(10), 1030);
  match.not_before(20, 1025);  // was queued long before the device came to it: says little
  EXPECT_NEAR(match.host_time(20), 1040, 0.01);
  match.not_after(30, 1045);  // seen done
  EXPECT_EQ(match.host_time(30), 1045);
  match.not_after(40, 2000);
  EXPECT_EQ(match.host_time(40), 1055);
}

TEST(TimelineClockMatchTest, ABoundLoosensWithTimeBecauseClocksDrift) {
  ClockMatch match;
  match.not_before(0, 1000);
  match.not_before(1e6, 1e6);  // a second later, and nothing new: 1000 held
  EXPECT_NEAR(match.host_time(1e6), 1e6 + 900, 1e-6);
  match.not_before(2e6, 2e6);
  EXPECT_NEAR(match.host_time(2e6), 2e6 + 800, 1e-6);
}

TEST(TimelineClockMatchTest, StartsAnewWithAnotherClock) {
  ClockMatch match;
  match.not_after(0, -5);  // nothing is known that this could bound
  match.not_before(0, 1000);
  match.restart();
  match.not_before(0, 10);
  EXPECT_EQ(match.host_time(1), 11);
}

}  // namespace
}  // namespace gpu
