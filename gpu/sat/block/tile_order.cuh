// Which tile each block takes: in the order of diagonals, or of a transpose.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace gpu::sat {

struct TilePlace {
  int I, J;  // tile row, tile column
};

// Place `place` of row `row` in a triangle whose row r has r + 1 places, 0 <= place <= row.
struct TrianglePlace {
  int row, place;
};

// The place with number `n`, counted row after row, 0 <= n < 2^31. Its row is sqrt(2 n + 1/4) - 1/2, rounded down. In float
// the error is less than 0.01, which is added: the result is the row or the next one, in which case `place` is negative.
__host__ __device__ inline TrianglePlace triangle_place(int n) {
  const int row = static_cast<int>(sqrtf(2.0f * static_cast<float>(n) + 0.25f) - 0.49f);
  const int place = n - static_cast<int>(static_cast<unsigned>(row) * static_cast<unsigned>(row + 1) / 2);
  return place < 0 ? TrianglePlace{row - 1, place + row} : TrianglePlace{row, place};
}

// Tile number `serial` of a rows x columns grid in diagonal-major order (000 sec. IV, Fig. 9): anti-diagonal after
// anti-diagonal, each from its upper right to its lower left. The tiles to the left of a tile, above it, and diagonally
// above it have smaller numbers. The grid has fewer than 2^31 tiles.
//
//      0  1  3  6        The first min(rows, columns) - 1 diagonals are the rows of a triangle; the following ones have
//      2  4  7  9        equal length; the last ones mirror the first.
//      5  8 10 11
__host__ __device__ inline TilePlace diagonal_major(int serial, int rows, int columns) {
  const int shorter = rows < columns ? rows : columns;
  const int last = rows * columns - 1;
  const int triangle = shorter * (shorter - 1) / 2;  // tiles before the first diagonal of full length

  int diagonal, place;  // which diagonal, and how far down it
  if (serial < triangle) {
    const auto here = triangle_place(serial);
    diagonal = here.row;
    place = here.place;
  } else if (last - serial < triangle) {
    const auto mirrored = triangle_place(last - serial);
    diagonal = rows + columns - 2 - mirrored.row;
    place = mirrored.row - mirrored.place;
  } else {
    diagonal = shorter - 1 + (serial - triangle) / shorter;
    place = (serial - triangle) % shorter;
  }
  const int first_row = diagonal < columns ? 0 : diagonal - columns + 1;
  return {first_row + place, diagonal - first_row - place};
}

// Which tile of a matrix each block of a transpose takes. The grid has one dimension, because a matrix may have more rows of
// tiles than a grid can have blocks in y (65535).
//
//   plain     row by row of tiles
//   diagonal  each block takes the tile below and to the right of the previous block's (Bugetti 2024, sec. 2.2, after
//             Ruetsch and Micikevicius, Optimizing matrix transpose in CUDA, 2010): concurrent blocks then read from
//             different rows, and write to different ones. The paper has one case for square matrices and one for others;
//             this formula serves both.
enum class BlockOrder { plain, diagonal };

template <BlockOrder order>
constexpr TilePlace place_of_block(int block, int rows, int columns) {
  if constexpr (order == BlockOrder::plain) return {block / columns, block % columns};
  const int I = block % rows;
  return {I, (block / rows + I) % columns};
}

}  // namespace gpu::sat
