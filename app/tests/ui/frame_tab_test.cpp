// The table of kernels: its columns, the order of its rows, what a click on a title does, and what rows say under the mouse.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/ui_example.h"
#include "app/ui/kernel_rows.h"

namespace app::ui {
namespace {

class KernelTableTest : public ControlsTest {
 protected:
  // Where the titles of the columns are; those that are not shown have no place.
  static std::map<std::string, float> titles() {
    std::map<std::string, float> found;
    for (const char* title : {"Launches", "Last", "Mean", "p50", "p90", "p99", "p99.9", "Max", "Bound", "Latest", "Share"})
      if (const auto place = TextCheck::place_of(title, "dock")) found[title] = place->Max.x;
    return found;
  }
};

TEST_F(KernelTableTest, TheColumnsStayWhereTheyAreWhenRowsAreSorted) {
  for (float width = 800; width <= 1600; width += 100) {
    ImGui::GetIO().DisplaySize.x = width;
    settings_.kernels_sort = KernelSort::run;
    draw(3);
    const auto before = titles();
    EXPECT_GE(before.size(), 2u) << width;
    for (const auto sort : {KernelSort::mean, KernelSort::name})
      for (const bool descending : {false, true}) {
        settings_.kernels_sort = sort;
        settings_.kernels_descending = descending;
        draw(3);
        EXPECT_EQ(titles(), before) << width;
      }
  }
}

TEST_F(KernelTableTest, SidesAndEffectsHaveTheTitlesOfTheMenus) {
  auto side = state_.kernels.rows.front(), kernel = side;
  side.stage.name = "B: sat_view";
  kernel.stage.name = "B: sat_view/none";
  kernel.stage.depth = 1;
  state_.kernels.rows = {side, kernel};
  for (const auto sort : {KernelSort::run, KernelSort::mean}) {
    settings_.kernels_sort = sort;
    draw(3);
    EXPECT_TRUE(shown("B: The table", "dock"));
    EXPECT_TRUE(shown("None", "dock"));
    EXPECT_FALSE(shown("sat_view", "dock"));
    EXPECT_FALSE(shown("none", "dock"));
  }
}

TEST_F(KernelTableTest, TheTitleOfTheRateSaysWhyDetectionHasNone) {
  ImGui::GetIO().DisplaySize.x = 1600;
  draw(3);
  ImGui::GetIO().MousePos = middle_of("GB/s", "dock");
  draw(3);
  EXPECT_TRUE(shown("Detection by a cascade has none", "##Tooltip"));
}

TEST_F(KernelTableTest, EveryFigureOfARowIsUnderTheMouseInASmallWindow) {
  ImGui::GetIO().DisplaySize = {800, 600};
  draw(3);
  ASSERT_FALSE(shown("p99.9", "dock")) << "there is room for all";
  const auto dock = layout(settings_, 800, 600).dock;
  for (const char* name : {"luma", "all kernels"}) {
    const auto row = TextCheck::place_of(name, "dock");
    ASSERT_TRUE(row) << name;
    for (const float x : {row->Min.x + 3, dock.x + dock.width * 0.6f, dock.x + dock.width - 30}) {
      ImGui::GetIO().MousePos = {x, row->GetCenter().y};
      draw(3);
      for (const char* figure : {name, "mean", "p50", "p90", "p99.9", "max", "last"})
        EXPECT_TRUE(shown(figure, "##Tooltip")) << figure << " of " << name << " at " << x;
      EXPECT_EQ(shown("launch", "##Tooltip"), std::string_view(name) == "luma");
    }
  }
}

TEST_F(KernelTableTest, TimesFarAboveUsualAreSaid) {
  ImGui::GetIO().DisplaySize = {1600, 900};
  draw(3);
  EXPECT_FALSE(shown("far above usual", "dock"));
  state_.kernels.timed_frames = 100;
  state_.kernels.lost_frames = 3;
  state_.kernels.lost_us = 300;
  state_.kernels.rows.front().stage.lost_frames = 2;
  state_.kernels.rows.front().stage.lost_us = 310;
  draw(3);
  ImGui::GetIO().MousePos = middle_of("3 far above usual", "dock");
  draw(3);
  EXPECT_TRUE(shown("left out in 3 of 100 frames: 300", "##Tooltip"));
  ImGui::GetIO().MousePos = middle_of("luma", "dock");
  draw(3);
  EXPECT_TRUE(shown("left out: 2 frames, far above usual by 310", "##Tooltip"));
}

// The order of the rows, and what a click on a title does.
class KernelRowsTest : public testing::Test {
 protected:
  std::string names(KernelSort by, bool descending) const {
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
  EXPECT_EQ(names(KernelSort::run, true), "upload luma 2r1w 2r1w/tile sums copy ");
  EXPECT_EQ(names(KernelSort::run, false), "upload luma 2r1w 2r1w/tile sums copy ");
}

TEST_F(KernelRowsTest, WhatComputesComesBeforeTransfers) {
  EXPECT_EQ(names(KernelSort::mean, true), "2r1w 2r1w/tile sums luma upload copy ");
  EXPECT_EQ(names(KernelSort::mean, false), "luma 2r1w 2r1w/tile sums copy upload ");
  EXPECT_EQ(names(KernelSort::name, false), "2r1w 2r1w/tile sums luma copy upload ");
  EXPECT_EQ(names(KernelSort::name, true), "luma 2r1w/tile sums 2r1w upload copy ");
}

TEST_F(KernelRowsTest, RowsWithoutTheFigureAreLastInBothDirections) {
  for (const bool descending : {true, false}) EXPECT_TRUE(names(KernelSort::rate, descending).starts_with("2r1w luma "));
  rows[3].stage.mean = std::nan("");
  EXPECT_EQ(names(KernelSort::mean, true), "2r1w luma 2r1w/tile sums upload copy ");
  EXPECT_EQ(names(KernelSort::mean, false), "luma 2r1w 2r1w/tile sums copy upload ");
}

TEST(KernelRowsOrderTest, AThirdClickOnATitleRestoresTheOrderInWhichTheyRun) {
  KernelOrder order{KernelSort::run, true};
  order = after_click(order, KernelSort::p99);
  EXPECT_EQ(order, (KernelOrder{KernelSort::p99, true})) << "the largest first";
  order = after_click(order, KernelSort::p99);
  EXPECT_EQ(order, (KernelOrder{KernelSort::p99, false}));
  order = after_click(order, KernelSort::name);
  EXPECT_EQ(order, (KernelOrder{KernelSort::name, false})) << "from A on";
  order = after_click(order, KernelSort::name);
  EXPECT_EQ(order, (KernelOrder{KernelSort::name, true}));
  order = after_click(order, KernelSort::name);
  EXPECT_EQ(order.by, KernelSort::run);
}

}  // namespace
}  // namespace app::ui
