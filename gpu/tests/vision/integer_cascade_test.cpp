// The integer form gives what the cascade gives as written: values of features by pixels, sums of trees by walking them; parts fit
// 16 bits for the worst pixels; what is not exact is recognised.
#include "gpu/vision/integer_cascade.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "gpu/tests/vision/cascade_writer.h"

namespace gpu::vision {
namespace {

using Pixel = std::function<int(int x, int y)>;

// The sum of what lies above and to the left of a corner, or above in a triangle.
std::int64_t table_entry(int X, int Y, bool tilted, Size window, const Pixel& pixel) {
  std::int64_t total = 0;
  for (int y = 0; y < std::min(Y, window.height); ++y)
    for (int x = 0; x < window.width; ++x)
      if (tilted ? std::abs(x - X + 1) <= Y - y - 1 : x < X) total += pixel(x, y);
  return total;
}
// By the definition of a rectangle's pixels; a tilted one by the table's.
std::int64_t sum_of(const WeightedRectangle& r, bool tilted, Size window, const Pixel& pixel) {
  const auto triangle = [&](int X, int Y) { return table_entry(X, Y, true, window, pixel); };
  if (tilted)
    return triangle(r.x, r.y) - triangle(r.x - r.height, r.y + r.height) - triangle(r.x + r.width, r.y + r.width) +
           triangle(r.x + r.width - r.height, r.y + r.width + r.height);
  std::int64_t sum = 0;
  for (int y = r.y; y < r.y + r.height; ++y)
    for (int x = r.x; x < r.x + r.width; ++x) sum += pixel(x, y);
  return sum;
}
std::int64_t value_of(const CascadeFeature& feature, Size window, const Pixel& pixel) {
  std::int64_t value = 0;
  for (const auto& r : feature.rectangles) value += static_cast<int>(r.weight) * sum_of(r, feature.tilted, window, pixel);
  return value;
}

std::int64_t value_of(const std::vector<Corner>& corners, bool tilted, Size window, const Pixel& pixel) {
  std::int64_t value = 0;
  for (const auto& c : corners) value += c.weight * table_entry(c.x, c.y, tilted, window, pixel);
  return value;
}

Cascade with_features(Size window, std::vector<CascadeFeature> features) {
  Cascade cascade;
  cascade.window = window;
  cascade.features = std::move(features);
  for (const auto& feature : cascade.features) cascade.tilted |= feature.tilted;
  cascade.stages = {{0.5f, {{{{0, -1, 0, 0.f}}, {-1.f, 1.f}}}}};
  return cascade;
}

const std::vector<CascadeFeature> every_kind = features_of_every_kind();

TEST(IntegerCascadeTest, ValuesAreThoseOfThePixels) {
  constexpr Size window{24, 24};
  const auto cascade = integer_cascade(with_features(window, every_kind));
  ASSERT_TRUE(cascade.exact);
  std::mt19937 random(1);
  std::vector<int> pixels(window.pixels());
  const Pixel pixel = [&](int x, int y) { return pixels[static_cast<std::size_t>(y * window.width + x)]; };
  for (int round = 0; round < 4; ++round) {
    for (int& p : pixels) p = static_cast<int>(random() % 256);
    for (std::size_t f = 0; f < every_kind.size(); ++f) {
      const auto& feature = cascade.features[f];
      const auto value = value_of(every_kind[f], window, pixel);
      std::int64_t of_parts = 0;
      for (const auto& part : feature.parts) of_parts += value_of(part.corners, feature.tilted, window, pixel);
      EXPECT_EQ(of_parts, value) << f;
    }
  }
}

// A single pixel tells the weight with which a part counts it, and these tell its value for the worst pixels.
TEST(IntegerCascadeTest, PartsFit16BitsForTheWorstPixels) {
  constexpr Size window{24, 24};
  const auto cascade = integer_cascade(with_features(window, every_kind));
  for (const auto& feature : cascade.features) {
    for (const auto& part : feature.parts) {
      std::int64_t above = 0, below = 0;
      for (int v = 0; v < window.height; ++v)
        for (int u = 0; u < window.width; ++u) {
          const auto weight = value_of(part.corners, feature.tilted, window, [&](int x, int y) { return x == u && y == v; });
          (weight > 0 ? above : below) += 255 * weight;
        }
      EXPECT_LE(above, 32767);
      EXPECT_GE(below, -32768);
    }
  }
}

// Across the direction in which they are uniform: in the other one fewer parts would do.
TEST(IntegerCascadeTest, GridsAreCutIntoGrids) {
  const auto cascade = integer_cascade(with_features({24, 24}, {{{{0, 0, 20, 15, -1}, {0, 5, 20, 5, 3}}, false},
                                                                {{{1, 0, 18, 15, -1}, {7, 0, 6, 15, 3}}, false},
                                                                {{{0, 0, 24, 24, -1}, {0, 0, 12, 24, 2}}, false}}));
  for (const auto& feature : cascade.features) {
    EXPECT_GT(feature.parts.size(), 1u);
    for (const auto& part : feature.parts) EXPECT_NE(part.pattern, CornerPattern::list);
  }
}

TEST(IntegerCascadeTest, PatternsAreRecognised) {
  const auto cascade = integer_cascade(with_features({24, 24}, every_kind));
  using enum CornerPattern;
  const CornerPattern expected[] = {
      two_rows, two_columns, two_columns_minus, three_rows, three_columns, four, four_minus, list, list, list};
  for (std::size_t f = 0; f < std::size(expected); ++f) {
    ASSERT_EQ(cascade.features[f].parts.size(), 1u) << f;
    EXPECT_EQ(cascade.features[f].parts[0].pattern, expected[f]) << f;
  }
  // Cut across the stripes' direction, so that each part is one of three stripes again.
  for (const auto& part : cascade.features[10].parts) EXPECT_EQ(part.pattern, three_rows);
  EXPECT_EQ(cascade.features[10].parts.size(), 3u);
}

// As written: walk from the root; below goes left.
double walked(const CascadeTree& tree, const std::vector<bool>& below) {
  int at = 0;
  do {
    const auto& node = tree.nodes[static_cast<std::size_t>(at)];
    at = below[static_cast<std::size_t>(node.feature)] ? node.left : node.right;
  } while (at > 0);
  return tree.leaves[static_cast<std::size_t>(-at)];
}
double walked(const IntegerTree& tree, const std::vector<bool>& below) {
  double sum = 0;
  for (int at = 0;;) {
    const auto& node = tree.nodes[static_cast<std::size_t>(at)];
    const bool is_below = below[static_cast<std::size_t>(node.feature)];
    sum += is_below ? node.below : node.above;
    const int next = is_below ? node.below_node : node.above_node;
    if (next == 0) return sum;
    EXPECT_GT(next, at);
    at = next;
  }
}

TEST(IntegerCascadeTest, TreesAddTheSame) {
  Cascade cascade = small_cascade();
  auto& trees = cascade.stages[0].trees;
  trees = {{{{0, -1, 0, 1.f}}, {-0.5f, 0.75f}},
           {{{0, 1, 0, 1.f}, {-1, -2, 1, 2.f}}, {0.5f, -0.25f, 0.125f}},
           {{{1, 0, 0, 1.f}, {-1, -2, 1, 2.f}}, {0.5f, -0.25f, 0.125f}},
           {{{2, 1, 0, 1.f}, {0, -1, 1, 2.f}, {-2, 3, 2, 3.f}, {-3, -4, 3, 4.f}}, {1.f, 2.f, 3.f, 4.f, 5.f}}};
  const auto integer = integer_cascade(cascade);
  ASSERT_TRUE(integer.exact);
  const auto& stage = integer.stages[0];
  ASSERT_EQ(stage.trees.size(), trees.size());
  for (int bits = 0; bits < 16; ++bits) {
    std::vector<bool> below(4);
    for (std::size_t i = 0; i < 4; ++i) below[i] = bits >> i & 1;
    double as_written = 0, sum = 0;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      as_written += walked(trees[t], below);
      sum += walked(stage.trees[t], below);
    }
    EXPECT_EQ(as_written - cascade.stages[0].threshold, sum - stage.threshold) << bits;
  }
  EXPECT_EQ(stage.trees[0].nodes[0].below, 0);
  EXPECT_EQ(stage.trees[1].nodes[0].below, 0);
  EXPECT_EQ(stage.trees[2].nodes[0].above, 0);
}

TEST(IntegerCascadeTest, WhatIsNotExactIsRecognised) {
  EXPECT_TRUE(integer_cascade(small_cascade()).exact);
  Cascade cascade = small_cascade();
  cascade.features[0].rectangles[0].weight = -1.5f;
  EXPECT_FALSE(integer_cascade(cascade).exact) << "a weight that is no integer";
  cascade = small_cascade();
  cascade.features[0].rectangles[0].weight = -2000;
  EXPECT_FALSE(integer_cascade(cascade).exact) << "more than 64 parts of 16 bits";
  for (const float tiny : {1e-20f, 1e-45f}) {
    cascade = small_cascade();
    cascade.stages[1].trees[1].leaves[2] = tiny;
    EXPECT_FALSE(integer_cascade(cascade).exact) << "leaves whose sums do not fit 53 bits";
    cascade = small_cascade();
    cascade.stages[1].threshold = tiny;
    EXPECT_FALSE(integer_cascade(cascade).exact) << "such a threshold";
  }
  // Three times the largest leaf is counted.
  for (const float largest : {1024.f, 2048.f}) {
    auto wide = small_cascade();
    wide.stages[0].trees[0].leaves = {largest, 0x1p-40f};
    EXPECT_EQ(integer_cascade(wide).exact, largest < 2000) << largest;
  }
  cascade.stages[1].threshold = 0;
  EXPECT_TRUE(integer_cascade(cascade).exact);
}

// The corners of each node's blocks, and its set; nothing where a block could exceed 16 bits: 257 white pixels are 65535.
TEST(IntegerCascadeTest, EveryNodeOfLbpHasAFeature) {
  const auto cascade = small_lbp_cascade();
  const auto integer = integer_cascade(cascade);
  ASSERT_TRUE(integer.exact);
  EXPECT_EQ(integer.kind, FeatureKind::lbp);
  ASSERT_EQ(integer.features.size(), 5u);
  int number = 0;
  for (std::size_t s = 0; s < cascade.stages.size(); ++s)
    for (std::size_t t = 0; t < cascade.stages[s].trees.size(); ++t) {
      const auto& tree = cascade.stages[s].trees[t];
      for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        EXPECT_EQ(integer.stages[s].trees[t].nodes[n].feature, number);
        EXPECT_EQ(integer.stages[s].trees[t].nodes[n].threshold, 0);
        const auto& feature = integer.features[static_cast<std::size_t>(number++)];
        EXPECT_EQ(feature.codes, tree.code_sets[n]);
        ASSERT_EQ(feature.parts.size(), 1u);
        EXPECT_EQ(feature.parts[0].pattern, CornerPattern::blocks);
        const auto& block = cascade.features[static_cast<std::size_t>(tree.nodes[n].feature)].rectangles[0];
        ASSERT_EQ(feature.parts[0].corners.size(), 16u);
        for (int k = 0; k < 16; ++k) {
          const auto& corner = feature.parts[0].corners[static_cast<std::size_t>(k)];
          EXPECT_EQ(corner.x, block.x + k % 4 * block.width);
          EXPECT_EQ(corner.y, block.y + k / 4 * block.height);
        }
      }
    }
  for (const int width : {257, 258}) {
    auto wide = cascade;
    wide.window = {3 * width, 7};
    wide.features[0].rectangles[0] = {0, 0, width, 1, 1};
    EXPECT_EQ(integer_cascade(wide).exact, width == 257) << width;
  }
}

TEST(IntegerCascadeTest, TooManyPartsAreNotExact) {
  const CascadeFeature large{{{0, 0, 250, 250, 1}}, false}, small{{{0, 0, 5, 5, 1}}, false};
  EXPECT_FALSE(integer_cascade(with_features({250, 250}, {large})).exact);
  EXPECT_FALSE(integer_cascade(with_features({250, 250}, {large, small})).exact);
  EXPECT_TRUE(integer_cascade(with_features({250, 250}, {small, small})).exact);
}

}  // namespace
}  // namespace gpu::vision
