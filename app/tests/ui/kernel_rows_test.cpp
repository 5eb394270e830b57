// The order of the rows, and what a click on a title does.
#include "app/ui/kernel_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/tests/ui/ui_example.h"

namespace app::ui {
namespace {

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
