// 1R1W's kernel: the tiles of one anti-diagonal, which need only tiles of the diagonals before it.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/tile_sums.cuh"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat {

// Block b computes tile (first_row + b, diagonal - first_row - b).
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
