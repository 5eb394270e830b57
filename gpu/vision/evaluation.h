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
};

inline constexpr std::uint8_t refused_depth = 255;

// A cascade on the window whose top left pixel is (x, y) in the tables, which must contain it. Tables: entries sum(x, y),
// square(x, y) and triangle(x, y) as LevelTables has them.
template <class Tables>
class WindowEvaluation {
 public:
  constexpr WindowEvaluation(const WrittenCascade& cascade, const Tables& tables, int x, int y)
      : cascade_(cascade), tables_(tables), x_(x), y_(y) {
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

  // Whether the pixels have enough deviation: other windows are refused before the first stage.
  constexpr bool valid() const { return valid_; }
  // What follows is defined for valid windows only. The factor is 1 / (area * standard deviation of the pixels), over the window
  // without its border of one pixel.
  constexpr float factor() const { return factor_; }
  // The value of one of the cascade's features; a node compares it with its threshold.
  constexpr float value(int number) const {
    const auto& feature = cascade_.features[number];
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
      const auto& node = cascade_.nodes[tree.first_node + at];
      at = value(node.feature) < node.threshold ? node.left : node.right;
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
