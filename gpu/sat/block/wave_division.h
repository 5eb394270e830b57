// How one_wave divides an image into tiles, and these into launches.
#pragma once

#include <algorithm>
#include <string_view>

#include "gpu/context.h"
#include "gpu/sat/block/wave_shape.h"

namespace gpu::sat::wave {

// Launches of at most `capacity` tiles.
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
  for (const int i : shapes_alone)
    if (Division(size, shapes[i].H(), multiprocessors).launches() == 1) return i;
  return *std::ranges::min_element(shapes_sharing, {}, [&](int i) {
    return Division(size, shapes[i].H(), capacity_of(shapes[i], types, multiprocessors)).launches();
  });
}

}  // namespace gpu::sat::wave
