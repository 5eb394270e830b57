// The order in which single-kernel algorithms assign tiles to blocks.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

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

// While a block loads its tile, it also fetches the one that is this many tiles later into the L2 cache, so that the later block
// finds it there. A tile that is fetched too early falls out of the cache before it is loaded: what is fetched ahead may take a
// small part of it. 0, none: images so large that the words which blocks publish need the cache. The numbers were tuned on an
// H100, whose L2 cache has 50 MB, the largest image also on an H200, which has 60 MB (gpu/benchmarks/README.md).
constexpr int tiles_ahead(std::size_t tile_bytes, std::size_t image_bytes, std::size_t l2_bytes) {
  if (image_bytes > 20 * l2_bytes) return 0;
  const std::size_t usual = tile_bytes > 16384 ? 40 : 80, most = l2_bytes / 16 / tile_bytes;
  return static_cast<int>(usual < most ? usual : most);
}

}  // namespace gpu::sat
