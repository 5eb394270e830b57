// A cascade evaluated as it is written: in float and double, rectangle by rectangle and tree by tree, in the order of the file, as
// cv::CascadeClassifier does on the CPU (OpenCV 4); by one source for the host and for kernels. The reference for all faster ways,
// what cascades need that are not exact in integers, and what a view of a single window's stages shows.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/vision/cascade.h"

namespace gpu::vision {

// The tables of an image, each with a row and a column of zeros before it, modulo 2^32. The image may be a part of a level: only
// differences of entries are used, in which everything outside a window cancels.
class LevelTables {
 public:
  LevelTables() = default;
  LevelTables(ImageView<const std::uint8_t> pixels, bool with_tilted) { compute(pixels, with_tilted); }
  void compute(ImageView<const std::uint8_t> pixels, bool with_tilted);  // keeps its memory
  // The same on the context's threads, the sums and the sums of squares by an algorithm of the host. On a dry context only what
  // that takes is counted.
  void compute(Context& host, const SatAlgorithm& algorithm, const Arguments& arguments,
               ImageView<const std::uint8_t> pixels, bool with_tilted);

  std::ptrdiff_t stride() const { return stride_; }
  // Entry (x, y): sums of the pixels, and of their squares, above and to the left; of the pixels above in a triangle,
  // |pixel.x - x + 1| < y - pixel.y.
  const std::uint32_t& sum(int x, int y) const { return sums_.data()[y * stride_ + x]; }
  const std::uint32_t& square(int x, int y) const { return squares_.data()[y * stride_ + x]; }
  const std::uint32_t& triangle(int x, int y) const { return tilted_.data()[y * stride_ + x]; }

 private:
  void make_room(Size size);
  void compute_tilted(ImageView<const std::uint8_t> pixels);

  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint32_t> sums_, squares_, tilted_;
};

// A cascade as the evaluation reads it. Indices are those of WrittenCascade's lists, a leaf's from its tree's first leaf on.
struct WrittenFeature {
  int rectangles, tilted;
  WeightedRectangle rectangle[3];
};
struct WrittenTree {
  int first_node, first_leaf;
};
struct WrittenStage {
  int first_tree, trees;
  float threshold;
};

// The lists, in memory of the host or of a device.
struct WrittenCascade {
  Size window;
  bool has_tilted;
  int stage_count;
  const WrittenFeature* features;
  const CascadeNode* nodes;
  const float* leaves;
  const WrittenTree* trees;
  const WrittenStage* stages;
  const CodeSet* code_sets;  // as long as `nodes`; null: Haar-like features
};

// Their owner on the host.
struct WrittenCascadeLists {
  WrittenCascadeLists() = default;
  explicit WrittenCascadeLists(const Cascade& cascade);
  // Valid as long as the lists.
  WrittenCascade view() const;

  Size window;
  bool has_tilted = false;
  std::vector<WrittenFeature> features;
  std::vector<CascadeNode> nodes;
  std::vector<float> leaves;
  std::vector<WrittenTree> trees;
  std::vector<WrittenStage> stages;
  std::vector<CodeSet> code_sets;
};

inline constexpr std::uint8_t refused_depth = 255;

// LBP: visit(sum of a block, sum of the one in the middle) for each of blocks_of_code. entry(row, column): the table's at a corner, each from 0 to 3; a sum is one of entries.
template <class Entry, class Visit>
constexpr void for_each_block(const Entry& entry, const Visit& visit) {
  const auto e11 = entry(1, 1), e12 = entry(1, 2), e21 = entry(2, 1), e22 = entry(2, 2);
  const auto middle = e11 - e12 - e21 + e22;
  const auto e00 = entry(0, 0), e01 = entry(0, 1), e02 = entry(0, 2), e03 = entry(0, 3), e10 = entry(1, 0),
             e13 = entry(1, 3);
  visit(e00 - e01 - e10 + e11, middle);
  visit(e01 - e02 - e11 + e12, middle);
  visit(e02 - e03 - e12 + e13, middle);
  const auto e23 = entry(2, 3), e33 = entry(3, 3), e32 = entry(3, 2), e31 = entry(3, 1);
  visit(e12 - e13 - e22 + e23, middle);
  visit(e22 - e23 - e32 + e33, middle);
  visit(e21 - e22 - e31 + e32, middle);
  const auto e20 = entry(2, 0), e30 = entry(3, 0);
  visit(e20 - e21 - e30 + e31, middle);
  visit(e10 - e11 - e20 + e21, middle);
}

// A cascade on the window whose top left pixel is (x, y) in the tables, which must contain it. Tables: entries sum(x, y),
// square(x, y) and triangle(x, y) as LevelTables has them.
template <class Tables>
class WindowEvaluation {
 public:
  constexpr WindowEvaluation(const WrittenCascade& cascade, const Tables& tables, int x, int y)
      : cascade_(cascade), tables_(tables), x_(x), y_(y), valid_(cascade.code_sets != nullptr) {
    if (valid_) return;
    const int width = cascade.window.width - 2, height = cascade.window.height - 2, area = width * height;
    const auto sum = static_cast<double>(box<&Tables::sum>(x + 1, y + 1, width, height));
    const auto squares = static_cast<double>(box<&Tables::square>(x + 1, y + 1, width, height));
    const double variance = area * squares - sum * sum;
    if (!(variance > 0)) return;
    factor_ = static_cast<float>(1.0 / std::sqrt(variance));
    valid_ = static_cast<double>(static_cast<float>(area) * factor_) < 1e-1;
  }
  // A window of which the factor is known.
  constexpr WindowEvaluation(const WrittenCascade& cascade, const Tables& tables, int x, int y, float factor)
      : cascade_(cascade), tables_(tables), x_(x), y_(y), factor_(factor), valid_(true) {}

  // Whether the pixels have enough deviation: other windows are refused before the first stage. LBP compares sums, and refuses none.
  constexpr bool valid() const { return valid_; }
  // What follows is defined for valid windows only. The factor is 1 / (area * standard deviation of the pixels), over the window
  // without its border of one pixel; 1 for LBP.
  constexpr float factor() const { return factor_; }
  // The value of one of the cascade's features.
  constexpr float value(int number) const {
    const auto& feature = cascade_.features[number];
    if (cascade_.code_sets) return static_cast<float>(code(feature.rectangle[0]));
    float total = 0;
    for (int k = 0; k < feature.rectangles; ++k) {
      const auto& r = feature.rectangle[k];
      const int x = x_ + r.x, y = y_ + r.y, w = r.width, h = r.height;
      const auto& t = tables_;
      const std::uint32_t sum = feature.tilted ? t.triangle(x, y) - t.triangle(x - h, y + h) - t.triangle(x + w, y + w) +
                                                     t.triangle(x + w - h, y + w + h)
                                               : box<&Tables::sum>(x, y, w, h);
      total += r.weight * static_cast<float>(static_cast<std::int32_t>(sum));
    }
    return total * factor_;
  }
  // What the tree gives.
  constexpr float leaf(const WrittenTree& tree) const {
    int at = 0;
    do {
      const int number = tree.first_node + at;
      const auto& node = cascade_.nodes[number];
      const float found = value(node.feature);
      const bool left = cascade_.code_sets ? cascade_.code_sets[number].has(static_cast<unsigned>(found))
                                           : found < node.threshold;
      at = left ? node.left : node.right;
    } while (at > 0);
    return cascade_.leaves[tree.first_leaf - at];
  }
  constexpr bool passes(const WrittenStage& stage) const {
    double sum = 0;
    for (int t = 0; t < stage.trees; ++t) sum += static_cast<double>(leaf(cascade_.trees[stage.first_tree + t]));
    return sum >= static_cast<double>(stage.threshold);
  }
  // How many stages it passes until the first that it does not; refused_depth if it is not valid.
  constexpr std::uint8_t depth() const {
    int passed = 0;
    while (valid_ && passed < cascade_.stage_count && passes(cascade_.stages[passed])) ++passed;
    return static_cast<std::uint8_t>(valid_ ? passed : refused_depth);
  }

 private:
  constexpr unsigned code(const WeightedRectangle& block) const {
    const int x = x_ + block.x, y = y_ + block.y, w = block.width, h = block.height;
    unsigned bits = 0;
    for_each_block([&](int row, int column) { return tables_.sum(x + column * w, y + row * h); },
                   [&](std::uint32_t sum, std::uint32_t middle) { bits = 2 * bits + (sum >= middle ? 1u : 0u); });
    return bits;
  }
  template <auto Entry>
  constexpr std::uint32_t box(int x, int y, int width, int height) const {
    return (tables_.*Entry)(x, y) - (tables_.*Entry)(x + width, y) - (tables_.*Entry)(x, y + height) +
           (tables_.*Entry)(x + width, y + height);
  }

  const WrittenCascade& cascade_;
  const Tables& tables_;
  int x_, y_;
  float factor_ = 1;
  bool valid_ = false;
};

}  // namespace gpu::vision
