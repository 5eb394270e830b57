// The arithmetic of the effects: means without division, borders without loops; and the sums of all windows of a row at once, as the host
// computes them, against those of one window alone, as the device does.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gpu/effects/window_sums.h"

namespace gpu::effects {
namespace {

constexpr Border all_borders[] = {Border::reflect101, Border::reflect, Border::replicate, Border::constant, Border::clip};

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
  for (const auto border : all_borders)
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

// Each window by itself.
struct EachAlone {
  int width;

  template <class Pixel>
  void within(int begin, int end, const Pixel& pixel) const {
    for (int x = begin; x < end; ++x) pixel(x);
  }
  template <class Pixel>
  void without(int begin, int end, const Pixel& pixel) const {
    within(0, std::min(begin, width), pixel);
    within(std::max(begin, end), width, pixel);
  }
};
// As detail::RowSpans of for_each_pixel.cuh.
struct WholeRow : EachAlone {
  static constexpr bool loops = true;
};

struct Window {
  std::uint32_t sum = 0;
  int count = 0;
  friend bool operator==(const Window&, const Window&) = default;
};
template <class Spans>
std::vector<Window> windows(const WindowSums& sums, int y) {
  std::vector<Window> row(static_cast<std::size_t>(sums.sat.width));
  Spans spans{};
  spans.width = sums.sat.width;
  sums.row(y, spans, [&](int x, std::uint32_t sum, int count, auto) { row[static_cast<std::size_t>(x)] = {sum, count}; });
  return row;
}

TEST(WindowSumsTest, InsideTheImageEqualThoseOfARow) {
  std::vector<std::uint32_t> table(40 * 30);
  std::mt19937 random(6);
  for (auto& entry : table) entry = random();
  const SatView sat{table.data(), 40, 30, 40};
  for (const Size window : {Size{1, 1}, {2, 2}, {3, 5}, {15, 16}, {38, 4}, {41, 3}, {3, 31}}) {
    const WindowSums sums{sat, window, Border::clip};
    const auto inside = sums.interior();
    for (int y = inside.y0; y < inside.y1; ++y) {
      const auto row = windows<EachAlone>(sums, y);
      for (int x = inside.x0; x < inside.x1; ++x) {
        const auto& expected = row[static_cast<std::size_t>(x)];
        EXPECT_EQ(sums.inner_sum(x, y), expected.sum) << x << ", " << y;
        EXPECT_EQ(static_cast<int>(window.pixels()), expected.count);
      }
    }
  }
}

TEST(WindowSumsTest, OfAWholeRowEqualThoseOfEachPixel) {
  std::mt19937 random(5);
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {9, 1}, {2, 3}, {17, 5}, {64, 48}, {200, 3}}) {
    // Large numbers, so that sums wrap: both must wrap alike.
    std::vector<std::uint32_t> table(static_cast<std::size_t>(width * height));
    for (auto& entry : table) entry = random();
    const SatView sat{table.data(), width, height, width};
    for (const Size window :
         {Size{1, 1}, {2, 2}, {3, 5}, {15, 15}, {64, 48}, {129, 3}, {3, 129}, {1773, 1773}, {2047, 2047}})
      for (const auto border : all_borders)
        for (int y = 0; y < height; ++y) {
          const WindowSums sums{sat, window, border};
          ASSERT_EQ(windows<WholeRow>(sums, y), windows<EachAlone>(sums, y))
              << width << 'x' << height << ", window " << window.width << 'x' << window.height << ", border "
              << static_cast<int>(border) << ", row " << y;
        }
  }
}

}  // namespace
}  // namespace gpu::effects
