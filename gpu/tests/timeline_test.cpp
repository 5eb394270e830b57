// The timeline on a clock of the test's own: what is timed, what is counted as untimed, and that nothing ever waits.
#include "gpu/timeline.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace gpu {
namespace {

// Moments are numbers that the test sets. A moment is ready once the test says so; to ask for the distance of moments
// that are not ready, or to record over moments still unread, is the error that would block or lie on a real clock.
class FakeClock : public TimelineClock {
 public:
  double now = 0;
  bool all_ready = true;
  std::map<int, double> moments;
  std::set<int> held;  // recorded while not ready

  void record(int slot) override {
    moments[slot] = now;
    if (!all_ready) held.insert(slot);
  }
  bool ready(int slot) override {
    if (all_ready) held.clear();
    return !held.contains(slot);
  }
  double microseconds(int from, int to) override {
    if (held.contains(from) || held.contains(to)) throw std::logic_error("a moment was read before it was ready");
    return moments.at(to) - moments.at(from);
  }
};

class TimelineTest : public ::testing::Test {
 protected:
  void span(const char* name, double microseconds) {
    timeline.begin(name);
    clock->now += microseconds;
    timeline.end();
  }
  void frame(double microseconds) {
    timeline.begin_frame();
    span("work", microseconds);
    timeline.end_frame();
  }

  FakeClock* clock = new FakeClock;  // owned by the timeline
  Timeline timeline{std::unique_ptr<TimelineClock>(clock), 100};
};

TEST_F(TimelineTest, percentiles_are_the_nearest_ranks) {
  for (int i = 1; i <= 100; ++i) frame(i);
  timeline.collect();
  const auto rows = timeline.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "work");
  EXPECT_DOUBLE_EQ(rows[0].last, 100);
  EXPECT_DOUBLE_EQ(rows[0].mean, 50.5);
  EXPECT_DOUBLE_EQ(rows[0].p50, 50);
  EXPECT_DOUBLE_EQ(rows[0].p90, 90);
  EXPECT_DOUBLE_EQ(rows[0].p99, 99);
  EXPECT_DOUBLE_EQ(rows[0].max, 100);
  EXPECT_DOUBLE_EQ(rows[0].share, 1);
}

TEST_F(TimelineTest, history_forgets_the_oldest) {
  for (int i = 1; i <= 150; ++i) frame(i);
  timeline.collect();
  EXPECT_EQ(timeline.frames(), 150u);
  EXPECT_DOUBLE_EQ(timeline.rows().at(0).mean, 100.5);
}

TEST_F(TimelineTest, spans_of_one_name_count_together_and_the_frame_spans_them_all) {
  timeline.begin_frame();
  span("table", 10);
  clock->now += 5;  // between two spans: the frame's, nobody's
  span("table", 20);
  span("blur", 10);
  timeline.end_frame();
  timeline.collect();
  const auto rows = timeline.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "table");
  EXPECT_DOUBLE_EQ(rows[0].last, 30);
  EXPECT_DOUBLE_EQ(rows[0].launches, 2);
  EXPECT_DOUBLE_EQ(rows[0].share, 0.75);
  EXPECT_EQ(rows[1].name, "blur");
  EXPECT_DOUBLE_EQ(timeline.total().last, 45);
}

TEST_F(TimelineTest, of_nested_spans_only_the_outermost_is_a_row) {
  timeline.begin_frame();
  timeline.begin("group");
  span("inner", 3);
  span("inner", 4);
  timeline.end();
  timeline.end_frame();
  timeline.collect();
  const auto rows = timeline.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "group");
  EXPECT_DOUBLE_EQ(rows[0].last, 7);
}

TEST_F(TimelineTest, with_every_ring_unread_frames_go_untimed_and_nothing_waits) {
  clock->all_ready = false;
  for (int i = 0; i < Timeline::frames_in_flight + 3; ++i) frame(1);
  timeline.collect();  // reads nothing: FakeClock throws if it did
  EXPECT_EQ(timeline.frames(), 0u);
  EXPECT_EQ(timeline.untimed(), 3u);
  clock->all_ready = true;
  timeline.collect();
  EXPECT_EQ(timeline.frames(), static_cast<std::uint64_t>(Timeline::frames_in_flight));
}

TEST_F(TimelineTest, spans_over_the_limit_are_dropped_and_counted) {
  timeline.begin_frame();
  for (int i = 0; i < Timeline::spans_per_frame + 5; ++i) span("many", 1);
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(timeline.dropped_spans(), 5u);
  EXPECT_DOUBLE_EQ(timeline.rows().at(0).last, Timeline::spans_per_frame);
}

TEST_F(TimelineTest, reset_forgets_frames_under_way_too) {
  clock->all_ready = false;
  frame(1000);
  timeline.reset();
  clock->all_ready = true;
  frame(1);
  timeline.collect();
  EXPECT_EQ(timeline.frames(), 1u);
  EXPECT_DOUBLE_EQ(timeline.rows().at(0).max, 1);
}

TEST_F(TimelineTest, an_empty_frame_is_no_frame) {
  timeline.begin_frame();
  timeline.end_frame();
  timeline.collect();
  EXPECT_EQ(timeline.frames(), 0u);
  EXPECT_TRUE(timeline.rows().empty());
}

}  // namespace
}  // namespace gpu
