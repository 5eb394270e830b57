// 1_plus_r_r1w, replayed without a GPU: its share r, compared with the paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpu/tests/sat/dry_replay.h"

namespace gpu {
namespace {

constexpr auto u8_to_u32 = SatType::u8_u32;

Context replay_with(const std::string& r, Size size) { return replay("1_plus_r_r1w W=64 r=" + r, u8_to_u32, size); }

// As many kernels as in Table I of the paper if sqrt(r) n / W is an integer; r is the share of all tiles, also for images
// that are not square. `tiles` counts those of both corners.
TEST(OnePlusRTest, UsesTheShareR) {
  const auto tiles_of = [](const Context& context) {
    unsigned tiles = 0;
    for (const auto& launch : context.launches())
      if (launch.name == "tile sums") tiles += launch.shape.grid.x;
    return tiles;
  };
  for (const double r : {0.01, 0.0625, 0.25, 0.33, 0.5, 0.75, 0.95}) {
    for (const int n : {4, 8, 10, 15, 64}) {
      const auto context = replay_with(std::to_string(r), {64 * n, 64 * n});
      // At least one diagonal lies between the corners.
      const auto corner = std::min(static_cast<unsigned>(std::ceil(std::sqrt(r) * n)), static_cast<unsigned>(n - 1));
      EXPECT_EQ(count(context, LaunchRecord::Kind::kernel), 2 * (static_cast<unsigned>(n) - corner) + 5)
          << r << ", n = " << n;
      EXPECT_EQ(tiles_of(context), corner * (corner + 1)) << "r = " << r << ", n = " << n;
    }
    for (const Size size : {Size{16400, 33}, Size{33, 16400}, Size{16400, 640}, Size{1920, 1080}, Size{640, 6400}}) {
      const int rows = ceil_div(size.height, 64), columns = ceil_div(size.width, 64);
      const double share = static_cast<double>(tiles_of(replay_with(std::to_string(r), size))) / (rows * columns);
      EXPECT_GE(share, r / 2);  // where the tolerance is larger than the share
      EXPECT_NEAR(share, r, 3.0 / std::max(rows, columns)) << "r = " << r << ", " << size.width << " x " << size.height;
    }
  }
}

TEST(OnePlusRTest, LeavesADiagonalBetweenTheCorners) {
  for (const Size size : {Size{1, 1}, Size{65, 1}, Size{1920, 1080}, Size{1280, 640}, Size{64, 6400}})
    EXPECT_GT(std::ranges::count(replay_with("0.95", size).launches(), "diagonal", &LaunchRecord::name), 0)
        << size.width << " x " << size.height;
}

TEST(OnePlusRTest, WithoutAShareIs1R1W) {
  for (const Size size : {Size{640, 640}, Size{1920, 1080}, Size{1, 1}})
    EXPECT_EQ(kernels_of(replay_with("0", size)), kernels_of(replay("1r1w W=64", u8_to_u32, size)));
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
