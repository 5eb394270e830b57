// Grouping against a plain restatement of cv::groupRectangles() that compares every pair of windows. (Against OpenCV itself:
// app/tests/vision/.)
#include "gpu/vision/grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gpu::vision {
namespace {

bool are_similar(const Window& a, const Window& b) {
  const double delta = 0.2 * (std::min(a.width, b.width) + std::min(a.height, b.height)) * 0.5;
  return std::abs(a.x - b.x) <= delta && std::abs(a.y - b.y) <= delta && std::abs(a.x + a.width - b.x - b.width) <= delta &&
         std::abs(a.y + a.height - b.y - b.height) <= delta;
}

// Classes by spreading the lowest number of a class until nothing changes.
std::vector<WindowClass> classes_of(const std::vector<Window>& windows) {
  std::vector<std::size_t> lowest(windows.size());
  for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < windows.size(); ++i)
      for (std::size_t j = 0; j < windows.size(); ++j)
        if (lowest[j] < lowest[i] && are_similar(windows[i], windows[j])) {
          lowest[i] = lowest[j];
          changed = true;
        }
  }
  std::vector<WindowClass> sums(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    auto& sum = sums[lowest[i]];
    const auto& w = windows[i];
    sum = {sum.x + static_cast<std::uint64_t>(w.x), sum.y + static_cast<std::uint64_t>(w.y),
           sum.width + static_cast<unsigned>(w.width), sum.height + static_cast<unsigned>(w.height), sum.count + 1};
  }
  std::erase_if(sums, [](const WindowClass& c) { return c.count == 0; });
  return sums;
}

// As a cascade finds them: squares of a few sizes at even places, in clumps.
std::vector<Window> clumps(unsigned seed, int count, double scale_factor, int spread) {
  std::mt19937 random(seed);
  std::vector<Window> windows;
  while (static_cast<int>(windows.size()) < count) {
    const int x = static_cast<int>(random() % 800), y = static_cast<int>(random() % 600),
              level = static_cast<int>(random() % 12);
    for (int i = static_cast<int>(random() % 12); i >= 0; --i) {
      const float factor = static_cast<float>(std::pow(scale_factor, level + static_cast<int>(random() % 4)));
      const auto moved = [&](int at) {
        return static_cast<int>(
            std::lrint(static_cast<float>(at + static_cast<int>(random() % static_cast<unsigned>(spread))) * factor));
      };
      windows.push_back(
          {moved(x), moved(y), static_cast<int>(std::lrint(20 * factor)), static_cast<int>(std::lrint(24 * factor))});
    }
  }
  return windows;
}

TEST(GroupingTest, EqualsComparingEveryPair) {
  for (unsigned seed = 0; seed < 12; ++seed)
    for (const int spread : {2, 5, 11}) {
      auto windows = clumps(seed, 250, seed % 2 ? 1.1 : 1.05, spread);
      for (const int min_neighbors : {1, 3}) {
        const auto expected = detections_of(classes_of(windows), min_neighbors, {1000, 700});
        EXPECT_EQ(group_windows(windows, min_neighbors, {1000, 700}), expected) << seed << ' ' << spread;
        std::ranges::reverse(windows);
        EXPECT_EQ(group_windows(windows, min_neighbors, {1000, 700}), expected) << "the order of windows matters";
      }
    }
}

TEST(GroupingTest, WindowsOfAnySizeAndPlace) {
  std::mt19937 random(7);
  std::vector<Window> windows;
  const auto up_to = [&](unsigned most) { return static_cast<int>(random() % most); };
  for (int i = 0; i < 600; ++i) windows.push_back({up_to(60) - 30, up_to(60) - 30, 1 + up_to(40), 1 + up_to(40)});
  for (const int min_neighbors : {1, 2, 5})
    EXPECT_EQ(group_windows(windows, min_neighbors, {50, 40}), detections_of(classes_of(windows), min_neighbors, {50, 40}));
}

TEST(GroupingTest, ClassesNeedMoreThanTheNeighbors) {
  const std::vector<Window> three(3, {10, 20, 40, 40});
  EXPECT_EQ(group_windows(three, 2, {100, 100}), (std::vector<Detection>{{10, 20, 40, 40, 3}}));
  EXPECT_TRUE(group_windows(three, 3, {100, 100}).empty());
  EXPECT_TRUE(group_windows({}, 3, {100, 100}).empty());
}

TEST(GroupingTest, WithoutNeighborsEveryWindowIsOne) {
  const std::vector<Window> windows{{90, 0, 20, 20}, {10, 0, 20, 20}, {10, 0, 20, 20}, {100, 5, 20, 20}};
  EXPECT_EQ(group_windows(windows, 0, {100, 100}),
            (std::vector<Detection>{{10, 0, 20, 20, 1}, {10, 0, 20, 20, 1}, {90, 0, 10, 20, 1}}))
      << "clipped, sorted, the one outside dropped";
}

// Chains: each is similar to the next only.
TEST(GroupingTest, ChainsAreOneClass) {
  std::vector<Window> windows;
  for (int i = 0; i < 50; ++i) windows.push_back({4 * i, 0, 20, 20});
  EXPECT_EQ(group_windows(windows, 3, {1000, 1000}), (std::vector<Detection>{{98, 0, 20, 20, 50}}));
  for (int i = 0; i < 50; ++i) windows[static_cast<std::size_t>(i)].x = 5 * i;
  EXPECT_TRUE(group_windows(windows, 3, {1000, 1000}).empty());
}

TEST(GroupingTest, ASmallClassInsideALargerOneIsDropped) {
  std::vector<Window> windows(8, {10, 10, 100, 100});
  for (int i = 0; i < 4; ++i) windows.push_back({30, 30, 20, 20});
  EXPECT_EQ(group_windows(windows, 3, {200, 200}), (std::vector<Detection>{{10, 10, 100, 100, 8}}));
  for (int i = 0; i < 4; ++i) windows.push_back({30, 30, 20, 20});
  EXPECT_EQ(group_windows(windows, 3, {200, 200}).size(), 2u) << "of two with as many windows both stay";
}

// Grown by a fifth of its width on the left and on the right, and of its height above and below.
TEST(GroupingTest, ALargerClassGrowsByItsOwnSides) {
  struct Case {
    Window small;
    bool stays;
  };
  for (const auto& [small, stays] : {Case{{30, 46, 20, 28}, false},
                                     {{29, 46, 20, 28}, true},
                                     {{30, 45, 20, 28}, true},
                                     {{150, 50, 20, 20}, false},
                                     {{151, 50, 20, 20}, true},
                                     {{60, 46, 20, 29}, true},
                                     {{60, 47, 20, 27}, false},
                                     {{60, 47, 20, 28}, true}}) {
    std::vector<Window> windows(8, {50, 50, 100, 20});
    for (int i = 0; i < 4; ++i) windows.push_back(small);
    const auto found = group_windows(windows, 2, {300, 300});
    EXPECT_EQ(found.size(), stays ? 2u : 1u) << small.x << ',' << small.y << ' ' << small.width << 'x' << small.height;
    EXPECT_EQ(std::ranges::count(found, Detection{50, 50, 100, 20, 8}), 1);
  }
}

// Windows of three pixels lie in cells of one pixel.
TEST(GroupingTest, PlacesOfTheLongestFramesAreToldApart) {
  const std::vector<Window> windows{{0, 1, 3, 3}, {1 << 21, 0, 3, 3}, {8'388'603, 0, 3, 3}};
  EXPECT_TRUE(group_windows(windows, 1, {8'388'607, 10}).empty());
}

TEST(GroupingTest, SumsOfPlacesMayExceed32Bits) {
  const std::vector<Window> windows(300, {8'000'000, 0, 100, 100});
  EXPECT_EQ(group_windows(windows, 3, {8'388'607, 200}), (std::vector<Detection>{{8'000'000, 0, 100, 100, 300}}));
}

// Sums are those of numbers that may be below 0.
TEST(GroupingTest, WindowsMayBeginBeforeTheFrame) {
  const std::vector<Window> windows(3, {-10, -4, 40, 41});
  EXPECT_EQ(group_windows(windows, 2, {100, 100}), (std::vector<Detection>{{0, 0, 30, 37, 3}}));
}

}  // namespace
}  // namespace gpu::vision
