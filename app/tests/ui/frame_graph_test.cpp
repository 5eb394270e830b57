// The frame graph: its colours, the rate, labels of its axis of seconds.
#include "app/ui/frame_graph.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <tuple>

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/windowless_ui.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

// Who waits for exactly so many milliseconds is on time, and so is who takes up to a third longer.
TEST(FrameGraphTimeColourTest, AnIntervalAsLongAsTheTargetIsGreen) {
  const WindowlessUi imgui({640, 480});  // it has the colours
  EXPECT_EQ(time_colour(16, 16), ImU32(colour::good));
  EXPECT_EQ(time_colour(21.3, 16), ImU32(colour::good));
  EXPECT_EQ(time_colour(21.4, 16), ImU32(colour::warning));
  EXPECT_EQ(time_colour(32, 16), ImU32(colour::warning));
  EXPECT_EQ(time_colour(32.1, 16), ImU32(colour::bad));
  EXPECT_EQ(time_colour(0, 16), ImU32(colour::dim)) << "not known";
}

TEST(FrameGraphRateTest, ARateHasTheDecimalsThatItNeeds) {
  EXPECT_EQ(rate_text(60), "60/s");
  EXPECT_EQ(rate_text(30000.0 / 1001), "29.97/s");
  EXPECT_EQ(rate_text(1000 / 16.666666666666668), "60/s");
  EXPECT_EQ(rate_text(0.4), "0.4/s");
  EXPECT_EQ(rate_text(109.2), "109/s") << "as wide as the button";
  EXPECT_EQ(rate_text(100), "100/s");
  EXPECT_EQ(rate_text(0.1), "0.1/s") << "that of the longest target";
}

TEST(FrameGraphRateTest, MillisecondsHaveSoManyDigits) {
  for (const auto& [ms, two, three] : {std::tuple(0.0051, "0.005", "0.005"),
                                       {0.0994, "0.099", "0.099"},
                                       {0.0996, "0.10", "0.100"},
                                       {0.994, "0.99", "0.994"},
                                       {2.233, "2.2", "2.23"},
                                       {9.996, "10.0", "10.0"},
                                       {1234, "1234.0", "1234.0"}}) {
    EXPECT_EQ(milliseconds(ms, 2), two);
    EXPECT_EQ(milliseconds(ms, 3), three);
  }
}

// The frame graph: labels of its axis of seconds, and the colours of bars that are stacked by kernel.
class GraphOfFramesTest : public ControlsTest {
 protected:
  // `count` frames, one every `seconds`.
  void show(int count, double seconds, const FrameRecord& like = {}) {
    std::vector<StageTime> stages;
    for (int i = 0; i < count; ++i) {
      auto frame = like;
      frame.id = static_cast<std::uint64_t>(1000 + i);
      frame.work_us = 8000;
      frame.presented = FrameRecord::Clock::time_point() +
                        std::chrono::duration_cast<FrameRecord::Clock::duration>(std::chrono::duration<double>(seconds * i));
      history_.add(frame);
      history_.complete(frame_times(frame, stages));
    }
    state_.graph.history = &history_;
    draw(2);
  }

  FrameHistory history_;
};

TEST_F(GraphOfFramesTest, OfFewFramesTheNewestIsLabelled) {
  show(7, 1);
  const auto newest = TextCheck::place_of("now", "dock/tab_");
  ASSERT_TRUE(newest);
  EXPECT_FALSE(shown("-4 s", "dock/tab_")) << "there is no room for both";
}

TEST_F(GraphOfFramesTest, OfManyFramesOlderOnesAreLabelledToo) {
  show(240, 0.1);
  const auto newest = TextCheck::place_of("now", "dock/tab_");
  ASSERT_TRUE(newest);
  bool other = false;
  for (const char* text : {"-1 s", "-2 s", "-5 s", "-10 s"})
    if (const auto place = TextCheck::place_of(text, "dock/tab_")) {
      other = true;
      EXPECT_LT(place->Max.x, newest->Min.x) << text;
    }
  EXPECT_TRUE(other);
}

TEST_F(GraphOfFramesTest, WhereNothingWasTimedOnePhraseSaysSo) {
  ASSERT_TRUE(shown("p50", "dock/tab_"));
  state_.kernels.rows.clear();  // the table has p50, too
  state_.graph.summary = {};
  draw(2);
  EXPECT_TRUE(shown("nothing timed", "dock/tab_"));
  for (const char* figure : {"p50", "average", "1% low"}) EXPECT_FALSE(shown(figure, "dock/tab_")) << figure;
  state_.graph.summary.frames = 100;
  state_.graph.summary.p50 = 8.25;
  draw(2);
  EXPECT_TRUE(shown("8.25", "dock/tab_")) << "a still picture's work has times, and no rate";
  EXPECT_FALSE(shown("average", "dock/tab_"));
}

// Bars have the colours of kernels, as the table has: the colour of a group would be in none of its rows.
TEST_F(GraphOfFramesTest, StackedBarsHaveTheColoursOfTheTable) {
  FrameRecord frame;
  auto paths = std::make_shared<std::vector<std::string>>();
  double now = 0;
  for (const auto& row : state_.kernels.rows) {
    if (!row.computes()) continue;
    gpu::TimelineSpan span;
    span.path = static_cast<int>(paths->size());
    span.parent = row.stage.depth > 0 ? 1 : -1;  // host_parallel
    span.started = now;
    span.ended = now + row.stage.mean;
    span.timed = true;
    if (row.stage.leaf) now = span.ended;
    paths->push_back(row.stage.name);
    frame.times.spans.push_back(span);
  }
  frame.times.paths = paths;
  frame.times.timed = true;
  settings_.graph_shows = GraphShows::stages;
  show(50, 0.1, frame);
  std::set<ImU32> of_rows;
  for (const auto& row : state_.kernels.rows)
    if (has_colour(row)) of_rows.insert(colour::row(row.colour));
  EXPECT_EQ(of_rows.size(), 4u) << "luma, two sums, box blur";
  const auto at = std::ranges::find_if(
      draw_lists(), [](const auto* list) { return std::string_view(list->_OwnerName).starts_with("dock/tab_"); });
  ASSERT_NE(at, draw_lists().end());
  const auto& list = **at;
  for (const auto one : colours().rows)
    if (one != colour::accent) {
      EXPECT_EQ(has(list, one), of_rows.contains(one)) << std::hex << one;
    }
}

}  // namespace
}  // namespace app::ui
