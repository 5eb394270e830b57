// The sums of all tiles as arrays in global memory, for algorithms that pass them from kernel to kernel.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat {

// For a grid of `rows` x `columns` tiles of side W. Row sums are stored tile column by tile column, so that the W row sums
// of one tile, and those of all tile rows below it, are consecutive: the sum of row y of the image in tile column J is
// row[J * rows * W + y]; likewise that of column x in tile row I is column[I * columns * W + x].
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

// Shared memory of the functions below, one struct per function, so that a kernel may call several of them; each once, or
// with a barrier between two calls.
template <class Input, class Sum, int W>
struct LocalSumsShared {
  Bands<Sum, W> bands;
  BlockScan<Sum, W / warp_lanes> columns;
};
template <class Input, class Sum, int W>
struct GlobalSatShared {
  Bands<Sum, W> bands;
  Prefix<Sum, W> left;
};
template <class Sum, int W>
struct LastEntries {
  // They start one entry above (left of) the tile. A row is written four entries at a time, aligned to four, which causes no
  // bank conflicts.
  static constexpr int before_row = 3;
  Sum column[W + 1];
  alignas(alignof(Four<Sum>)) Sum row[1 + before_row + W];
};

// f.operator()<DotProducts>() for the local sums of an image: dot products (tile.cuh) where its bytes are many (tuning.h).
template <class Input, class Sum, class F>
void visit_dot_products(Size image, F&& f) {
  if constexpr (std::is_same_v<Input, std::uint8_t> && std::is_same_v<Sum, std::uint32_t>)
    if (image.pixels() >= pixels_of_dot_products) return f.template operator()<true>();
  f.template operator()<false>();
}

// "Shared memory column-wise/row-wise sum algorithm" (000 sec. II), in registers: LRS, LCS and LS of tile (I, J), read
// from the image and written to `sums`. All threads of the block take part.
template <class Input, class Sum, int W, bool DotProducts = false>
__device__ void write_local_sums(ImageView<const Input> image, bool aligned, const TileSums<Sum>& sums, int I, int J) {
  auto& [bands, columns] = static_shared<LocalSumsShared<Input, Sum, W>>();
  Tile<Input, Sum, W, usual_groups<Sum>, W, DotProducts> tile;
  tile.load(image, J * W, I * W, aligned);
  bands.put(tile.band_column_sums());
  const Sum row = tile.row_sum();
  if (tile.lane() % tile.lanes_per_row == 0) sums.template row_of<W>(I, J)[tile.first_row() + tile.summed_row()] = row;
  __syncthreads();

  const int j = static_cast<int>(threadIdx.x);
  if (j < W) {
    const Sum column = bands.column(j);
    sums.template column_of<W>(I, J)[j] = column;
    columns.put_sum(j / warp_lanes, column);
  }
  __syncthreads();
  if (j == 0) sums.corner_of(I, J) = columns.all();
}

// "Shared memory SAT algorithm" (000 sec. II and III.A, kernel 3), in registers: GSAT of tile (I, J) from the image and
// the global sums of its neighbours in `sums`. Calls with_tile(tile, bands) with the tile and the column sums of its bands;
// each_row: see Tile::store_table. `trace`: of the carries; the kernel records when it starts and finishes. Waits for the launch
// before (intrinsics.cuh) once the loads of the tile have begun.
template <class Input, class Sum, int W, class Aligned, class WithTile, class EachRow, class Trace>
__device__ void write_global_sat(ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned,
                                 const TileSums<Sum>& sums, int I, int J, WithTile with_tile, EachRow each_row,
                                 Trace trace) {
  auto& [bands, left] = static_shared<GlobalSatShared<Input, Sum, W>>();
  const int thread = static_cast<int>(threadIdx.x);
  Tile<Input, Sum, W> tile;
  tile.load(image, J * W, I * W, aligned.image);
  wait_for_previous_launch();  // which made the sums, not the image

  // What comes from outside, loaded together with the tile: the carries of this thread's columns, of the rows, the corner.
  Four<Sum> above{};
  if (I > 0) above = *reinterpret_cast<const Four<Sum>*>(sums.template column_of<W>(I - 1, J) + tile.first_column());
  if (thread < W) left.put(thread, J > 0 ? sums.template row_of<W>(I, J - 1)[thread] : Sum(0));
  const Sum corner = I > 0 && J > 0 ? sums.corner_of(I - 1, J - 1) : Sum(0);

  bands.put(tile.band_column_sums());
  __syncthreads();
  trace.carry(I, J);
  with_tile(tile, bands);
  bands.add_above(above);
  // All rows of a thread lie in one warp's share of the prefix sums, so that one value completes them. It is added to the
  // first column only; the scan of each row passes it on to all others.
  const Sum rest = corner + left.before(tile.first_row());
  if (tile.lane() == 0) above.at[0] += rest;
  tile.store_table(sat, J * W, I * W, aligned.sat, above, left.at, each_row);
}

template <class Input, class Sum, int W, class Aligned, class Trace = NoTrace>
__device__ void write_global_sat(ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned,
                                 const TileSums<Sum>& sums, int I, int J, Trace trace = {}) {
  write_global_sat<Input, Sum, W>(
      image, sat, aligned, sums, I, J, [](const auto&, const auto&) {}, [](int, const Four<Sum>&) {}, trace);
}

// The same; also writes GRS, GCS and GS of the tile to `sums`, as the paper does (000 sec. III.B): GS is the tile's last
// entry, GRS and GCS are the differences of neighbours in its last column and in its last row.
template <class Input, class Sum, int W, class Aligned, class Trace>
__device__ void write_global_sat_and_differences(ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned,
                                                 const TileSums<Sum>& sums, int I, int J, Trace trace) {
  using TileType = Tile<Input, Sum, W>;
  auto& last = static_shared<LastEntries<Sum, W>>();
  const int thread = static_cast<int>(threadIdx.x);
  // The entries before the first ones come from the neighbours' tables; they are loaded together with the tile.
  wait_for_previous_launch();
  if (thread == 0) {
    last.column[0] = I > 0 ? sums.corner_of(I - 1, J) : Sum(0);
    last.row[last.before_row] = J > 0 ? sums.corner_of(I, J - 1) : Sum(0);
  }
  const auto keep_edges = [&](int r, const Four<Sum>& row) {
    if (TileType::lane() == TileType::lanes - 1) last.column[TileType::first_row() + r + 1] = row.at[3];
    if (TileType::first_row() + r == W - 1)
      *reinterpret_cast<Four<Sum>*>(last.row + last.before_row + 1 + TileType::first_column()) = row;
  };
  write_global_sat<Input, Sum, W>(
      image, sat, aligned, sums, I, J, [](const auto&, const auto&) {}, keep_edges, trace);
  __syncthreads();
  static_assert(TileType::threads >= 2 * W, "rows and columns have threads of their own");
  if (thread < W) {
    sums.template row_of<W>(I, J)[thread] = last.column[thread + 1] - last.column[thread];
    if (thread == W - 1) sums.corner_of(I, J) = last.column[W];
  } else if (thread < 2 * W) {
    const Sum* const entry = last.row + last.before_row + 1 + thread - W;
    sums.template column_of<W>(I, J)[thread - W] = entry[0] - entry[-1];
  }
}

// The same for floating point. A difference of table entries contains their rounding errors, and the next tile would add its
// own to them, so that errors would grow with the number of tiles. GRS and GCS are therefore the sums of the neighbour's and
// the tile's own, as in 000 sec. IV.
template <class Input, class Sum, int W, class Aligned, class Trace>
__device__ void write_global_sat_and_carries(ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned,
                                             const TileSums<Sum>& sums, int I, int J, Trace trace) {
  using TileType = Tile<Input, Sum, W>;
  const auto pass_on = [&](const TileType& tile, const Bands<Sum, W>& bands) {
    const Sum row = tile.row_sum();
    if (TileType::lane() % TileType::lanes_per_row == 0) {
      const int i = TileType::first_row() + TileType::summed_row();
      sums.template row_of<W>(I, J)[i] = J > 0 ? sums.template row_of<W>(I, J - 1)[i] + row : row;
    }
    const int j = static_cast<int>(threadIdx.x);
    if (j < W) {
      const Sum column = bands.column(j);
      sums.template column_of<W>(I, J)[j] = I > 0 ? sums.template column_of<W>(I - 1, J)[j] + column : column;
    }
  };
  const auto keep_corner = [&](int r, const Four<Sum>& row) {
    if (TileType::first_row() + r == W - 1 && TileType::lane() == TileType::lanes - 1) sums.corner_of(I, J) = row.at[3];
  };
  write_global_sat<Input, Sum, W>(image, sat, aligned, sums, I, J, pass_on, keep_corner, trace);
}

template <class Input, class Sum, int W, class Aligned, class Trace = NoTrace>
__device__ void write_global_sat_and_sums(ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned,
                                          const TileSums<Sum>& sums, int I, int J, Trace trace = {}) {
  if constexpr (std::is_floating_point_v<Sum>)
    write_global_sat_and_carries<Input, Sum, W>(image, sat, aligned, sums, I, J, trace);
  else
    write_global_sat_and_differences<Input, Sum, W>(image, sat, aligned, sums, I, J, trace);
}

// 1R1W's kernel: the tiles of one anti-diagonal, which need only tiles of the diagonals before it. Block b computes tile
// (first_row + b, diagonal - first_row - b).
template <class Input, class Sum, int W, class Aligned, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    diagonal_tiles(ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned, TileSums<Sum> sums, int diagonal,
                   int first_row, Trace trace) {
  const int I = first_row + static_cast<int>(blockIdx.x);
  const int J = diagonal - I;
  let_next_launch_start();
  wait_for_previous_launch();
  trace.start(I, J);
  write_global_sat_and_sums<Input, Sum, W>(image, sat, aligned, sums, I, J, trace);
  trace.finish(I, J);
}

// One launch for each diagonal in [begin, end), as part of `pass`: a TracedPass or an UntracedPass.
template <class Input, class Sum, int W, class Pass>
void launch_diagonals(Context& context, const Pass& pass, ImageView<const Input> image, ImageView<Sum> sat,
                      const TileSums<Sum>& sums, int begin, int end) {
  for (int diagonal = begin; diagonal < end; ++diagonal) {
    const int first_row = std::max(0, diagonal - sums.columns + 1), last_row = std::min(diagonal, sums.rows - 1);
    const int blocks = last_row - first_row + 1;
    // The kernel before the first one may be anybody's, and need not wait for those before it. Blocks that wait for the diagonal
    // before hold what its last blocks may need: where diagonals are long, that costs more than a launch.
    const bool early = diagonal > begin && is_small_launch(blocks, context.limits());
    visit_alignment(image, sat, [&](auto aligned) {
      pass.launch([&](auto trace) {
        context.launch("diagonal", diagonal_tiles<Input, Sum, W, decltype(aligned), decltype(trace)>,
                       {.grid = dim3(static_cast<unsigned>(blocks)),
                        .block = dim3(Tile<Input, Sum, W>::threads),
                        .start = early ? Start::dependent : Start::in_order},
                       image, sat, aligned, sums, diagonal, first_row, trace);
      });
    });
  }
}

// 1R1W with a recorder, by the kernels of sat_1_plus_r_r1w.cu.
void record_1r1w(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments);

}  // namespace gpu::sat
