// 1_plus_r_r1w, replayed without a GPU: its share r, compared with the paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpu/tests/sat/dry_replay.h"

namespace gpu {
namespace {

constexpr auto u8_to_u32 = SatType::u8_u32;

// As many kernels as in Table I of the paper if sqrt(r) n / W is an integer; r is the share of all tiles, also for images
// that are not square. `tiles` counts those of both corners.
TEST(OnePlusRTest, UsesTheShareR) {
  const auto* algorithm = find_sat_algorithm("1_plus_r_r1w");
  ASSERT_NE(algorithm, nullptr);
  const auto tiles_of = [](const Context& context) {
    unsigned tiles = 0;
    for (const auto& kernel : kernels_of(context))
      if (kernel.name == "tile sums") tiles += kernel.grid_x;
    return tiles;
  };
  Arguments arguments(algorithm->parameters);
  arguments.set("W", "64");
  for (const double r : {0.01, 0.0625, 0.25, 0.33, 0.5, 0.75, 0.95}) {
    arguments.set("r", std::to_string(r));
    for (const int n : {4, 8, 10, 15, 64}) {
      const auto context = replay(*algorithm, arguments, u8_to_u32, {64 * n, 64 * n});
      // At least one diagonal lies between the corners.
      const auto corner = std::min(static_cast<unsigned>(std::ceil(std::sqrt(r) * n)), static_cast<unsigned>(n - 1));
      EXPECT_EQ(kernels_of(context).size(), 2 * (static_cast<unsigned>(n) - corner) + 5) << "r = " << r << ", n = " << n;
      EXPECT_EQ(tiles_of(context), corner * (corner + 1)) << "r = " << r << ", n = " << n;
    }
    for (const Size size : {Size{16400, 33}, Size{33, 16400}, Size{16400, 640}, Size{1920, 1080}, Size{640, 6400}}) {
      const int rows = ceil_div(size.height, 64), columns = ceil_div(size.width, 64);
      const double share = static_cast<double>(tiles_of(replay(*algorithm, arguments, u8_to_u32, size))) / (rows * columns);
      EXPECT_GE(share, r / 2);  // where the tolerance is larger than the share
      EXPECT_NEAR(share, r, 3.0 / std::max(rows, columns)) << "r = " << r << ", " << size.width << " x " << size.height;
    }
  }
}

TEST(OnePlusRTest, LeavesADiagonalBetweenTheCorners) {
  const auto* algorithm = find_sat_algorithm("1_plus_r_r1w");
  ASSERT_NE(algorithm, nullptr);
  Arguments arguments(algorithm->parameters);
  arguments.set("W", "64");
  arguments.set("r", "0.95");
  for (const Size size : {Size{1, 1}, Size{65, 1}, Size{1920, 1080}, Size{1280, 640}, Size{64, 6400}}) {
    const auto kernels = kernels_of(replay(*algorithm, arguments, u8_to_u32, size));
    const auto between = [](const auto& kernel) { return kernel.name == "diagonal"; };
    EXPECT_TRUE(std::ranges::any_of(kernels, between)) << size.width << " x " << size.height;
  }
}

TEST(OnePlusRTest, WithoutAShareIs1R1W) {
  const auto *algorithm = find_sat_algorithm("1_plus_r_r1w"), *other = find_sat_algorithm("1r1w");
  ASSERT_TRUE(algorithm && other);
  Arguments arguments(algorithm->parameters), others(other->parameters);
  arguments.set("r", "0");
  arguments.set("W", "64");
  others.set("W", "64");
  for (const Size size : {Size{640, 640}, Size{1920, 1080}, Size{1, 1}})
    EXPECT_EQ(kernels_of(replay(*algorithm, arguments, u8_to_u32, size)),
              kernels_of(replay(*other, others, u8_to_u32, size)));
}

TEST(OnePlusRTest, TakesAnyShareUpTo95Percent) {
  const auto* algorithm = find_sat_algorithm("1_plus_r_r1w");
  ASSERT_NE(algorithm, nullptr);
  Arguments arguments(algorithm->parameters);
  for (const auto* r : {"0", "0.123456", "0.95"}) EXPECT_NO_THROW(arguments.set("r", r)) << r;
  for (const auto* r : {"-0.01", "0.96", "1", "half"}) EXPECT_THROW(arguments.set("r", r), ArgumentError) << r;
}

}  // namespace
}  // namespace gpu
