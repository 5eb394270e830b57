// Haar-like features: rectangles of alternating sign side by side, and their value from a table.
//
// Source: P. Viola and M. Jones, Rapid object detection using a boosted cascade of simple features, CVPR 2001; names
// and signs as scikit-image's haar_like_feature. `width` and `height` are those of one rectangle.
//
//   type-2-x  - +      type-2-y  -     type-3-x  - + -     type-3-y  -      type-4  - +
//                                +                                   +              + -
//                                                                    -
#pragma once

#include <cstdint>

#include "gpu/effects/window_sums.h"

namespace gpu::effects {

enum class HaarType { type_2_x, type_2_y, type_3_x, type_3_y, type_4 };
inline constexpr auto haar_choices = "type-2-x,type-2-y,type-3-x,type-3-y,type-4";  // in the order of HaarType

inline constexpr auto haar_labels =
    "2 rectangles side by side,2 rectangles stacked,3 rectangles side by side,3 rectangles stacked,4 rectangles";
inline constexpr auto haar_pictograms = "-+,-/+,-+-,-/+/-,-+/+-";

constexpr int haar_columns(HaarType type) {
  return type == HaarType::type_3_x ? 3 : type == HaarType::type_2_x || type == HaarType::type_4 ? 2 : 1;
}
constexpr int haar_rows(HaarType type) {
  return type == HaarType::type_3_y ? 3 : type == HaarType::type_2_y || type == HaarType::type_4 ? 2 : 1;
}

// With rectangles of at most this side, every value fits in 32 bits: 2 * 2048 * 2048 * 255 < 2^31.
inline constexpr int haar_max_side = 2048;

struct HaarFeature {
  HaarType type;
  int x, y;           // of its top left corner
  int width, height;  // of one rectangle

  constexpr int columns() const { return haar_columns(type); }
  constexpr int rows() const { return haar_rows(type); }
  constexpr int full_width() const { return columns() * width; }
  constexpr int full_height() const { return rows() * height; }
  // Whether the rectangle in this column and row of the feature is added; if not, it is subtracted.
  static constexpr bool positive(int column, int row) { return (column + row) % 2 != 0; }

  // The feature must lie inside the image.
  constexpr int value(const SatView& sat) const {
    std::uint32_t sum = 0;
    for (int j = 0; j < rows(); ++j)
      for (int i = 0; i < columns(); ++i) {
        const int left = x + i * width, top = y + j * height;
        const auto rectangle = box_sum(sat, left, top, left + width, top + height);
        sum += positive(i, j) ? rectangle : 0u - rectangle;
      }
    return static_cast<int>(sum);
  }
};

// The factors of the table's entries at 0, side, 2*side, ... for n rectangles along an axis, the first of them positive:
// -1 2 -2 1 for + - +, for example. A two-dimensional feature is the product of its two axes.
template <int n>
constexpr std::uint32_t corner_factor(int i) {
  const int ends = i == 0 || i == n ? 1 : 2;
  return static_cast<std::uint32_t>(i % 2 ? ends : -ends);
}

}  // namespace gpu::effects
