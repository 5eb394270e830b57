// A cascade evaluated as it is written: in float and double, rectangle by rectangle and tree by tree, in the order of the file, as
// cv::CascadeClassifier does on the CPU (OpenCV 4). The reference for all faster ways, what cascades need that are not exact in
// integers, and what a view of a single window's stages shows.
#pragma once

#include <cstdint>
#include <optional>
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
  const std::uint32_t* sums(int x, int y) const { return sums_.data() + y * stride_ + x; }
  const std::uint32_t* squares(int x, int y) const { return squares_.data() + y * stride_ + x; }
  const std::uint32_t* tilted(int x, int y) const { return tilted_.data() + y * stride_ + x; }

 private:
  void make_room(Size size);
  void compute_tilted(ImageView<const std::uint8_t> pixels);

  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint32_t> sums_, squares_, tilted_;
};

// A cascade on the window whose top left pixel is (x, y) in the tables, which must contain it.
class WindowEvaluation {
 public:
  WindowEvaluation(const Cascade& cascade, const LevelTables& tables, int x, int y);

  // 1 / (area * standard deviation of the pixels), over the window without its border of one pixel; empty if the pixels have no
  // deviation, or too little: such a window is refused before the first stage.
  std::optional<float> factor() const { return factor_; }
  // The rest only if there is a factor. A node compares a feature's value with its threshold.
  float value(const CascadeFeature& feature) const;
  double sum(const CascadeTree& tree) const { return tree.leaves[static_cast<std::size_t>(leaf(tree))]; }
  double sum(const CascadeStage& stage) const;
  bool passes(const CascadeStage& stage) const { return sum(stage) >= static_cast<double>(stage.threshold); }
  int leaf(const CascadeTree& tree) const;  // which one it reaches

  // How many stages it passes until the first that it does not; refused_depth without a factor.
  std::uint8_t depth() const;

 private:
  const Cascade& cascade_;
  const LevelTables& tables_;
  int x_, y_;
  std::optional<float> factor_;
};

inline constexpr std::uint8_t refused_depth = 255;

// The factor from the sums over the rectangle (1, 1, width - 2, height - 2) of a window, of which `area` is the area.
std::optional<float> factor_of(int area, std::uint32_t sum, std::uint32_t sum_of_squares);

}  // namespace gpu::vision
