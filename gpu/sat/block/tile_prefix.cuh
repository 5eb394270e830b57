// From local to global sums of tiles: 2R1W's second kernel (000 sec. III.A), for all tiles or for those between two
// anti-diagonals.
#pragma once

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/diagonals.h"
#include "gpu/sat/block/tile_sums.cuh"

namespace gpu::sat {

template <class Sum>
__host__ __device__ Diagonals all_diagonals(const TileSums<Sum>& sums) {
  return {0, sums.rows + sums.columns};
}

// entry[k * stride] for k in [first, last): each is to become the sum of all up to it, and of `before`.
template <class Sum>
struct Line {
  Sum* entry;
  std::ptrdiff_t stride;
  int first, last;
  Sum before;
};

// How many lines a block processes side by side, and which of them is this thread's: neighbouring threads have neighbouring
// lines.
__host__ __device__ constexpr int lines_of_block(const Segments& segments) { return prefix_threads >> segments.shift; }
__device__ inline int line_of_thread(const Segments& segments) {
  return static_cast<int>(threadIdx.x) & (lines_of_block(segments) - 1);
}

// Prefix sums in place, with segments.parts() threads of the block per line. All threads of the block take part; those
// without a line have an empty one. Entries are loaded before they are added, so that only additions depend on each other,
// not loads. If threads share a line, they exchange the sums of their segments in `totals`, and each starts from the sum of
// the segments before its own. `Ahead`: at least segments.entries.
template <int Ahead, class Sum>
__device__ void prefix_in_rounds(const Line<Sum>& line, const Segments& segments, Sum (&totals)[prefix_threads]) {
  const int thread = static_cast<int>(threadIdx.x), lines = lines_of_block(segments);
  const int part = (thread << segments.shift) / prefix_threads;
  Sum before = line.before;  // the sum of all entries before the round
  for (int round = 0; round < segments.rounds; ++round) {
    const int from = line.first + ((round << segments.shift) + part) * segments.entries;
    const int count = min(segments.entries, line.last - from);
    Sum* entry = line.entry + from * line.stride;
    Sum read[Ahead];
#pragma unroll
    for (int i = 0; i < Ahead; ++i) read[i] = i < count ? entry[i * line.stride] : Sum(0);

    Sum sum = before;
    if (segments.shift > 0) {
      Sum total = 0;
#pragma unroll
      for (int i = 0; i < Ahead; ++i) total += read[i];
      __syncthreads();  // the totals before these have been read
      totals[thread] = total;
      __syncthreads();
      for (int p = 0; p < segments.parts(); ++p) {
        if (p == part) sum = before;
        before += totals[p * lines + (thread & (lines - 1))];
      }
    }
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      sum += read[i];
      if (i < count) entry[i * line.stride] = sum;
    }
    if (segments.shift == 0) before = sum;
  }
}

// Short segments have instances of their own: with the usual number of entries, most of their loads would be idle.
template <class Sum>
__device__ void prefix_in_place(const Line<Sum>& line, const Segments& segments) {
  auto& totals = static_shared<Sum[prefix_threads]>();
  if (segments.entries <= few_entries)
    prefix_in_rounds<few_entries>(line, segments, totals);
  else if (segments.entries <= 2 * few_entries)
    prefix_in_rounds<2 * few_entries>(line, segments, totals);
  else
    prefix_in_rounds<entries_ahead<Sum>>(line, segments, totals);
}

// The sum of all pixels in tile row I left of tile column J: the difference of two global sums. For floating point, where
// the difference would contain the rounding errors of both, the sum of GRS(I, J-1).
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

// The rows of the matrix of LS become prefix sums, in place. A warp has several rows at once, 32 corners of each, which are
// neighbours in memory.
template <class Sum>
__device__ void prefix_of_corner_rows(const TileSums<Sum>& sums, int W, Diagonals tiles) {
  constexpr int at_once = 8;
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  for (int above = warp * at_once; above < sums.rows; above += prefix_threads / warp_lanes * at_once) {
    // The sums that the rows continue from: lane r computes that of row r.
    const int own = above + lane, own_first = tiles.first(own);
    const bool continues = lane < at_once && own < sums.rows && own_first > 0 && own_first < tiles.last(own, sums.columns);
    const Sum left = continues ? left_of_tile(sums, W, own, own_first) : Sum(0);
    Sum before[at_once];
#pragma unroll
    for (int r = 0; r < at_once; ++r) before[r] = __shfl_sync(whole_warp, left, r);

    // On diagonals the lowest row begins furthest left, the highest ends furthest right.
    const int first = tiles.first(min(above + at_once, sums.rows) - 1), last = tiles.last(above, sums.columns);
    for (int J0 = first; J0 < last; J0 += warp_lanes) {
      const int J = J0 + lane;
      const auto on_diagonals = [&](int I) {
        return I < sums.rows && J >= tiles.first(I) && J < tiles.last(I, sums.columns);
      };
      Sum read[at_once];
#pragma unroll
      for (int r = 0; r < at_once; ++r) read[r] = on_diagonals(above + r) ? sums.corner_of(above + r, J) : Sum(0);
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        const Sum sum = before[r] + inclusive_scan(read[r]);
        if (on_diagonals(above + r)) sums.corner_of(above + r, J) = sum;
        before[r] = __shfl_sync(whole_warp, sum, warp_lanes - 1);
      }
    }
  }
}

// Column J of the matrix of LS.
template <class Sum>
__device__ Line<Sum> corner_column(const TileSums<Sum>& sums, Diagonals tiles, int J) {
  if (J >= sums.columns) return {};
  const int first = tiles.first(J), last = tiles.last(J, sums.rows);
  return {&sums.corner_of(0, J), sums.columns, first, last,
          first > 0 && first < last ? sums.corner_of(first - 1, J) : Sum(0)};
}

// Row y of the image among the row sums, and column x among the column sums.
template <class Sum>
__device__ Line<Sum> line_of_row_sums(const TileSums<Sum>& sums, int W, Diagonals tiles, int y) {
  const int image_rows = sums.rows * W;
  if (y >= image_rows) return {};
  const int I = y / W, first = tiles.first(I), last = tiles.last(I, sums.columns);
  return {sums.row + y, image_rows, first, last,
          first > 0 && first < last ? sums.row[std::ptrdiff_t{first - 1} * image_rows + y] : Sum(0)};
}
template <class Sum>
__device__ Line<Sum> line_of_column_sums(const TileSums<Sum>& sums, int W, Diagonals tiles, int x) {
  const int image_columns = sums.columns * W;
  if (x >= image_columns) return {};
  const int J = x / W, first = tiles.first(J), last = tiles.last(J, sums.rows);
  return {sums.column + x, image_columns, first, last,
          first > 0 && first < last ? sums.column[std::ptrdiff_t{first - 1} * image_columns + x] : Sum(0)};
}

// How one block divides the columns of corners among its threads.
template <class Sum>
Segments corner_segments(const TileSums<Sum>& sums, Diagonals tiles) {
  return Segments::of<Sum>(sums.columns, tiles.longest(sums.rows), prefix_threads);
}

// GS from LS, in place, by one block: first the sums of LS along each tile row, then down each column.
template <class Sum>
__device__ void corner_table(const TileSums<Sum>& sums, int W, Diagonals tiles, const Segments& down) {
  prefix_of_corner_rows(sums, W, tiles);
  __syncthreads();
  for (int J = 0; J < sums.columns; J += lines_of_block(down))
    prefix_in_place(corner_column(sums, tiles, J + line_of_thread(down)), down);
}

// Which blocks of a launch of prefix_sums() do what.
struct PrefixBlocks {
  Segments along, down;  // of lines of row sums and of column sums
  int rows, columns;     // blocks
  Segments corners;      // of columns of corners
};

// Three kinds of prefix sums concurrently in one launch: the first blocks take lines of row sums (GRS), the next ones lines
// of column sums (GCS), and the last block the table of LS (GS). They need a small part of the GPU: the next launch may start
// meanwhile, and wait.
template <class Sum>
__global__ void __launch_bounds__(prefix_threads)
    prefix_sums(TileSums<Sum> sums, int W, Diagonals tiles, PrefixBlocks blocks) {
  const int block = static_cast<int>(blockIdx.x);
  // In this order: the next launch reads the image before it waits, which may be done only when the launches before this one are.
  wait_for_previous_launch();
  let_next_launch_start();
  if (block < blocks.rows) {
    const int y = block * lines_of_block(blocks.along) + line_of_thread(blocks.along);
    prefix_in_place(line_of_row_sums(sums, W, tiles, y), blocks.along);
  } else if (block < blocks.rows + blocks.columns) {
    const int x = (block - blocks.rows) * lines_of_block(blocks.down) + line_of_thread(blocks.down);
    prefix_in_place(line_of_column_sums(sums, W, tiles, x), blocks.down);
  } else {
    corner_table(sums, W, tiles, blocks.corners);
  }
}

// Timed under `name`; after a launch of the same run. Lines are shared only while each of the two directions has at most one
// block per multiprocessor: with more, the GPU is busy anyway. (Lines that the diagonals do not cross count too.)
template <class Sum>
void launch_prefix_sums(Context& context, std::string_view name, const TileSums<Sum>& sums, int W, Diagonals tiles) {
  const int rows = sums.rows * W, columns = sums.columns * W, threads = context.limits().multiprocessors * prefix_threads;
  PrefixBlocks blocks{Segments::of<Sum>(rows, tiles.longest(sums.columns), threads),
                      Segments::of<Sum>(columns, tiles.longest(sums.rows), threads), 0, 0,
                      corner_segments<Sum>(sums, tiles)};
  blocks.rows = ceil_div(rows, lines_of_block(blocks.along));
  blocks.columns = ceil_div(columns, lines_of_block(blocks.down));
  context.launch(name, prefix_sums<Sum>,
                 {.grid = dim3(static_cast<unsigned>(blocks.rows + blocks.columns + 1)),
                  .block = dim3(prefix_threads),
                  .start = Start::dependent},
                 sums, W, tiles, blocks);
}

}  // namespace gpu::sat
