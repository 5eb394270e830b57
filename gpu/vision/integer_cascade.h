// A cascade in the form that detectors evaluate, on the host and on GPUs: features as integer combinations of a summed area table's
// entries, thresholds and leaves so that a stage's sum may be added in any order. It gives the same windows as the cascade
// evaluated as written, in float and in the order of the file, because every rounding that could differ is shown not to happen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/vision/cascade.h"

namespace gpu::vision {

// `weight` times the entry (x, y) of a table that starts with a row and a column of zeros: upright, the sum of the pixels above and
// to the left of (x, y); tilted, as cv::integral()'s third table: entry (x - 1, y - 1) of compute_tilted(), gpu/tables/tables.h. Coordinates are
// the window's: 0 <= x <= width, 0 <= y <= height.
struct Corner {
  std::int16_t x, y;
  std::int32_t weight;
  friend constexpr bool operator==(const Corner&, const Corner&) = default;
};

// Where the entries of a table of sums lie, in the unit of the distances: rows one after another, and of a row first all columns, or
// first the even ones, so that windows two pixels apart read neighbours.
struct TableLayout {
  int row, even, odd;  // from one row to the next; column x is at x / 2 * even, + odd if x is odd
  constexpr int row_at(int y) const { return y * row; }
  constexpr int column_at(int x) const { return x / 2 * even + x % 2 * odd; }
  constexpr int at(int x, int y) const { return row_at(y) + column_at(x); }
};

// The corners of most upright features are a grid of rows and columns with weights that are always the same; the names say the
// rectangles and their weights.
enum class CornerPattern : std::uint8_t {
  two_rows,           // upper -1, lower +1:     3 rows, 2 columns   -1 1 | 2 -2 | -1 1
  two_columns,        // left +1, right -1:      2 rows, 3 columns   1 -2 1 | -1 2 -1
  two_columns_minus,  // left -1, right +1:      2 rows, 3 columns   -1 2 -1 | 1 -2 1
  three_rows,         // -1, +2, -1:             4 rows, 2 columns   -1 1 | 3 -3 | -3 3 | 1 -1
  three_columns,      // -1, +2, -1:             2 rows, 4 columns   -1 3 -3 1 | 1 -3 3 -1
  four,               // +1 -1 above -1 +1:      3 rows, 3 columns   1 -2 1 | -2 4 -2 | 1 -2 1
  four_minus,         // -1 +1 above +1 -1:      3 rows, 3 columns   -1 2 -1 | 2 -4 2 | -1 2 -1
  list,               // anything else, and every tilted feature
  blocks,             // LBP, the corners of 3 x 3 blocks: 4 rows, 4 columns; the weights are not used
};

// A sum of corners that fits 16 bits with its sign, or of a block of LBP without one, whatever the pixels are. So two windows can share a word, because table entries
// are only added and multiplied by integers: with W(x, y) = T(x, y) + (T(x, y + d) << 16) modulo 2^32, the sum R of weight * W over
// the corners has the part's value at the window in its low half, lo = (int16) R, and that of the window d rows below in
// (R - lo) >> 16.
struct FeaturePart {
  CornerPattern pattern;
  std::vector<Corner> corners;  // sorted by y, then x: the grid row by row. Weights are not 0
};

// The value of a feature before it is divided by the window's deviation is the sum of its parts' values, each the sum of
// weight * T(x, y) over the corners modulo 2^32: a signed number below 2^24.
struct IntegerFeature {
  bool tilted;
  std::vector<FeaturePart> parts;  // one for most
  // LBP: the value is -1 where the set has the code of the only part's blocks, else 0.
  CodeSet codes = {};
};

// A tree's sum is its constant, plus what the nodes on the way through it add. A node is below its threshold if
// float(value of the feature) * float(factor of the window), rounded to float, is less than `threshold`.
struct IntegerNode {
  float threshold;
  int feature;
  // On each side either another node (its index in the tree, above this one's) or 0, and then a number to add.
  int below_node, above_node;
  double below,
      above;  // 0 where there is a node. Of a stump, and of the root that has a leaf on just one side: that leaf's is 0
};
struct IntegerTree {
  std::vector<IntegerNode>
      nodes;  // the root first; every node before its children, its `below` branch before its `above` one
};
struct IntegerStage {
  double threshold;  // a window passes if the sum over all trees is at least this; the trees' constants are subtracted
  std::vector<IntegerTree> trees;
};

struct IntegerCascade {
  // Whether everything below holds: weights of features are integers, their values below 2^24, their parts at most 64, blocks of LBP at most 257 pixels, and all sums of
  // a stage, including the threshold, are exact in double in any order. Otherwise the rest is empty, and the cascade must be evaluated
  // as written.
  bool exact = false;
  bool tilted = false;
  // LBP: each node has a feature of its own and the threshold 0, and no window has a deviation: its factor is 1.
  FeatureKind kind = FeatureKind::haar;
  Size window;
  std::vector<IntegerFeature> features;
  std::vector<IntegerStage> stages;
};

IntegerCascade integer_cascade(const Cascade& cascade);

// What is common to both halves of the work: the window's rectangle for its deviation, (1, 1, width - 2, height - 2).
constexpr int deviation_area(Size window) { return (window.width - 2) * (window.height - 2); }

}  // namespace gpu::vision
