#include "gpu/vision/integer_cascade.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace gpu::vision {
namespace {

constexpr int brightest = 255, most_parts = 64;

struct IntegerRectangle {
  int x, y, width, height, weight;
};
using IntegerRectangles = std::vector<IntegerRectangle>;

// Nothing if the value could be rounded when it is computed in float, rectangle by rectangle.
std::optional<IntegerRectangles> integer_rectangles(const CascadeFeature& feature) {
  IntegerRectangles rectangles;
  double most = 0;
  for (const auto& r : feature.rectangles) {
    if (r.weight != std::floor(r.weight)) return {};
    rectangles.push_back({r.x, r.y, r.width, r.height, static_cast<int>(r.weight)});
    most += std::abs(double{r.weight}) * r.width * r.height * (feature.tilted ? 2 : 1) * brightest;
  }
  if (most > 1 << 24) return {};
  return rectangles;
}

std::vector<Corner> corners_of(const IntegerRectangles& rectangles, bool tilted) {
  std::vector<Corner> all;
  all.reserve(4 * rectangles.size());
  const auto add = [&](int x, int y, int weight) {
    all.push_back({static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), weight});
  };
  for (const auto& [x, y, w, h, weight] : rectangles) {
    add(x, y, weight);
    tilted ? add(x - h, y + h, -weight) : add(x, y + h, -weight);
    tilted ? add(x + w, y + w, -weight) : add(x + w, y, -weight);
    tilted ? add(x + w - h, y + w + h, weight) : add(x + w, y + h, weight);
  }
  std::ranges::sort(all, {}, [](const Corner& corner) { return std::pair(corner.y, corner.x); });
  std::vector<Corner> corners;
  for (const auto& corner : all)
    if (!corners.empty() && corners.back().x == corner.x && corners.back().y == corner.y)
      corners.back().weight += corner.weight;
    else
      corners.push_back(corner);
  std::erase_if(corners, [](const Corner& corner) { return corner.weight == 0; });
  return corners;
}

struct Bounds {
  int least = 0, most = 0;
  bool fit_16_bits() const { return fewest_parts() <= 1; }
  // How many parts at least have values that fit: each pixel's weight belongs to one of them.
  int fewest_parts() const {
    constexpr int lowest = std::numeric_limits<std::int16_t>::min(), highest = std::numeric_limits<std::int16_t>::max();
    return std::max({1, (least + lowest + 1) / lowest, (most + highest - 1) / highest});
  }
};

// The values for the worst pixels: white where the rectangles' weights together are above 0, or below.
Bounds bounds_of(const IntegerRectangles& rectangles, bool tilted, Size window) {
  std::vector<int> weights(window.pixels());
  const auto add = [&](int x, int y, int weight) { weights[static_cast<std::size_t>(y * window.width + x)] += weight; };
  for (const auto& [x, y, w, h, weight] : rectangles)
    for (int j = 0; j < h; ++j)
      for (int i = 0; i < w; ++i) {
        if (!tilted) {
          add(x + i, y + j, weight);
        } else {  // two pixels, one below the other, for each unit of the parallelogram
          add(x + i - j - 1, y + i + j, weight);
          add(x + i - j - 1, y + i + j + 1, weight);
        }
      }
  Bounds bounds;
  for (const int weight : weights) (weight > 0 ? bounds.most : bounds.least) += weight * brightest;
  return bounds;
}

struct Grid {
  CornerPattern pattern;
  int rows, columns;
  std::array<int, 9> weights;
};
constexpr Grid grids[] = {{CornerPattern::two_rows, 3, 2, {-1, 1, 2, -2, -1, 1}},
                          {CornerPattern::two_columns, 2, 3, {1, -2, 1, -1, 2, -1}},
                          {CornerPattern::two_columns_minus, 2, 3, {-1, 2, -1, 1, -2, 1}},
                          {CornerPattern::three_rows, 4, 2, {-1, 1, 3, -3, -3, 3, 1, -1}},
                          {CornerPattern::three_columns, 2, 4, {-1, 3, -3, 1, 1, -3, 3, -1}},
                          {CornerPattern::four, 3, 3, {1, -2, 1, -2, 4, -2, 1, -2, 1}},
                          {CornerPattern::four_minus, 3, 3, {-1, 2, -1, 2, -4, 2, -1, 2, -1}}};

bool is_grid(const std::vector<Corner>& corners, const Grid& grid) {
  if (corners.size() != static_cast<std::size_t>(grid.rows * grid.columns)) return false;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::size_t columns = static_cast<std::size_t>(grid.columns), row = i / columns * columns;
    if (corners[i].weight != grid.weights[i] || corners[i].y != corners[row].y || corners[i].x != corners[i % columns].x)
      return false;
  }
  return true;
}

FeaturePart part_of(const IntegerRectangles& rectangles, bool tilted) {
  FeaturePart part{CornerPattern::list, corners_of(rectangles, tilted)};
  if (!tilted)
    for (const auto& grid : grids)
      if (is_grid(part.corners, grid)) part.pattern = grid.pattern;
  return part;
}

// The rectangle inside the slice [from, to) of one direction: along its width, or along its height. Tilted, the directions are
// x + y and y - x, of which one step of a rectangle is two units.
IntegerRectangle sliced(IntegerRectangle r, bool tilted, bool along_width, int from, int to) {
  const int start = tilted ? (along_width ? r.x + r.y : r.y - r.x) : (along_width ? r.x : r.y), unit = tilted ? 2 : 1;
  int& size = along_width ? r.width : r.height;
  const auto steps = [&](int end) {  // how many steps lie before `end`
    const int units = end - start;
    return std::clamp(units <= 0 ? 0 : (units + unit - 1) / unit, 0, size);
  };
  const int first = steps(from);
  size = steps(to) - first;
  r.x += along_width ? first : tilted ? -first : 0;
  r.y += along_width ? (tilted ? first : 0) : first;
  return r;
}

// The feature cut into equal slices along both directions; slices without a pixel are left out.
std::vector<IntegerRectangles> cut(const IntegerRectangles& rectangles, bool tilted, int across, int down) {
  std::vector<IntegerRectangles> pieces{rectangles};
  for (const bool along_width : {true, false}) {
    const int count = along_width ? across : down;
    int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
    for (const auto& r : rectangles) {
      const int start = tilted ? (along_width ? r.x + r.y : r.y - r.x) : (along_width ? r.x : r.y);
      low = std::min(low, start);
      high = std::max(high, start + (along_width ? r.width : r.height) * (tilted ? 2 : 1));
    }
    std::vector<IntegerRectangles> slices;
    for (const auto& piece : pieces)
      for (int i = 0; i < count; ++i) {
        IntegerRectangles slice;
        for (const auto& r : piece)
          if (const auto s = sliced(r, tilted, along_width, low + (high - low) * i / count,
                                    low + (high - low) * (i + 1) / count);
              s.width > 0 && s.height > 0)
            slice.push_back(s);
        if (!slice.empty()) slices.push_back(slice);
      }
    pieces = slices;
  }
  return pieces;
}

// As few parts as possible, and of those as few corners as possible. A list of corners takes longer than a grid, even than several,
// and longer programs: the parts of a feature that is a grid are grids, if that takes at most `most_grids`. None if
// it would take more than most_parts.
std::vector<FeaturePart> parts_of(const IntegerRectangles& rectangles, bool tilted, Size window) {
  constexpr int most_grids = 8;
  const auto bounds = bounds_of(rectangles, tilted, window);
  const auto whole = part_of(rectangles, tilted);
  if (bounds.fit_16_bits()) return {whole};
  const bool grid = whole.pattern != CornerPattern::list;
  std::vector<FeaturePart> best;
  for (const bool grids_only : {true, false}) {
    if (grids_only && !grid) continue;
    std::size_t fewest_corners = std::numeric_limits<std::size_t>::max();
    for (int count = bounds.fewest_parts(); count <= (grids_only ? most_grids : most_parts) && best.empty(); ++count)
      for (int across = 1; across <= count; ++across) {
        if (count % across != 0) continue;
        const auto pieces = cut(rectangles, tilted, across, count / across);
        if (!std::ranges::all_of(pieces, [&](const auto& piece) { return bounds_of(piece, tilted, window).fit_16_bits(); }))
          continue;
        std::vector<FeaturePart> parts;
        std::size_t corners = 0;
        for (const auto& piece : pieces) {
          parts.push_back(part_of(piece, tilted));
          corners += parts.back().corners.size();
        }
        const bool lists = std::ranges::any_of(parts, [](const auto& p) { return p.pattern == CornerPattern::list; });
        if (corners < fewest_corners && !(grids_only && lists)) {
          fewest_corners = corners;
          best = parts;
        }
      }
  }
  return best;
}

// The exponent of the lowest bit of a number that is not 0.
int lowest_bit(double number) {
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  const auto bits = static_cast<std::uint64_t>(std::ldexp(std::abs(fraction), 53));
  return exponent - 53 + __builtin_ctzll(bits);
}

// Whether the threshold, the leaves, their differences and all of their sums are multiples of one power of two that 53 bits can
// count. Three times the largest leaf is more than a tree's constant and what its nodes add.
bool sums_are_exact(const CascadeStage& stage) {
  int lowest = std::numeric_limits<int>::max();
  double most = 0;
  const auto use = [&](double number, double times) {
    if (number != 0) lowest = std::min(lowest, lowest_bit(number));
    most += times * std::abs(number);
  };
  use(stage.threshold, 1);
  for (const auto& tree : stage.trees) {
    float largest = 0;
    for (const float leaf : tree.leaves) {
      use(leaf, 0);
      largest = std::max(largest, std::abs(leaf));
    }
    most += 3.0 * largest;
  }
  return most == 0 || std::log2(most) + 0.5 < lowest + 53;
}

// Subtracts the tree's constant from the stage's threshold.
class TreeConverter {
 public:
  // `first_feature`: that of the tree's first node where each node has one of its own; else -1.
  TreeConverter(const CascadeTree& tree, int first_feature, double& threshold) : tree_(tree), first_feature_(first_feature) {
    const auto& root = tree.nodes.front();
    constant_ = root.left <= 0 ? leaf(root.left) : root.right <= 0 ? leaf(root.right) : 0;
    threshold -= constant_;
    convert(0);
  }
  IntegerTree result() { return std::move(result_); }

 private:
  double leaf(int index) const { return tree_.leaves[static_cast<std::size_t>(-index)]; }
  // At most as deep as a tree has nodes.
  int convert(int index) {
    const auto& node = tree_.nodes[static_cast<std::size_t>(index)];
    const auto at = result_.nodes.size();
    result_.nodes.push_back({node.threshold, first_feature_ < 0 ? node.feature : first_feature_ + index, 0, 0, 0, 0});
    const auto branch = [&](int child, int IntegerNode::*next, double IntegerNode::*value) {
      if (child > 0) {
        const int converted = convert(child);  // moves the nodes
        result_.nodes[at].*next = converted;
      } else {
        result_.nodes[at].*value = leaf(child) - constant_;
      }
    };
    branch(node.left, &IntegerNode::below_node, &IntegerNode::below);
    branch(node.right, &IntegerNode::above_node, &IntegerNode::above);
    return static_cast<int>(at);
  }

  const CascadeTree& tree_;
  int first_feature_;
  double constant_ = 0;
  IntegerTree result_;
};

// Nothing if one is not exact.
std::optional<std::vector<IntegerFeature>> integer_features(const Cascade& cascade) {
  std::vector<IntegerFeature> features;
  for (const auto& feature : cascade.features) {
    const auto rectangles = integer_rectangles(feature);
    if (!rectangles) return {};
    auto parts = parts_of(*rectangles, feature.tilted, cascade.window);
    if (parts.empty()) return {};
    features.push_back({feature.tilted, std::move(parts)});
  }
  return features;
}

FeaturePart blocks_of(const WeightedRectangle& block) {
  FeaturePart part{CornerPattern::blocks, {}};
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      part.corners.push_back({static_cast<std::int16_t>(block.x + column * block.width),
                              static_cast<std::int16_t>(block.y + row * block.height), 1});
  return part;
}

// A feature for each node, in the order of the trees. Nothing if a block's sum may not fit 16 bits.
std::optional<std::vector<IntegerFeature>> integer_codes(const Cascade& cascade) {
  constexpr int most_pixels = std::numeric_limits<std::uint16_t>::max() / brightest;
  std::vector<IntegerFeature> features;
  for (const auto& stage : cascade.stages)
    for (const auto& tree : stage.trees)
      for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        const auto& block = cascade.features[static_cast<std::size_t>(tree.nodes[n].feature)].rectangles.front();
        if (block.width * block.height > most_pixels) return {};
        features.push_back({false, {blocks_of(block)}, tree.code_sets[n]});
      }
  return features;
}

}  // namespace

IntegerCascade integer_cascade(const Cascade& cascade) {
  IntegerCascade result;
  result.tilted = cascade.tilted;
  result.kind = cascade.kind;
  result.window = cascade.window;
  const bool lbp = cascade.kind == FeatureKind::lbp;
  auto features = lbp ? integer_codes(cascade) : integer_features(cascade);
  if (!features) return {};
  result.features = std::move(*features);
  int node = 0;
  for (const auto& stage : cascade.stages) {
    if (!sums_are_exact(stage)) return {};
    result.stages.push_back({stage.threshold, {}});
    for (const auto& tree : stage.trees) {
      TreeConverter converter(tree, lbp ? node : -1, result.stages.back().threshold);
      result.stages.back().trees.push_back(converter.result());
      node += static_cast<int>(tree.nodes.size());
    }
  }
  result.exact = true;
  return result;
}

}  // namespace gpu::vision
