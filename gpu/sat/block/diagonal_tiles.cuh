// 1R1W's kernel: the tiles of one anti-diagonal, which need only tiles of the diagonals before it.
#pragma once

#include <algorithm>

#include "gpu/sat/block/tile_sums.cuh"

namespace gpu::sat {

// Block b computes tile (first_row + b, diagonal - first_row - b).
template <class Input, class Sum, int W>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    diagonal_tiles(ImageView<const Input> image, bool image_aligned, ImageView<Sum> sat, bool sat_aligned,
                   TileSums<Sum> sums, int diagonal, int first_row) {
  const int I = first_row + static_cast<int>(blockIdx.x);
  write_global_sat_and_sums<Input, Sum, W>(image, image_aligned, sat, sat_aligned, sums, I, diagonal - I);
}

// One launch for each diagonal in [begin, end).
template <class Input, class Sum, int W>
void launch_diagonals(Context& context, ImageView<const Input> image, ImageView<Sum> sat, const TileSums<Sum>& sums,
                      int begin, int end) {
  for (int diagonal = begin; diagonal < end; ++diagonal) {
    const int first_row = std::max(0, diagonal - sums.columns + 1), last_row = std::min(diagonal, sums.rows - 1);
    context.launch("diagonal", diagonal_tiles<Input, Sum, W>,
                   {dim3(static_cast<unsigned>(last_row - first_row + 1)), dim3(Tile<Input, Sum, W>::threads)}, image,
                   aligned_to_four(image), sat, aligned_to_four(sat), sums, diagonal, first_row);
  }
}

}  // namespace gpu::sat
