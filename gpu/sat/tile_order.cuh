// The order in which single-kernel algorithms hand out tiles.
#pragma once

#include <cuda_runtime.h>

namespace gpu::sat {

struct TilePlace {
  int I, J;  // tile row, tile column
};

// Tile number `serial` of a rows x columns grid in diagonal-major order (000 sec. IV, Fig. 9): anti-diagonal after
// anti-diagonal, each from its upper right to its lower left. Every tile to the left of, above, and diagonally before a
// tile has a smaller number.
//
//      0  1  3  6        Diagonal d < min(rows, columns) starts at d (d + 1) / 2; then come diagonals of one length;
//      2  4  7  9        the last ones mirror the first.
//      5  8 10 11
constexpr TilePlace diagonal_major(int serial, int rows, int columns) {
  const int shorter = rows < columns ? rows : columns;
  const int last = rows * columns - 1;
  const int triangle = shorter * (shorter - 1) / 2;  // tiles before the first diagonal of full length

  // The diagonal whose triangle number is the largest one <= n: a square root, corrected by at most one step.
  const auto triangle_root = [](int n) {
    int d = 0;
    for (int step = 1 << 15; step > 0; step >>= 1)
      if (static_cast<long long>(d + step) * (d + step + 1) / 2 <= n) d += step;
    return d;
  };

  int diagonal, place;  // which diagonal, and how far down it
  if (serial < triangle) {
    diagonal = triangle_root(serial);
    place = serial - diagonal * (diagonal + 1) / 2;
  } else if (last - serial < triangle) {
    const int mirrored = triangle_root(last - serial);
    diagonal = rows + columns - 2 - mirrored;
    place = mirrored - (last - serial - mirrored * (mirrored + 1) / 2);
  } else {
    diagonal = shorter - 1 + (serial - triangle) / shorter;
    place = (serial - triangle) % shorter;
  }
  const int first_row = diagonal < columns ? 0 : diagonal - columns + 1;
  return {first_row + place, diagonal - first_row - place};
}

}  // namespace gpu::sat
