// The tiles of one_wave: their shapes, how many of them a GPU holds in its registers, the words that they exchange, and how an
// image is divided into them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat::wave {

inline constexpr int W = 128;

// A tile has `warps` bands of `rows` rows, each owned by one warp.
struct Shape {
  std::string_view name;
  int warps, rows;
  constexpr int H() const { return warps * rows; }
};
inline constexpr Shape shapes[] = {{"16x1", 16, 1}, {"8x4", 8, 4}, {"8x8", 8, 8}, {"16x4", 16, 4}, {"8x16", 8, 16}};
inline constexpr int shape_count = static_cast<int>(std::size(shapes));

// Bytes of a pixel and of a sum; whether sums are floating-point.
struct Types {
  std::uint64_t input, sum;
  bool floating;
};
template <class Input, class Sum>
inline constexpr Types types_of{sizeof(Input), sizeof(Sum), std::is_floating_point_v<Sum>};
// Whether a word holds two sums of a tile's columns or rows, of 16 bits each, where each is a sum of at most 128 bytes. Low tiles
// have few words to wait for, and floating-point sums would have to be converted.
constexpr bool packs_sums(Types types, int H) { return types.input == 1 && types.sum == 4 && !types.floating && H >= 64; }
inline Types types_of_sat(SatType type) { return {bytes_of(type).input, bytes_of(type).sum, sums_are_floating(type)}; }

// The number of resident blocks per multiprocessor to compile for.
constexpr int blocks_per_multiprocessor(const Shape& shape, Types types) {
  return blocks_of_one_wave(shape.warps, shape.rows, types.input, types.sum, types.floating);
}

constexpr int tiles_of_batch(Size size) {
  return ceil_div(size.height, shapes[shape_of_batch].H()) * ceil_div(size.width, W);
}

// Memory is reserved for the largest launch on any GPU. On a GPU of more multiprocessors launches are no larger.
inline constexpr int most_multiprocessors = 192;
constexpr int capacity_of(const Shape& shape, Types types, int multiprocessors) {
  return blocks_per_multiprocessor(shape, types) * std::min(multiprocessors, most_multiprocessors);
}

// Whether a small launch of these tiles is a plain one: of those that `auto` chooses where there are few. Its kernel has the
// fallback that this needs, which costs registers that larger tiles do not have (sat_one_wave.cu).
constexpr bool can_start_plainly(const Shape& shape) { return shape.warps == 8 && shape.rows == 4; }

// The words of one launch (sat_one_wave.cu).
constexpr std::size_t words_of(const Shape& shape, std::size_t tiles) {
  return tiles * static_cast<std::size_t>(W + shape.H() + 1);
}
// Whatever the shape: which one `auto` chooses depends on the GPU, and scratch memory must not.
constexpr std::size_t most_rows_of_tile() {
  int most = 0;
  for (const auto& shape : shapes) most = std::max(most, shape.H());
  return static_cast<std::size_t>(most);
}
constexpr std::size_t most_words(Types types) {
  std::size_t most = 0;
  for (const auto& shape : shapes)
    most = std::max(most, words_of(shape, static_cast<std::size_t>(capacity_of(shape, types, most_multiprocessors))));
  return most;
}
template <class Sum>
constexpr std::size_t most_words_of_sums() {
  return std::max(most_words({1, sizeof(Sum), false}), most_words({sizeof(Sum), sizeof(Sum), false}));
}

// How an image is divided into tiles, and these into launches of at most `capacity` tiles.
struct Division {
  int rows, columns;            // of tiles in the image
  int band_rows, band_columns;  // of tiles in a launch; fewer in the last one

  Division(Size size, int H, int capacity) : rows(ceil_div(size.height, H)), columns(ceil_div(size.width, W)) {
    const bool whole_rows = columns <= capacity;
    const int bands = whole_rows ? ceil_div(rows, capacity / columns) : rows;
    band_rows = ceil_div(rows, bands);
    band_columns = whole_rows ? columns : ceil_div(columns, ceil_div(columns, capacity));
  }
  int launches() const { return ceil_div(rows, band_rows) * ceil_div(columns, band_columns); }
  // f(first row, first column, rows, columns), in the order of launches
  template <class F>
  void for_each_launch(F&& f) const {
    for (int I = 0; I < rows; I += band_rows)
      for (int J = 0; J < columns; J += band_columns)
        f(I, J, std::min(band_rows, rows - I), std::min(band_columns, columns - J));
  }
};

// `auto`: the lowest tiles of which there is one per multiprocessor, so that none shares it; otherwise the
// lowest of those with the fewest launches.
inline int chosen_shape(std::string_view wanted, Size size, Types types, int multiprocessors) {
  for (int i = 0; i < shape_count; ++i)
    if (shapes[i].name == wanted) return i;
  for (const int i : waves_alone)
    if (Division(size, shapes[i].H(), multiprocessors).launches() == 1) return i;
  return *std::ranges::min_element(waves_sharing, {}, [&](int i) {
    return Division(size, shapes[i].H(), capacity_of(shapes[i], types, multiprocessors)).launches();
  });
}

}  // namespace gpu::sat::wave
