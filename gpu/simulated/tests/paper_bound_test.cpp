// The papers' running times, for values computed by hand.
#include "gpu/simulated/paper_bound.h"

#include <gtest/gtest.h>

namespace gpu::simulated {
namespace {

// n = 2^20, w = 2^5, l = 2^8, p = 2^14: n/w = 2^15, nl/p = 2^14, log n = 20.
constexpr MemoryProblem square{
    .width = 1024, .height = 1024, .memory_width = 32, .latency = 256, .threads = 16384, .work_space = 4096};

TEST(PaperBoundTest, ContiguousAccess) { EXPECT_DOUBLE_EQ(contiguous_access_bound(square).time_units, 32768 + 16384 + 256); }

TEST(PaperBoundTest, TheTableCannotBeatTheSum) {
  EXPECT_DOUBLE_EQ(lower_bound(square).time_units, 32768 + 16384 + 256 * 20);
  EXPECT_EQ(lower_bound(square).source, "Theorem 3");
}

TEST(PaperBoundTest, PrefixTreeIsOptimal) {
  const auto bound = paper_bound("prefix_tree", square);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->time_units, lower_bound(square).time_units);
  EXPECT_EQ(bound->source, "Theorem 7");
}

TEST(PaperBoundTest, PrefixTreeBlockedIsSlowerWithLittleWorkSpace) {
  const auto bound = paper_bound("prefix_tree_blocked", square);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->time_units, 32768 + 16384 + 256 * 256 * 12);  // n l / k = 2^16, log k = 12
  EXPECT_EQ(bound->source, "Corollary 6");
}

TEST(PaperBoundTest, PrefixDoublingIsALogarithmSlower) {
  const auto bound = paper_bound("prefix_doubling", square);
  ASSERT_TRUE(bound);
  EXPECT_DOUBLE_EQ(bound->time_units, (32768 + 16384) * 20 + 256 * 20);
  EXPECT_EQ(bound->source, "Lemma 4");
}

TEST(PaperBoundTest, CountsPixelsOfAnyShape) {
  auto wide = square;
  wide.width = 8192;
  wide.height = 128;
  for (const auto name : {"prefix_tree", "prefix_tree_blocked", "prefix_doubling"})
    EXPECT_DOUBLE_EQ(paper_bound(name, wide)->time_units, paper_bound(name, square)->time_units) << name;
  wide.height = 256;
  EXPECT_GT(paper_bound("prefix_tree", wide)->time_units, paper_bound("prefix_tree", square)->time_units);
}

TEST(PaperBoundTest, IsMissingWithoutAPublishedBound) {
  for (const auto name : {"2r2w", "2r2w_optimal", "2r1w", "1r1w", "1_plus_r_r1w", "1r1w_skss", "1r1w_skss_lb",
                          "scan_transpose", "transpose_harris", "ha_blocks", "brlt_scanrow", "cub", "npp", "prefix", ""})
    EXPECT_FALSE(paper_bound(name, square)) << name;
}

}  // namespace
}  // namespace gpu::simulated
