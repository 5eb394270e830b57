// The timeline, with a clock that the tests advance by hand.
#include "gpu/timeline.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace gpu {
namespace {

// Time passes when the test says so. Reading a real clock too early would wait; here it is an error.
class FakeClock : public TimelineClock {
 public:
  struct State {
    double now = 0;
    bool gpu_is_done = true;
    std::array<double, Timeline::slots> at{};
    std::array<bool, Timeline::slots> recorded{};
  };
  explicit FakeClock(State& state) : state_(state) {}
  void record(int slot) override {
    state_.at.at(static_cast<std::size_t>(slot)) = state_.now;
    state_.recorded.at(static_cast<std::size_t>(slot)) = true;
  }
  bool ready(int slot) override {
    EXPECT_TRUE(state_.recorded.at(static_cast<std::size_t>(slot))) << "asked for a moment that was never recorded";
    return state_.gpu_is_done;
  }
  double microseconds(int from, int to) override {
    EXPECT_TRUE(state_.gpu_is_done) << "read before it was ready: a real clock would wait";
    return state_.at.at(static_cast<std::size_t>(to)) - state_.at.at(static_cast<std::size_t>(from));
  }

 private:
  State& state_;
};

class TimelineTest : public testing::Test {
 protected:
  void span(std::string_view name, double microseconds) {
    timeline.begin(name);
    clock.now += microseconds;
    timeline.end();
  }
  void frame(std::string_view name, double microseconds) {
    timeline.begin_frame();
    span(name, microseconds);
    timeline.end_frame();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& row : timeline.rows()) list.push_back(row.name);
    return list;
  }

  FakeClock::State clock;
  Timeline timeline{std::make_unique<FakeClock>(clock), 100};
};

TEST_F(TimelineTest, HasNothingBeforeTheFirstFrame) {
  timeline.collect();
  EXPECT_TRUE(timeline.rows().empty());
  EXPECT_EQ(timeline.frames(), 0u);
  EXPECT_EQ(timeline.total().mean, 0);
}

TEST_F(TimelineTest, PercentilesAreNearestRanks) {
  for (int i = 1; i <= 100; ++i) frame("table", i * 37 % 101);  // 1..100, shuffled; the last is 64
  timeline.collect();
  const auto rows = timeline.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].last, 3700 % 101);
  EXPECT_DOUBLE_EQ(rows[0].mean, 50.5);
  EXPECT_EQ(rows[0].p50, 50);
  EXPECT_EQ(rows[0].p90, 90);
  EXPECT_EQ(rows[0].p99, 99);
  EXPECT_EQ(rows[0].max, 100);
  EXPECT_EQ(rows[0].launches, 1);
  EXPECT_EQ(rows[0].share, 1);
}

TEST_F(TimelineTest, OfOneFrameEveryPercentileIsThatFrame) {
  frame("table", 7);
  timeline.collect();
  const auto row = timeline.rows().at(0);
  EXPECT_EQ(row.p50, 7);
  EXPECT_EQ(row.p90, 7);
  EXPECT_EQ(row.p99, 7);
  EXPECT_EQ(row.max, 7);
}

TEST_F(TimelineTest, ForgetsFramesOlderThanItsHistory) {
  for (int i = 0; i < 50; ++i) frame("old", 1000);
  for (int i = 0; i < 99; ++i) frame("new", 1);
  timeline.collect();
  ASSERT_EQ(names(), (std::vector<std::string>{"new", "old"}));  // one old frame is still among the latest 100
  frame("new", 1);
  timeline.collect();
  EXPECT_EQ(names(), std::vector<std::string>{"new"});
  EXPECT_EQ(timeline.total().max, 1);
  EXPECT_EQ(timeline.frames(), 150u);
}

TEST_F(TimelineTest, AddsUpLaunchesOfOneName) {
  timeline.begin_frame();
  span("scan", 2);
  span("transpose", 5);
  span("scan", 3);
  timeline.end_frame();
  timeline.collect();
  const auto rows = timeline.rows();
  ASSERT_EQ(names(), (std::vector<std::string>{"scan", "transpose"}));
  EXPECT_EQ(rows[0].last, 5);
  EXPECT_EQ(rows[0].launches, 2);
  EXPECT_DOUBLE_EQ(rows[0].share, 0.5);
  EXPECT_EQ(timeline.total().last, 10);
}

TEST_F(TimelineTest, OrderIsThatOfTheLatestFrame) {
  timeline.begin_frame();
  span("a", 1);
  span("b", 1);
  timeline.end_frame();
  timeline.begin_frame();
  span("c", 1);
  span("a", 1);
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(names(), (std::vector<std::string>{"c", "a", "b"}));
}

TEST_F(TimelineTest, TotalRunsFromFirstToLastMoment) {
  timeline.begin_frame();
  span("a", 2);
  clock.now += 4;  // nothing is timed here
  span("b", 3);
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(timeline.total().last, 9);
}

TEST_F(TimelineTest, TimesOnlyTheOutermostOfNestedSpans) {
  timeline.begin_frame();
  timeline.begin("group");
  span("inner", 2);
  span("inner", 3);
  timeline.end();
  span("after", 1);
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(names(), (std::vector<std::string>{"group", "after"}));
  EXPECT_EQ(timeline.rows().at(0).last, 5);
}

TEST_F(TimelineTest, NeverWaitsAndCountsWhatGoesUntimed) {
  clock.gpu_is_done = false;
  for (int i = 0; i < Timeline::frames_in_flight + 3; ++i) frame("table", 1);
  timeline.collect();
  EXPECT_EQ(timeline.frames(), 0u);
  EXPECT_EQ(timeline.untimed(), 3u);
  clock.gpu_is_done = true;
  timeline.collect();
  EXPECT_EQ(timeline.frames(), static_cast<std::uint64_t>(Timeline::frames_in_flight));
  frame("table", 9);
  timeline.collect();
  EXPECT_EQ(timeline.rows().at(0).last, 9);
  EXPECT_EQ(timeline.untimed(), 3u);
}

TEST_F(TimelineTest, SpansPastTheLimitAreDroppedAndCounted) {
  timeline.begin_frame();
  for (int i = 0; i < Timeline::spans_per_frame + 5; ++i) span("kernel", 1);
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(timeline.dropped_spans(), 5u);
  EXPECT_EQ(timeline.rows().at(0).launches, Timeline::spans_per_frame);
  frame("kernel", 2);
  timeline.collect();
  EXPECT_EQ(timeline.rows().at(0).last, 2);
}

TEST_F(TimelineTest, AnEmptyFrameIsNoFrame) {
  timeline.begin_frame();
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(timeline.frames(), 0u);
}

TEST_F(TimelineTest, SpansOutsideOfFramesAreNotTimed) {
  span("stray", 1);
  frame("table", 1);
  span("stray", 1);
  timeline.collect();
  EXPECT_EQ(names(), std::vector<std::string>{"table"});
}

TEST_F(TimelineTest, ResetForgetsEverythingAlsoWhatIsUnderWay) {
  frame("old", 1);
  clock.gpu_is_done = false;
  frame("old", 1);
  timeline.reset();
  clock.gpu_is_done = true;
  timeline.collect();
  EXPECT_TRUE(timeline.rows().empty());
  EXPECT_EQ(timeline.frames(), 0u);
  frame("new", 2);
  timeline.collect();
  EXPECT_EQ(names(), std::vector<std::string>{"new"});
  EXPECT_EQ(timeline.total().last, 2);
}

TEST_F(TimelineTest, ResetInsideASpanLosesThatSpanOnly) {
  timeline.begin_frame();
  timeline.begin("old");
  timeline.reset();
  timeline.end();
  span("new", 3);
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(names(), std::vector<std::string>{"new"});
  EXPECT_EQ(timeline.total().last, 3);
}

TEST(HostClock, MeasuresForward) {
  auto clock = host_clock(2);
  clock->record(0);
  clock->record(1);
  EXPECT_TRUE(clock->ready(1));
  EXPECT_GE(clock->microseconds(0, 1), 0);
}

// Like every call after a GPU is lost, from the one with that number on; or that one alone.
class FailingClock : public TimelineClock {
 public:
  FailingClock(int failing, bool for_good) : left_(failing), for_good_(for_good) {}
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

TEST(TimelineOfAFailingClock, LosesFramesAndNothingElse) {
  constexpr int frames = 6, calls_per_frame = 4 + 1 + 3;  // two spans; is it ready; both, and the frame
  for (const bool for_good : {false, true})
    for (int failing = 0; failing <= frames * calls_per_frame; ++failing) {
      SCOPED_TRACE(failing);
      Timeline timeline(std::make_unique<FailingClock>(failing, for_good), 100);
      for (int i = 0; i < frames; ++i) {
        timeline.begin_frame();
        for (const auto* name : {"first", "second"}) {
          timeline.begin(name);
          timeline.end();
        }
        timeline.end_frame();
      }
      timeline.collect();
      EXPECT_EQ(timeline.frames() + timeline.untimed(), static_cast<std::uint64_t>(frames));
      if (!for_good) EXPECT_GE(timeline.frames(), static_cast<std::uint64_t>(frames - 1));
      for (const auto& row : timeline.rows()) {
        EXPECT_EQ(row.mean, 10);
        EXPECT_EQ(row.launches, 1);
      }
    }
}

}  // namespace
}  // namespace gpu
