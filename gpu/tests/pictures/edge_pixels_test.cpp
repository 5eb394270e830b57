// The pixels that a device draws with care for the edge, and all others.
#include "gpu/pictures/edge_pixels.h"

#include <gtest/gtest.h>

#include <vector>

namespace gpu {
namespace {

void expect_each_once(Size size, const PixelRange& range) {
  const EdgePixels edge(size, range);
  const auto& inside = edge.inside;
  EXPECT_EQ(inside.x0 % 8, 0);
  std::vector<int> times(size.pixels());
  const auto mark = [&](int x, int y) {
    ASSERT_TRUE(x >= 0 && x < size.width && y >= 0 && y < size.height) << x << ", " << y;
    ++times[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x)];
  };
  for (int y = inside.y0; y < inside.y1; ++y)
    for (int x = inside.x0; x < inside.x1; ++x) {
      mark(x, y);
      EXPECT_TRUE(x >= range.x0 && x < range.x1 && y >= range.y0 && y < range.y1);
    }
  for (std::int64_t i = 0; i < edge.count(); ++i) mark(edge.at(i).x, edge.at(i).y);
  EXPECT_EQ(times, std::vector<int>(size.pixels(), 1)) << size.width << 'x' << size.height;
}

TEST(EdgePixelsTest, WithThoseInsideAreEachPixelOnce) {
  expect_each_once({37, 11}, {3, 30, 2, 9});
  expect_each_once({37, 11}, {4, 32, 0, 11});
  expect_each_once({16, 3}, whole({16, 3}));
  expect_each_once({17, 3}, whole({17, 3}));
  expect_each_once({3, 5}, whole({3, 5}));
  expect_each_once({1, 1}, {1, 0, 1, 0});
  expect_each_once({20, 20}, {9, 12, 9, 12});    // nothing from a multiple of eight on
  expect_each_once({20, 20}, {30, -9, 30, -9});  // a window larger than the image
}

// More than 32 bits count.
TEST(EdgePixelsTest, OfAnImageOfManyAreThoseOfItsRows) {
  constexpr int width = 1 << 22, height = 1 << 12;
  const EdgePixels edge({width, height}, {1 << 21, width, 1, height});
  const std::int64_t above = width, beside = 1 << 21;
  ASSERT_EQ(edge.count(), above + beside * (height - 1));
  ASSERT_GT(edge.count(), std::int64_t{1} << 32);
  const auto expect_at = [&](std::int64_t i, int x, int y) {
    EXPECT_EQ(edge.at(i).x, x);
    EXPECT_EQ(edge.at(i).y, y);
  };
  expect_at(above - 1, width - 1, 0);
  expect_at(above + beside, 0, 2);
  expect_at(edge.count() - 1, static_cast<int>(beside) - 1, height - 1);
}

}  // namespace
}  // namespace gpu
