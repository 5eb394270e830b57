// Spans that share points: one begins where the one before it ended.
#include "gpu/tests/timeline_by_hand.h"
#include "gpu/timeline.h"

namespace gpu {
namespace {

class TimelineSharedPointsTest : public TimelineTest {
 protected:
  void SetUp() override { clock.shares_points = true; }
};

TEST_F(TimelineSharedPointsTest, ASpanBeginsWhereTheOneBeforeItEnded) {
  for (int i = 0; i < 3; ++i) {
    timeline.begin_frame();
    span("luma", 2);
    timeline.begin("algorithm", SpanTiming::parts);
    span("kernel", 3);
    clock.now += 1;  // counts to the next kernel
    span("kernel", 4);
    timeline.end();
    timeline.begin("effect");
    span("inside", 5);
    timeline.end();
    timeline.end_frame();
    clock.now += 100;
    const auto frame = timeline.take();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->points, 5);
    EXPECT_EQ(
        text_of(*frame),
        "luma 0..2\nalgorithm 2..10\n algorithm/kernel 2..5\n algorithm/kernel 5..10\neffect 10..15\n effect/inside\n");
  }
}

TEST_F(TimelineSharedPointsTest, SeparateSpansHavePointsOfTheirOwn) {
  timeline.begin_frame();
  span("a", 2);
  clock.now += 50;
  timeline.separate();
  span("b", 3);
  span("c", 1);
  timeline.end_frame();
  const auto frame = timeline.take();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->points, 5);
  EXPECT_EQ(text_of(*frame), "a 0..2\nb 52..55\nc 55..56\n");
}

TEST_F(TimelineSharedPointsTest, TheIdleTimeWhileTheHostIsElsewhereBelongsToNoSpan) {
  for (const auto pause : {Timeline::longest_shared_gap, Timeline::longest_shared_gap + std::chrono::microseconds(1)}) {
    timeline.begin_frame();
    span("a", 2);
    clock.now += 50;
    clock.host += pause;
    span("b", 3);
    timeline.end_frame();
    EXPECT_EQ(taken(), pause == Timeline::longest_shared_gap ? "a 0..2\nb 2..55\n" : "a 0..2\nb 52..55\n");
  }
}

// The end of `a`, which `b` shares, had passed long before the host came to `b`: that says nothing about the clocks.
TEST_F(TimelineSharedPointsTest, OnlyPointsOfTheirOwnPlaceSpansOnTheHostsClock) {
  timeline.begin_frame();
  span("a", 2);
  clock.host += std::chrono::microseconds(15);
  span("b", 3);
  timeline.end_frame();
  const auto frame = timeline.take();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->points, 3);
  EXPECT_DOUBLE_EQ(frame->spans[1].enqueued, 15);
  EXPECT_DOUBLE_EQ(frame->first_point, 0);
}

TEST_F(TimelineSharedPointsTest, SpansWithoutPointsLieBetween) {
  timeline.set_detail(TimingDetail::frame);
  timeline.begin_frame();
  span("frame", 5);
  span({"copy", SpanKind::transfer}, 7);
  span("more", 1);
  timeline.end_frame();
  EXPECT_EQ(taken(), "frame 0..5\nmore 12..13\n");

  Timeline narrow(std::make_unique<FakeClock>(clock), 1);
  narrow.begin_frame();
  for (int i = 0; i < 2; ++i) {
    narrow.begin("kernel");
    narrow.end();
  }
  narrow.reserve(3);
  clock.now += 4;
  narrow.begin("late");
  clock.now += 1;
  narrow.end();
  narrow.end_frame();
  EXPECT_EQ(text_of(*narrow.take()), "kernel 0..0\nlate 4..5\n");
}

}  // namespace
}  // namespace gpu
