// The sums of all windows of a row at once, as the host computes them, against those of one window alone, as the device does.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gpu/effects/window_sums.h"

namespace gpu::effects {
namespace {

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
      for (const auto border : {Border::reflect101, Border::reflect, Border::replicate, Border::constant, Border::clip})
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
