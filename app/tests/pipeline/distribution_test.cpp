// Percentiles compared with sorting all values.
#include "app/pipeline/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "gpu/percentile.h"

namespace app {
namespace {

TEST(DistributionNearestRankTest, RoundsTheRankUp) {
  EXPECT_EQ(gpu::nearest_rank(1, 50), 0u);
  EXPECT_EQ(gpu::nearest_rank(2, 50), 0u);
  EXPECT_EQ(gpu::nearest_rank(3, 50), 1u);
  EXPECT_EQ(gpu::nearest_rank(100, 99), 98u);
  EXPECT_EQ(gpu::nearest_rank(101, 99), 99u);
  EXPECT_EQ(gpu::nearest_rank(700, 99), 692u);  // 693 of 700, without rounding errors
  EXPECT_EQ(gpu::nearest_rank(10, 100), 9u);
  EXPECT_EQ(gpu::nearest_rank(10, 0), 0u);
  EXPECT_EQ(gpu::nearest_rank(0, 50), 0u);
}

TEST(DistributionTest, WithoutValuesEverythingIsZero) {
  const Distribution none;
  EXPECT_EQ(none.percentile(50), 0);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.max(), 0);
  EXPECT_EQ(none.share_above(1), 0);
}

TEST(DistributionTest, IsExactForAnyNumberOfValuesAndQueries) {
  std::mt19937 random(5);
  Distribution distribution;
  std::vector<double> all;
  for (int i = 0; i < 60'000; ++i) {
    const double value = random() % (i % 3 ? 100'000 : 50);  // many equal ones
    distribution.add(value);
    all.push_back(value);
    if (random() % 1500 && i > 40) continue;
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    for (const unsigned permille : {1u, 10u, 999u})
      ASSERT_EQ(distribution.permille(permille), sorted[gpu::nearest_rank_permille(sorted.size(), permille)]);
    for (const unsigned permille : {1u, 10u}) {
      const auto largest = (sorted.size() * permille + 999) / 1000;
      const auto sum = distribution.largest(permille);
      ASSERT_EQ(sum.count, largest);
      ASSERT_EQ(sum.nanoseconds, std::accumulate(sorted.end() - static_cast<std::ptrdiff_t>(largest), sorted.end(), 0ll,
                                                 [](auto a, double b) { return a + std::llround(b * 1000); }));
    }
    for (const unsigned percent : {0u, 1u, 50u, 90u, 99u, 100u})
      ASSERT_EQ(distribution.percentile(percent), sorted[gpu::nearest_rank(sorted.size(), percent)]) << i << ' ' << percent;
    ASSERT_EQ(distribution.max(), sorted.back());
    ASSERT_EQ(distribution.last(), value);
    const auto above = std::count_if(all.begin(), all.end(), [](double v) { return v > 30'000; });
    ASSERT_DOUBLE_EQ(distribution.share_above(30'000), static_cast<double>(above) / static_cast<double>(all.size()));
  }
  EXPECT_EQ(distribution.count(), all.size());
}

// A sum of floating-point numbers would depend on their order.
TEST(DistributionTest, TheMeanIsThatOfWholeNanosecondsInAnyOrder) {
  Distribution up, down;
  for (int i = 0; i < 100'000; ++i)
    up.add(0.001 * (i % 7) + 1e6 * (i % 2)), down.add(0.001 * ((99'999 - i) % 7) + 1e6 * (i % 2));
  EXPECT_EQ(up.sum().nanoseconds, down.sum().nanoseconds);
  EXPECT_EQ(up.mean(), down.mean());
  Distribution half;
  half.add(0.001);
  half.add(0.002);
  EXPECT_EQ(half.mean(), 0.002) << "halves are rounded up";
}

TEST(DistributionTest, OfTheLargestThereIsAtLeastOne) {
  Distribution values;
  EXPECT_EQ(values.largest(1).per_second(), 0);
  for (const double value : {3.0, 1.0, 2.0}) values.add(value * 1000);
  EXPECT_EQ(values.largest(1).count, 1u);
  EXPECT_DOUBLE_EQ(values.largest(1).per_second(), 1 / 0.003);
  EXPECT_EQ(values.largest(1000).count, 3u);
}

}  // namespace
}  // namespace app
