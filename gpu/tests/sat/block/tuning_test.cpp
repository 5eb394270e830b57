// What was tuned, for GPUs that were measured and for those that were not.
#include "gpu/sat/block/tuning.h"

#include <gtest/gtest.h>

namespace gpu::sat {
namespace {

// What is fetched ahead stays a small part of the cache, and is none where the image is far larger than it.
TEST(TuningTest, TilesAheadFitIntoTheCache) {
  constexpr std::size_t bytes = 128 * 128, floats = 4 * bytes, h100 = 50 << 20, h200 = 60 << 20, small = 1 << 20;
  constexpr auto& tuning = tunings[0];
  EXPECT_EQ(tuning.small_tiles.of(bytes, 4096 * 4096, h100), 80);
  EXPECT_EQ(tuning.large_tiles.of(floats, std::size_t{4} * 8192 * 8192, h100), 40);
  EXPECT_EQ(tuning.large_tiles.of(floats, std::size_t{4} * 16384 * 16384, h100), 0);
  EXPECT_EQ(tuning.large_tiles.of(floats, std::size_t{4} * 16384 * 16384, h200), 40);
  EXPECT_EQ(tuning.small_tiles.of(bytes, 1920 * 1080, small), 4);
  EXPECT_EQ(tuning.large_tiles.of(floats, 4 * 1920 * 1080, small), 1);
  constexpr std::size_t row_tile = 32768;
  EXPECT_EQ(tuning.row_of_tiles.of(row_tile, 16 * h100, h100), 80);
  EXPECT_EQ(tuning.row_of_tiles.of(row_tile, 16 * h100 + 1, h100), 0);
  EXPECT_EQ(tuning.row_of_tiles.of(row_tile, small, small), 2);
}

// A GPU of any architecture has a row: its own, or the nearest older one.
TEST(TuningTest, EveryArchitectureHasARow) {
  for (const auto& tuning : tunings) EXPECT_EQ(&tuning_for({.major = tuning.major}), &tuning);
  EXPECT_EQ(&tuning_for({.major = 7}), &tunings[0]) << "older than all";
  EXPECT_EQ(&tuning_for({.major = 99}), &tunings[std::size(tunings) - 1]) << "newer than all";
}

TEST(TuningTest, SmallLaunchesLeaveMostMultiprocessorsIdle) {
  const GpuLimits h200{};
  EXPECT_TRUE(is_small_launch(33, h200));
  EXPECT_FALSE(is_small_launch(34, h200));
}

}  // namespace
}  // namespace gpu::sat
