// From local to global sums of tiles: 2R1W's second kernel (000 sec. III.A), for all tiles or for those between two
// anti-diagonals.
#pragma once

#include "gpu/context.h"
#include "gpu/sat/diagonals.h"
#include "gpu/sat/tile_sums.cuh"

namespace gpu::sat {

template <class Sum>
Diagonals all_diagonals(const TileSums<Sum>& sums) {
  return {0, sums.rows + sums.columns};
}

inline constexpr int prefix_threads = 256;

// entry[k * stride] for k in [first, last): each becomes the sum of all up to it, and of `sum`. Many are read ahead of
// the adds: the chain is of sums, not of trips to memory. (32 words instead of 8: 2R1W 1%, ha_blocks 3% faster at 4096 x 4096
// on an H200.)
template <class Sum>
__device__ void prefix_in_place(Sum* entry, int first, int last, std::ptrdiff_t stride, Sum sum) {
  constexpr int ahead = 128 / sizeof(Sum);
  for (int k = first; k < last; k += ahead) {
    Sum read[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) read[i] = k + i < last ? entry[(k + i) * stride] : Sum(0);
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      sum += read[i];
      if (k + i < last) entry[(k + i) * stride] = sum;
    }
  }
}

// All that lies in tile row I left of tile column J: a difference of two global sums. For floating point, where that would
// lose what the sums have gained, the sum of GRS(I, J-1).
template <class Sum>
__device__ Sum left_of_tile(const TileSums<Sum>& sums, int W, int I, int J) {
  if constexpr (std::is_floating_point_v<Sum>) {
    const Sum* row = sums.row + (static_cast<std::ptrdiff_t>(J - 1) * sums.rows + I) * W;
    Four<Sum> sum{};
#pragma unroll 8
    for (int i = 0; i < W; i += 4) {
      const auto four = *reinterpret_cast<const Four<Sum>*>(row + i);
#pragma unroll
      for (int c = 0; c < 4; ++c) sum.at[c] += four.at[c];
    }
    return (sum.at[0] + sum.at[1]) + (sum.at[2] + sum.at[3]);
  } else {
    return sums.corner_of(I, J - 1) - (I > 0 ? sums.corner_of(I - 1, J - 1) : Sum(0));
  }
}

// GS from LS, in place, by one block: first the sums of LS along each tile row, a thread each, then down each column.
template <class Sum>
__device__ void corner_table(const TileSums<Sum>& sums, int W, Diagonals tiles) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int I = thread; I < sums.rows; I += prefix_threads) {
    const int first = tiles.first(I), last = tiles.last(I, sums.columns);
    const Sum before = first > 0 && first < last ? left_of_tile(sums, W, I, first) : Sum(0);
    prefix_in_place(&sums.corner_of(I, 0), first, last, 1, before);
  }
  __syncthreads();
  for (int J = thread; J < sums.columns; J += prefix_threads) {
    const int first = tiles.first(J), last = tiles.last(J, sums.rows);
    const Sum before = first > 0 && first < last ? sums.corner_of(first - 1, J) : Sum(0);
    prefix_in_place(&sums.corner_of(0, J), first, last, static_cast<std::ptrdiff_t>(sums.columns), before);
  }
}

// Three kinds of prefix sums side by side in one launch: blocks take lines of row sums, then lines of column sums, and
// the last block the table of LS.
template <class Sum>
__global__ void __launch_bounds__(prefix_threads)
    prefix_sums(TileSums<Sum> sums, int W, Diagonals tiles, int row_blocks, int column_blocks) {
  const int block = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const std::ptrdiff_t image_rows = std::ptrdiff_t{sums.rows} * W, image_columns = std::ptrdiff_t{sums.columns} * W;

  // GRS: thread y walks its row over the tile columns; neighbouring threads touch neighbouring entries.
  if (block < row_blocks) {
    const int y = block * prefix_threads + thread;
    if (y >= image_rows) return;
    const int first = tiles.first(y / W), last = tiles.last(y / W, sums.columns);
    const Sum before = first > 0 && first < last ? sums.row[(first - 1) * image_rows + y] : Sum(0);
    prefix_in_place(sums.row + y, first, last, image_rows, before);
    return;
  }
  // GCS: likewise down the tile rows.
  if (block < row_blocks + column_blocks) {
    const int x = (block - row_blocks) * prefix_threads + thread;
    if (x >= image_columns) return;
    const int first = tiles.first(x / W), last = tiles.last(x / W, sums.rows);
    const Sum before = first > 0 && first < last ? sums.column[(first - 1) * image_columns + x] : Sum(0);
    prefix_in_place(sums.column + x, first, last, image_columns, before);
    return;
  }
  // GS.
  corner_table(sums, W, tiles);
}

// Timed under `name`. Without corners it is rows and columns alone.
template <class Sum>
void launch_prefix_sums(Context& context, std::string_view name, const TileSums<Sum>& sums, int W, Diagonals tiles,
                        bool corners = true) {
  const int row_blocks = ceil_div(sums.rows * W, prefix_threads);
  const int column_blocks = ceil_div(sums.columns * W, prefix_threads);
  context.launch(name, prefix_sums<Sum>,
                 {dim3(static_cast<unsigned>(row_blocks + column_blocks + corners)), dim3(prefix_threads)}, sums, W, tiles,
                 row_blocks, column_blocks);
}

}  // namespace gpu::sat
