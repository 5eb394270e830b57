// The frame graph: labels of its axis of frames, and the colours of bars that are stacked by kernel.
#include <chrono>
#include <set>

#include "app/tests/ui/controls_test.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

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
  const auto newest = TextCheck::place_of("0 s", "frames");
  ASSERT_TRUE(newest);
  EXPECT_FALSE(shown("-4 s", "frames")) << "there is no room for both";
  settings_.graph_axis = GraphAxis::frames;
  draw(2);
  EXPECT_TRUE(shown("1006", "frames"));
  EXPECT_FALSE(shown("1000", "frames"));
}

TEST_F(GraphOfFramesTest, OfManyFramesOlderOnesAreLabelledToo) {
  show(240, 0.1);
  const auto newest = TextCheck::place_of("0 s", "frames");
  ASSERT_TRUE(newest);
  bool other = false;
  for (const char* text : {"-1 s", "-2 s", "-5 s", "-10 s"})
    if (const auto place = TextCheck::place_of(text, "frames")) {
      other = true;
      EXPECT_LT(place->Max.x, newest->Min.x) << text;
    }
  EXPECT_TRUE(other);
}

// Of kernels, as in the table: that of a group would be of none of its rows.
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
  settings_.graph_scale = GraphScale::log;
  show(50, 0.1, frame);
  std::set<ImU32> of_rows;
  for (const auto& row : state_.kernels.rows)
    if (has_colour(row)) of_rows.insert(colour::row(row.colour));
  EXPECT_EQ(of_rows.size(), 4u) << "luma, two sums, box blur";
  const auto& list = *ImGui::FindWindowByName("frames")->DrawList;
  for (const auto one : colours().rows)
    if (one != colour::accent) {
      EXPECT_EQ(has(list, one), of_rows.contains(one)) << std::hex << one;
    }
}

}  // namespace
}  // namespace app::ui
