// Which levels and windows a frame has, and the pixels of a level: by OpenCV's rules, restated.
#include "gpu/vision/levels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/tests/effects/effect_support.h"

namespace gpu::vision {
namespace {

std::string text_of(const Level& level) {
  return std::to_string(level.size.width) + "x" + std::to_string(level.size.height) + " step " + std::to_string(level.step) +
         " windows " + std::to_string(level.across) + "x" + std::to_string(level.down) + " of " +
         std::to_string(level.window.width) + "x" + std::to_string(level.window.height);
}

TEST(LevelsTest, StepsArePixelsOfTheFrameWhereTheLevelIsLarge) {
  const auto levels = levels_of({100, 80}, {20, 20}, {.scale_factor = 1.5});
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_EQ(text_of(levels[0]), "100x80 step 2 windows 41x30 of 20x20");
  EXPECT_EQ(text_of(levels[1]), "67x53 step 2 windows 24x17 of 30x30");
  EXPECT_EQ(text_of(levels[2]), "44x36 step 1 windows 25x17 of 45x45");
  EXPECT_EQ(text_of(levels[3]), "30x24 step 1 windows 11x5 of 68x68");
}

// One column of windows is one stripe, of rows / 2 * 2 rows: the last of an odd number of rows is in none. Three stripes
// take it in. (The factor ends the list after the first level.)
TEST(LevelsTest, TheLastRowMayBeInNoStripe) {
  EXPECT_EQ(levels_of({20, 24}, {20, 20}, {.scale_factor = 2}).at(0).down, 2);
  EXPECT_EQ(levels_of({84, 24}, {20, 20}, {.scale_factor = 2}).at(0).down, 3);
}

TEST(LevelsTest, TheFirstLevelWithinTheLimitsCountsTheStripes) {
  const LevelOptions all{.scale_factor = 1.1}, some{.scale_factor = 1.1, .min_size = {70, 70}, .max_size = {90, 80}};
  const auto every = levels_of({300, 100}, {20, 20}, all), within = levels_of({300, 100}, {20, 20}, some);
  ASSERT_EQ(within.size(), 1u);
  EXPECT_EQ(within[0].window, (Size{76, 76}));
  int found = 0;
  for (const auto& level : every)
    if (level.window == within[0].window) {
      ++found;
      EXPECT_EQ(level.size, within[0].size);
      EXPECT_EQ(level.across, within[0].across);
      EXPECT_LE(within[0].down, level.down);
    }
  EXPECT_EQ(found, 1);
}

TEST(LevelsTest, WithoutASizeWithinTheLimitsTheNearestIsUsed) {
  const auto levels = levels_of({300, 300}, {20, 20}, {1.3, {110, 110}, {111, 111}});
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].window, (Size{97, 97}));
}

// Each side of a limit counts, and of the frame.
TEST(LevelsTest, WidthAndHeightAreLimitedEach) {
  const auto windows = [](Size frame, const LevelOptions& options) {
    std::string text;
    for (const auto& level : levels_of(frame, {20, 10}, options))
      text += std::to_string(level.window.width) + 'x' + std::to_string(level.window.height) + ' ';
    return text;
  };
  EXPECT_EQ(windows({200, 100}, {.scale_factor = 2}), "20x10 40x20 80x40 160x80 ");
  EXPECT_EQ(windows({200, 50}, {.scale_factor = 2}), "20x10 40x20 80x40 ");
  EXPECT_EQ(windows({100, 100}, {.scale_factor = 2}), "20x10 40x20 80x40 ");
  EXPECT_EQ(windows({200, 100}, {2, {30, 0}, {}}), "40x20 80x40 160x80 ");
  EXPECT_EQ(windows({200, 100}, {2, {0, 30}, {}}), "80x40 160x80 ");
  EXPECT_EQ(windows({200, 100}, {2, {40, 20}, {80, 40}}), "40x20 80x40 ");
  EXPECT_EQ(windows({200, 100}, {2, {}, {79, 90}}), "20x10 40x20 ");
  EXPECT_EQ(windows({200, 100}, {2, {}, {190, 39}}), "20x10 40x20 ");
  EXPECT_EQ(windows({200, 50}, {2, {170, 90}, {180, 95}}), "80x40 ") << "the nearest that the frame has";
}

// A side of max_size that is 0 is the frame's, and then so is the other, as in OpenCV.
TEST(LevelsTest, ALargestSizeWithASideOfZeroIsTheFrames) {
  const auto every = levels_of({300, 200}, {20, 20}, {.scale_factor = 1.3});
  EXPECT_LT(levels_of({300, 200}, {20, 20}, {.scale_factor = 1.3, .max_size = {40, 40}}).size(), every.size());
  for (const Size most : {Size{0, 40}, Size{40, 0}, Size{0, 0}}) {
    const auto levels = levels_of({300, 200}, {20, 20}, {.scale_factor = 1.3, .max_size = most});
    ASSERT_EQ(levels.size(), every.size());
    for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(text_of(levels[i]), text_of(every[i]));
  }
}

TEST(LevelsTest, AFrameSmallerThanTheWindowHasNone) {
  EXPECT_TRUE(levels_of({19, 400}, {20, 20}, {}).empty());
  EXPECT_TRUE(levels_of({1, 1}, {20, 20}, {.min_size = {50, 50}}).empty());
  EXPECT_EQ(levels_of({20, 20}, {20, 20}, {}).size(), 1u);
  EXPECT_TRUE(levels_of({70'000, 19}, {20, 20}, {}).empty()) << "of whatever size";
  EXPECT_THROW(levels_of({8'388'608, 20}, {20, 20}, {}), std::invalid_argument);
}

TEST(LevelsTest, RefusesFactorsThatHardlyGrow) {
  for (const double factor : {1.0, 0.5, -2.0, 1.0001, std::nan("")})
    EXPECT_THROW(levels_of({100, 100}, {20, 20}, {.scale_factor = factor}), std::invalid_argument) << factor;
  EXPECT_THROW(levels_of({20, 8'388'608}, {20, 20}, {}), std::invalid_argument);
}

TEST(LevelsTest, BlendsLieBetweenTheCentresOfPixels) {
  EXPECT_EQ(blends_of(4, 2), (std::vector<Blend>{{0, 128}, {2, 128}}));
  EXPECT_EQ(blends_of(3, 3), (std::vector<Blend>{{0, 0}, {1, 0}, {2, 0}}));
  EXPECT_EQ(blends_of(1, 2), (std::vector<Blend>{{0, 0}, {0, 0}}));
  EXPECT_EQ(blends_of(most_frame_side, most_frame_side / 2).back(), (Blend{8'388'605, 128}));
}

// As a GPU's threads load them.
TEST(LevelsTest, ABlendIsAWord) {
  for (const auto& [first, weight] : {std::pair(0, 256), {1, 0}, {most_frame_side, 255}, {most_frame_side, 256}}) {
    const auto blend = Blend::of(first, weight);
    EXPECT_EQ(blend.first, static_cast<unsigned>(first));
    EXPECT_EQ(blend.weight, static_cast<unsigned>(weight));
    EXPECT_EQ(Blend::of_word(std::bit_cast<std::uint32_t>(blend)), blend);
  }
}

TEST(LevelsTest, PixelsAreBlendedExactlyAndRoundedOnce) {
  const Size from{37, 29}, to{23, 17};
  const auto frame = test::HostFrame::noise(from, 3);
  const auto columns = blends_of(from.width, to.width), rows = blends_of(from.height, to.height);
  const Image<std::uint8_t> level(to, Device::host);
  resize_rows(frame.gray.view(), columns, rows, level.view());
  const auto pixels = frame.gray.view();
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      const auto column = columns[static_cast<std::size_t>(x)], row = rows[static_cast<std::size_t>(y)];
      const auto blend = [&](int j) {
        const int next = std::min(column.first + 1, from.width - 1);
        return pixels(column.first, j) * (256 - column.weight) + pixels(next, j) * column.weight;
      };
      const int next = std::min(row.first + 1, from.height - 1);
      const int sum = blend(row.first) * (256 - row.weight) + blend(next) * row.weight;
      ASSERT_EQ(level.view()(x, y), (sum + 32768) / 65536) << x << "," << y;
    }
}

}  // namespace
}  // namespace gpu::vision
