// The tab of the frame: its sentence, the table of kernels and its order, one frame to scale.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "app/session/kernel_rows.h"
#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/ui_example.h"

namespace app::ui {
namespace {

class FrameTabTest : public ControlsTest {
 protected:
  float line_of(const std::string& text) const { return middle_of(text, "dock").y; }
};

TEST_F(FrameTabTest, TheSentenceNamesTheSlowestKernelAndWhatAllTake) {
  EXPECT_TRUE(shown("The slowest kernel is Box blur: 39%", "dock"));
  EXPECT_TRUE(shown("Computing takes 2.0 of a frame's 16.7 ms.", "dock"));
  state_.device = gpu::Device::simulated;
  draw(2);
  EXPECT_TRUE(shown("Simulated: computing takes 2.0", "dock"));
  settings_.timing = TimingChoice::off;
  state_.kernels = {};
  draw(2);
  EXPECT_TRUE(shown("timing is off", "dock"));
}

TEST_F(FrameTabTest, WhereAllFramesAreLateTheSentenceSaysWhy) {
  auto& summary = state_.graph.summary;
  summary.interval = 170;
  summary.work = 20;
  summary.drops = true;
  state_.gl.software = false;
  state_.kernels.computing = 5700;
  draw(2);
  for (const char* part : {"Frames take 170 ms, computing 5.7", "display", "The slowest kernel is Box blur: 39%. Computing"})
    EXPECT_TRUE(shown(part, "dock")) << part << texts_of("dock");
  state_.gl.software = true;
  draw(2);
  EXPECT_TRUE(shown("processor", "dock")) << texts_of("dock");
}

TEST_F(FrameTabTest, WhatTheTimingCostsIsUnderTheMouse) {
  for (const bool cuda : {false, true}) {
    if (cuda) state_ = example_gpu_state(settings_);
    state_.kernels.timing_share = 0.0123;
    draw(2);
    ImGui::GetIO().MousePos = middle_of("Computing takes", "dock");
    draw(3);
    for (const char* part : {"The timing takes", "12 points", "1.2%"})
      EXPECT_TRUE(shown(part, "##Tooltip")) << part << texts_of("##Tooltip");
    EXPECT_EQ(shown("Events also take GPU time", "##Tooltip"), cuda);
    for (const char* figure : {"all kernels", "p99.9", "240 frames"}) EXPECT_TRUE(shown(figure, "##Tooltip")) << figure;
  }
}

TEST_F(FrameTabTest, TheTimingIsChosen) {
  click_text("Each kernel", "dock");
  choose("Every launch");
  EXPECT_EQ(settings_.timing, TimingChoice::every);
}

TEST_F(FrameTabTest, AClickOnATitleSortsBothWaysAndThenAsTheyRun) {
  click_text("Mean", "dock");
  EXPECT_LT(line_of("Box blur"), line_of("luma")) << "the largest first";
  click_text("Mean", "dock");
  EXPECT_GT(line_of("Box blur"), line_of("luma"));
  EXPECT_GT(line_of("row sums"), line_of("column sums"));
  click_text("Mean", "dock");
  EXPECT_GT(line_of("Box blur"), line_of("luma"));
  EXPECT_LT(line_of("row sums"), line_of("column sums"));
  click_text("Kernel", "dock");
  EXPECT_LT(line_of("Box blur"), line_of("host_parallel")) << "from A on";
  EXPECT_LT(line_of("host_parallel"), line_of("luma"));
  EXPECT_NE(settings_.columns, "") << "it is kept";
}

TEST_F(FrameTabTest, TheUsualOrderIsNoChangeOfTheTable) {
  EXPECT_EQ(settings_.columns, "");
  EXPECT_LT(line_of("Box blur"), line_of("luma"));
}

TEST_F(FrameTabTest, AGroupIsOpenedAndClosed) {
  EXPECT_TRUE(shown("row sums", "dock"));
  click_text("host_parallel", "dock");
  EXPECT_FALSE(shown("row sums", "dock"));
  EXPECT_TRUE(shown("Box blur", "dock"));
  click_text("host_parallel", "dock");
  EXPECT_TRUE(shown("row sums", "dock"));
}

TEST_F(FrameTabTest, AGroupThatHardlyCountsIsClosedAtFirst) {
  state_.kernels.rows[1].stage.share = 0.03;
  state_.kernels.rows[1].stage.name = "2r1w";
  state_.kernels.rows[2].stage.name = "2r1w/tile sums";
  draw(2);
  EXPECT_FALSE(shown("tile sums", "dock"));
}

// The first frame of a program that was just started says little.
TEST_F(FrameTabTest, AGroupIsOpenUntilItIsKnownWhetherItCounts) {
  auto& group = state_.kernels.rows[1].stage;
  group.name = "2r1w";
  group.share = 0.03;
  state_.kernels.rows[2].stage.name = "2r1w/tile sums";
  const auto frames = std::exchange(group.frames, 1);
  draw(2);
  EXPECT_TRUE(shown("tile sums", "dock"));
  group.share = 0.3;
  group.frames = frames;
  draw(2);
  group.share = 0.03;
  draw(2);
  EXPECT_TRUE(shown("tile sums", "dock")) << "it stays as it was when that was known";
}

TEST_F(FrameTabTest, SidesAndEffectsHaveTheTitlesOfTheMenus) {
  auto side = state_.kernels.rows.front(), kernel = side;
  side.stage.name = "B: sat_view";
  side.stage.leaf = false;
  side.stage.share = 1;
  kernel.stage.name = "B: sat_view/none";
  kernel.stage.depth = 1;
  state_.kernels.rows = {side, kernel};
  for (const char* sorted_by : {"Share", "Mean"}) {
    click_text(sorted_by, "dock");
    EXPECT_TRUE(shown("B: The table", "dock"));
    EXPECT_TRUE(shown("None", "dock"));
    EXPECT_FALSE(shown("sat_view", "dock"));
    EXPECT_FALSE(shown("none", "dock"));
  }
}

// Its column is shown by the menu of the titles.
TEST_F(FrameTabTest, TheTitleOfTheRateSaysWhyDetectionHasNone) {
  EXPECT_FALSE(shown("GB/s", "dock"));
  auto& io = ImGui::GetIO();
  io.MousePos = middle_of("Mean", "dock");
  for (const bool down : {false, true, false, false}) {
    io.MouseDown[1] = down;
    draw(2);
  }
  click_text("GB/s", "##Popup");
  press(KeyCode::escape);
  draw(2);
  io.MousePos = middle_of("GB/s", "dock");
  draw(3);
  EXPECT_TRUE(shown("Detection by a cascade has none", "##Tooltip"));
}

TEST_F(FrameTabTest, EveryFigureOfARowIsUnderTheMouse) {
  const auto dock = places().dock;
  const auto row = TextCheck::place_of("luma", "dock");
  ASSERT_TRUE(row);
  for (const float x : {row->Min.x + 3, dock.x + dock.width * 0.6f, dock.x + dock.width - 30}) {
    ImGui::GetIO().MousePos = {x, row->GetCenter().y};
    draw(3);
    for (const char* figure : {"luma", "mean", "p50", "p90", "p99.9", "max", "last", "1 launch per frame"})
      EXPECT_TRUE(shown(figure, "##Tooltip")) << figure << " at " << x;
  }
}

TEST_F(FrameTabTest, OutliersAreSaid) {
  EXPECT_FALSE(shown("outlier", "dock"));
  state_.kernels.timed_frames = 100;
  state_.kernels.lost_frames = 3;
  state_.kernels.lost_us = 300;
  state_.kernels.rows.front().stage.lost_frames = 2;
  state_.kernels.rows.front().stage.lost_us = 310;
  draw(3);
  ImGui::GetIO().MousePos = middle_of("3 outliers", "dock");
  draw(3);
  EXPECT_TRUE(shown("outliers in 3 of 100 frames are left out: 300", "##Tooltip"));
  ImGui::GetIO().MousePos = middle_of("luma", "dock");
  draw(3);
  EXPECT_TRUE(shown("left out: 2 outliers, 310", "##Tooltip"));
}

TEST_F(FrameTabTest, InANarrowDockNamesAndSharesStay) {
  settings_.dock_width = 280;
  draw(3);
  for (const char* text : {"luma", "Share", "39%"}) EXPECT_TRUE(shown(text, "dock")) << text;
  EXPECT_FALSE(shown("Bound", "dock"));
}

TEST_F(FrameTabTest, OneFrameIsEnlargedByTheWheelAndMovedByDragging) {
  click_text("One frame", "dock");
  ASSERT_EQ(settings_.frame_view, FrameView::one_frame);
  auto& io = ImGui::GetIO();
  const auto dock = places().dock;
  io.MousePos = {dock.x + dock.width * 0.75f, middle_of("Latest frame", "dock").y + 40};
  draw(3);
  io.MouseWheel = 4;
  draw();
  io.MouseWheel = 0;
  EXPECT_GT(settings_.timeline_zoom, 2);
  const auto start = settings_.timeline_start;
  EXPECT_GT(start, 0.3) << "what was at the mouse stays there";
  io.MouseDown[0] = true;
  draw(2);
  io.MousePos.x += 60;
  draw();
  io.MouseDown[0] = false;
  draw(2);
  EXPECT_LT(settings_.timeline_start, start) << "dragged to the right, earlier times come into view";
  const auto zoom = settings_.timeline_zoom;
  io.MouseWheel = 1;
  io.MousePos.x = dock.x - 40;  // over the picture
  draw(2);
  io.MouseWheel = 0;
  EXPECT_EQ(settings_.timeline_zoom, zoom);
  click_text("Show all", "dock");
  EXPECT_EQ(settings_.timeline_zoom, 1);
}

// Waiting, drawn to scale, left kernels a few pixels.
TEST_F(FrameTabTest, AFrameThatMostlyWaitsShowsItsKernelsUntilADoubleClick) {
  auto& frame = state_.timeline.frame;
  gpu::TimelineSpan wait;
  wait.kind = gpu::SpanKind::wait;
  wait.timed = true;
  wait.started = wait.enqueued = frame.spans.back().ended;
  wait.ended = wait.queued = 60'000;
  frame.spans.push_back(wait);
  click_text("One frame", "dock");
  draw(2);
  EXPECT_TRUE(shown("row sums", "dock")) << "its bar has room for its name";
  const auto dock = places().dock;
  const ImVec2 at(dock.x + dock.width / 2, middle_of("Latest frame", "dock").y + 40);
  click(at.x, at.y);
  click(at.x, at.y);
  draw(2);
  EXPECT_EQ(settings_.timeline_zoom, 1);
  EXPECT_FALSE(shown("row sums", "dock"));
}

// The order of the rows.
class KernelRowsTest : public testing::Test {
 protected:
  std::string names(KernelFigure by, bool descending) const {
    std::string all;
    for (const auto* row : ordered(rows, by, descending)) all += row->stage.name + ' ';
    return all;
  }

  std::vector<KernelRow> rows = [] {
    std::vector<KernelRow> all{transfer_row("upload", 50), example_row("luma", 1, 10, 0.2), group_row("2r1w", 30, 0.8),
                               example_row("2r1w/tile sums", 1, 30, 0.8), transfer_row("copy", 5)};
    all[2].gb_per_s = 900;
    return all;
  }();
};

TEST_F(KernelRowsTest, UnsortedTheyAreInTheOrderInWhichTheyRun) {
  EXPECT_EQ(names(KernelFigure::run, true), "upload luma 2r1w 2r1w/tile sums copy ");
  EXPECT_EQ(names(KernelFigure::run, false), "upload luma 2r1w 2r1w/tile sums copy ");
}

TEST_F(KernelRowsTest, WhatComputesComesBeforeTransfers) {
  EXPECT_EQ(names(KernelFigure::mean, true), "2r1w 2r1w/tile sums luma upload copy ");
  EXPECT_EQ(names(KernelFigure::mean, false), "luma 2r1w 2r1w/tile sums copy upload ");
  EXPECT_EQ(names(KernelFigure::name, false), "2r1w 2r1w/tile sums luma copy upload ");
  EXPECT_EQ(names(KernelFigure::name, true), "luma 2r1w 2r1w/tile sums upload copy ");
}

TEST_F(KernelRowsTest, RowsStayBelowTheirGroup) {
  rows.insert(rows.begin() + 4, example_row("2r1w/tables", 1, 20, 0.6));
  EXPECT_EQ(names(KernelFigure::mean, true), "2r1w 2r1w/tile sums 2r1w/tables luma upload copy ");
  EXPECT_EQ(names(KernelFigure::mean, false), "luma 2r1w 2r1w/tables 2r1w/tile sums copy upload ");
}

TEST_F(KernelRowsTest, RowsWithoutTheFigureAreLastInBothDirections) {
  for (const bool descending : {true, false}) EXPECT_TRUE(names(KernelFigure::rate, descending).starts_with("2r1w "));
  rows[1].stage.mean = std::nan("");
  EXPECT_EQ(names(KernelFigure::mean, true), "2r1w 2r1w/tile sums luma upload copy ");
  EXPECT_EQ(names(KernelFigure::mean, false), "2r1w 2r1w/tile sums luma copy upload ");
}

TEST_F(KernelRowsTest, TheSlowestKernelIsNoGroupAndNoTransfer) {
  ASSERT_TRUE(slowest_kernel(rows));
  EXPECT_EQ(slowest_kernel(rows)->stage.name, "2r1w/tile sums");
  EXPECT_FALSE(slowest_kernel({}));
}

}  // namespace
}  // namespace app::ui
