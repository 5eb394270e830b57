// The sums of every tile as arrays in global memory, for algorithms that pass them from kernel to kernel.
#pragma once

#include "gpu/context.h"
#include "gpu/sat/tile.cuh"

namespace gpu::sat {

// For a grid of `rows` x `columns` tiles of side W. Row sums lie tile column by tile column, so that the W row sums of
// one tile, and those of all tile rows below it, are consecutive: row y of the image in tile column J is
// row[J * rows * W + y]; likewise column x in tile row I is column[I * columns * W + x].
// The same arrays hold LRS, LCS, LS after the first kernel and GRS, GCS, GS after the second.
template <class Sum>
struct TileSums {
  Sum* row;     // [columns][rows * W]
  Sum* column;  // [rows][columns * W]
  Sum* corner;  // [rows][columns]
  int rows, columns;

  static TileSums in(Context& context, Size size, int W) {
    const int rows = ceil_div(size.height, W), columns = ceil_div(size.width, W);
    const auto tiles = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    const auto side = static_cast<std::size_t>(W);
    return {context.scratch<Sum>(tiles * side), context.scratch<Sum>(tiles * side), context.scratch<Sum>(tiles), rows,
            columns};
  }

  // The W row (column) sums of tile (I, J).
  template <int W>
  __device__ Sum* row_of(int I, int J) const {
    return row + (static_cast<std::ptrdiff_t>(J) * rows + I) * W;
  }
  template <int W>
  __device__ Sum* column_of(int I, int J) const {
    return column + (static_cast<std::ptrdiff_t>(I) * columns + J) * W;
  }
  __device__ Sum& corner_of(int I, int J) const { return corner[static_cast<std::ptrdiff_t>(I) * columns + J]; }
};

// "Shared memory column-wise/row-wise sum algorithm" (000 sec. II), in registers: LRS, LCS and LS of tile (I, J), read
// from the image and written to `sums`. All threads of the block take part.
template <class Input, class Sum, int W>
__device__ void write_local_sums(ImageView<const Input> image, bool aligned, const TileSums<Sum>& sums, int I, int J) {
  __shared__ Bands<Sum, W> bands;
  __shared__ Sum warp_totals[W / warp_lanes];
  Tile<Sum, W> tile;
  tile.load(image, J * W, I * W, aligned);
  bands.put(tile.band_column_sums());

  // A row's sum arrives in all its lanes; lane r keeps that of row r, so that one store writes the whole band's.
  static_assert(tile.rows <= tile.lanes);
  Sum mine = 0;
#pragma unroll
  for (int r = 0; r < tile.rows; ++r) {
    const Sum sum = tile.row_sum(r);
    if (tile.lane() == r) mine = sum;
  }
  if (tile.lane() < tile.rows) sums.template row_of<W>(I, J)[tile.first_row() + tile.lane()] = mine;
  __syncthreads();

  const int j = static_cast<int>(threadIdx.x);
  if (j < W) {
    const Sum column = bands.column(j);
    sums.template column_of<W>(I, J)[j] = column;
    const Sum total = segment_sum(column);
    if (j % warp_lanes == 0) warp_totals[j / warp_lanes] = total;
  }
  __syncthreads();
  if (j == 0) {
    Sum total = 0;
    for (const Sum part : warp_totals) total += part;
    sums.corner_of(I, J) = total;
  }
}

// "Shared memory SAT algorithm" (000 sec. II and III.A, kernel 3), in registers: GSAT of tile (I, J) from the image and
// the global sums of its neighbours in `sums`.
template <class Input, class Sum, int W>
__device__ void write_global_sat(ImageView<const Input> image, bool image_aligned, ImageView<Sum> sat, bool sat_aligned,
                                 const TileSums<Sum>& sums, int I, int J) {
  __shared__ Bands<Sum, W> bottoms;
  __shared__ alignas(16) Sum left[W], above[W];  // prefix sums of GRS(I, J-1) and of GCS(I-1, J)
  __shared__ Sum left_totals[W / warp_lanes], above_totals[W / warp_lanes];
  const int thread = static_cast<int>(threadIdx.x), index = thread % W, warp = index / warp_lanes;

  // The carries are asked for before the tile, because their scans come first.
  Sum carry = 0;
  if (thread < W) {
    if (I > 0) carry = sums.template column_of<W>(I - 1, J)[index];
  } else if (thread < 2 * W) {
    if (J > 0) carry = sums.template row_of<W>(I, J - 1)[index];
  }
  const Sum corner = I > 0 && J > 0 ? sums.corner_of(I - 1, J - 1) : Sum(0);
  Tile<Sum, W> tile;
  tile.load(image, J * W, I * W, image_aligned);

  if (thread < 2 * W) {
    const Sum prefix = inclusive_scan(carry);
    (thread < W ? above : left)[index] = prefix;
    if (index % warp_lanes == warp_lanes - 1) (thread < W ? above_totals : left_totals)[warp] = prefix;
  }
  tile.scan_rows();
  tile.scan_band_columns();
  bottoms.put(tile.bottom_row());
  __syncthreads();

  // Bands above, the carry from above and the corner belong to columns; the carry from the left, to rows. The prefix
  // sums of a warp's 32 carries still lack the totals of the warps before it.
  Four<Sum> add = bottoms.above();
  Sum before = corner;
#pragma unroll
  for (int w = 0; w < W / warp_lanes - 1; ++w) {
    if (w < tile.first_column() / warp_lanes) before += above_totals[w];
    if (w < tile.first_row() / warp_lanes) before += left_totals[w];
  }
#pragma unroll
  for (int c = 0; c < tile.columns; ++c) add.at[c] += above[tile.first_column() + c] + before;
  tile.add(add, left);
  tile.store(sat, J * W, I * W, sat_aligned);
}

}  // namespace gpu::sat
