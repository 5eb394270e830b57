// The arithmetic of the effects: means without division, borders without loops.
#include <gtest/gtest.h>

#include <vector>

#include "gpu/effects/window_sums.h"

namespace gpu::effects {
namespace {

// The condition of the header's theorem, for each area. m is at most 2*sum + area with sum = 255 * area.
TEST(EffectArithmeticRoundedMeanTest, IsExactForEveryArea) {
  for (std::uint32_t area = 1; area <= RoundedMean::max_area; ++area) {
    const RoundedMean mean(area);
    const std::uint64_t power = std::uint64_t{1} << mean.shift();
    const std::uint64_t product = std::uint64_t{mean.multiplier()} * 2 * area;
    const std::uint64_t largest = std::uint64_t{area} * 511;
    ASSERT_GE(mean.shift(), 32) << area;
    ASSERT_GE(product, power) << area;
    ASSERT_LT(largest * (product - power), power) << area;
    ASSERT_LT(largest, std::uint64_t{1} << 32) << area;
  }
}

TEST(EffectArithmeticRoundedMeanTest, AgreesWithDivision) {
  for (std::uint32_t area : {1u, 2u, 3u, 4u, 9u, 15u, 16u, 17u, 225u, 256u, 257u, 961u}) {
    const RoundedMean mean(area);
    for (std::uint32_t sum = 0; sum <= 255 * area; ++sum)
      ASSERT_EQ(mean(sum), (2 * sum + area) / (2 * area)) << sum << " / " << area;
  }
  // Large areas, where the quotient changes: the last sum below a half and the first above it.
  for (std::uint32_t area : {4095u, 4096u, 65535u, 1048577u, RoundedMean::max_area - 1, RoundedMean::max_area}) {
    const RoundedMean mean(area);
    for (std::uint64_t level = 0; level < 255; ++level) {
      const std::uint64_t first_above = (2 * level + 1) * area / 2 + (area % 2);
      ASSERT_EQ(mean(static_cast<std::uint32_t>(first_above)), level + 1) << area;
      ASSERT_EQ(mean(static_cast<std::uint32_t>(first_above - 1)), level) << area;
    }
  }
}

// The pixel at position i, found one reflection at a time; -1 if there is none.
int pixel_at(int i, int n, Border border) {
  if (i >= 0 && i < n) return i;
  switch (border) {
    case Border::replicate: return i < 0 ? 0 : n - 1;
    case Border::constant:
    case Border::clip: return -1;
    case Border::reflect:
    case Border::reflect101: break;
  }
  const int offset = border == Border::reflect101 ? 1 : 0;
  if (n == 1) return 0;
  while (i < 0 || i >= n) i = i < 0 ? -i - 1 + offset : 2 * n - 1 - i - offset;
  return i;
}

TEST(EffectArithmeticAxisTermsTest, SumEveryInterval) {
  for (const auto border : {Border::reflect101, Border::reflect, Border::replicate, Border::constant, Border::clip})
    for (int n : {1, 2, 3, 4, 7})
      for (int begin = -40; begin <= 40; ++begin)
        for (int end = begin; end <= 60; ++end) {
          std::vector<int> times(static_cast<std::size_t>(n)), expected(times);
          for (int i = begin; i < end; ++i)
            if (const int pixel = pixel_at(i, n, border); pixel >= 0) ++expected[static_cast<std::size_t>(pixel)];
          const auto terms = axis_terms(begin, end, n, border);
          for (int k = 0; k < AxisTerms::count; ++k) {
            ASSERT_GE(terms.last[k], 0);
            ASSERT_LT(terms.last[k], n);
            for (int i = 0; i <= terms.last[k]; ++i) times[static_cast<std::size_t>(i)] += terms.weight[k];
          }
          ASSERT_EQ(times, expected) << "border " << static_cast<int>(border) << " n " << n << " from " << begin << " to "
                                     << end;
        }
}

}  // namespace
}  // namespace gpu::effects
