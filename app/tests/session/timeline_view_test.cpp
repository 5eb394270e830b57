// Which part of a frame the timeline shows, its marks, and the gaps between spans.
#include "app/session/timeline_view.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(TimelineViewTest, ShowsTheWholeFrameAtFirst) {
  const TimelineView view(-5, 95, 1, 0);
  EXPECT_EQ(view.from(), -5);
  EXPECT_EQ(view.to(), 95);
  EXPECT_EQ(view.position(45), 0.5);
  EXPECT_EQ(view.time(0.25), 20);
}

TEST(TimelineViewTest, WhatIsAtTheMouseStaysThereWhenEnlarged) {
  const TimelineView view(0, 100, 1, 0);
  const auto near = view.zoomed(4, 0.5);
  EXPECT_EQ(near.zoom(), 4);
  EXPECT_DOUBLE_EQ(near.time(0.5), 50);
  EXPECT_DOUBLE_EQ(near.shown(), 25);
  const auto nearer = near.zoomed(2, 0.2);
  EXPECT_DOUBLE_EQ(nearer.time(0.2), near.time(0.2));
  EXPECT_EQ(nearer.zoomed(1e-3, 0.9).from(), 0) << "never less than the whole frame";
  EXPECT_EQ(nearer.zoomed(1e9, 0.9).zoom(), 1e4);
}

TEST(TimelineViewTest, TheFramesEndsStayAtTheEdges) {
  const TimelineView view(0, 100, 4, 0.5);
  EXPECT_DOUBLE_EQ(view.moved(0.4).from(), 40);
  EXPECT_DOUBLE_EQ(view.moved(100).from(), 0);
  EXPECT_DOUBLE_EQ(view.moved(-100).to(), 100);
  EXPECT_DOUBLE_EQ(TimelineView(0, 100, 2, 1).to(), 100) << "a setting may ask for more than there is";
}

TEST(TimelineViewTest, AtFirstThePartWithKernelsIsShownWhereMostOfTheFrameWaits) {
  gpu::TimelineFrame frame;
  frame.first_point = 10;
  const auto span = [&](gpu::SpanKind kind, double started, double ended) {
    gpu::TimelineSpan span;
    span.kind = kind;
    span.timed = true;
    span.started = started;
    span.ended = ended;
    span.enqueued = frame.first_point + started;
    span.queued = frame.first_point + ended;
    frame.spans.push_back(span);
  };
  using enum gpu::SpanKind;
  span(compute, 0, 100);
  span(compute, 100, 300);
  span(transfer, 300, 400);
  const auto busy = view_of(frame, 0, 0.5);
  EXPECT_EQ(busy.zoom(), 1);
  EXPECT_EQ(busy.from(), 0);
  span(wait, 400, 9990);
  const auto waiting = view_of(frame, 0, 0.5);
  EXPECT_EQ(waiting.from(), 0) << "the first kernel begins at 10";
  EXPECT_NEAR(waiting.to(), 330, 1e-6) << "the last one ends at 310";
  EXPECT_EQ(view_of(frame, 1, 0).to(), 10'000) << "what was asked for";
  EXPECT_DOUBLE_EQ(view_of(frame, 4, 0).shown(), 2500);
  frame.spans.erase(frame.spans.begin(), frame.spans.begin() + 2);
  EXPECT_EQ(view_of(frame, 0, 0).zoom(), 1) << "no kernel";
  EXPECT_EQ(view_of({}, 0, 0).zoom(), 1);
}

TEST(TimelineViewTest, MarksAreRoundAndInView) {
  const auto whole = marks({0, 87.3, 1, 0}, 6);
  EXPECT_EQ(whole.times, (std::vector<double>{0, 20, 40, 60, 80}));
  EXPECT_EQ(whole.decimals, 0);
  const auto close = marks({0, 87.3, 100, 0.5}, 6);
  EXPECT_DOUBLE_EQ(close.times.front(), 43.8);
  EXPECT_EQ(close.times.size(), 4u);
  EXPECT_EQ(close.decimals, 1);
}

class TimelineViewGapsTest : public testing::Test {
 protected:
  void span(double enqueued, double started, double ended, int parent = -1) {
    gpu::TimelineSpan span;
    span.enqueued = enqueued;
    span.queued = enqueued + 1;
    span.started = started;
    span.ended = ended;
    span.timed = true;
    span.parent = parent;
    frame.spans.push_back(span);
  }
  gpu::TimelineFrame frame;
};

TEST_F(TimelineViewGapsTest, TheRangeIsThatOfHostAndDevice) {
  frame.first_point = 10;
  span(2, 0, 5);
  span(4, 6, 30);
  EXPECT_EQ(range_of(frame).first, 0) << "the frame's begin";
  EXPECT_EQ(range_of(frame).last, 40);
  frame.spans.clear();
  EXPECT_EQ(range_of(frame).last, 0);
}

TEST_F(TimelineViewGapsTest, AGapIsTheHostsFaultWhereTheNextSpanWasNotQueued) {
  frame.first_point = 10;  // the device is at 10 + its own time
  span(2, 0, 5);
  span(4, 7, 9);       // queued at 4, when the device was busy until 15
  span(60, 50.5, 52);  // queued at 60, long after 19
  const auto gaps = gaps_of(frame);
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].from, 5);
  EXPECT_EQ(gaps[0].to, 7);
  EXPECT_EQ(gaps[0].reason, Gap::launch);
  EXPECT_EQ(gaps[0].before, 1);
  EXPECT_EQ(gaps[1].reason, Gap::queue);
  EXPECT_EQ(gaps[1].before, 2);
}

// Two engines of a GPU run at once.
TEST_F(TimelineViewGapsTest, ASpanThatEndsWithinAnotherEndsNoWork) {
  span(0, 0, 10);
  span(0, 2, 5);
  span(0, 12, 15);
  const auto gaps = gaps_of(frame);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].from, 10);
  EXPECT_EQ(gaps[0].to, 12);
}

TEST_F(TimelineViewGapsTest, PartsAreInTheLineBelow) {
  EXPECT_EQ(line_count(frame), 1) << "a frame without spans";
  span(0, 0, 20);
  span(0, 0, 5, 0);
  span(0, 1, 2, 1);
  span(0, 20, 25);
  EXPECT_EQ(depths_of(frame), (std::vector<int>{0, 1, 2, 0}));
  EXPECT_EQ(line_count(frame), 3);
}

TEST_F(TimelineViewGapsTest, GroupsFillNoGap) {
  span(0, 0, 20);
  span(0, 0, 5, 0);
  span(0, 15, 20, 0);
  const auto gaps = gaps_of(frame);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].from, 5);
  EXPECT_EQ(gaps[0].to, 15);
}

// In one frame there was a span at 80 to 85; in this one nothing is there.
TEST(TimelineViewTest, APartWithoutASpanShowsTheNearest) {
  gpu::TimelineFrame frame;
  for (const auto& [begin, end] : {std::pair(10., 12.), {60., 64.}, {98., 100.}}) {
    gpu::TimelineSpan span;
    span.timed = true;
    span.started = span.enqueued = begin;
    span.ended = span.queued = end;
    frame.spans.push_back(span);
  }
  const TimelineView empty(0, 100, 10, 0.8);
  const auto moved = empty.near_a_span(frame);
  EXPECT_DOUBLE_EQ(moved.to(), 100) << "98 to 100 is nearer than 60 to 64";
  EXPECT_DOUBLE_EQ(moved.zoom(), 10);
  EXPECT_DOUBLE_EQ(TimelineView(0, 100, 10, 0.4).near_a_span(frame).to(), 64) << "no further than to its end";
  EXPECT_DOUBLE_EQ(TimelineView(0, 100, 10, 0.7).near_a_span(frame).from(), 60) << "no further than to its begin";
  EXPECT_DOUBLE_EQ(TimelineView(0, 100, 50, 0.55).near_a_span(frame).from(), 60) << "as much of it as there is room for";
  EXPECT_DOUBLE_EQ(TimelineView(0, 100, 50, 0.66).near_a_span(frame).from(), 62);
  EXPECT_DOUBLE_EQ(TimelineView(0, 100, 10, 0.55).near_a_span(frame).from(), 55) << "it shows one";
  EXPECT_DOUBLE_EQ(empty.near_a_span({}).from(), 80);
}

}  // namespace
}  // namespace app
