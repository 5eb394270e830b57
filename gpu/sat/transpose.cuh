// The transpose of a whole matrix, through square tiles of shared memory.
#pragma once

#include "gpu/context.h"

namespace gpu::sat {

// A block moves one Side x Side tile: rows are read side by side and, swapped in shared memory, written side by side. A
// row of the tile is one word longer than it needs to be, so that its columns do not meet in a bank. Blocks take tiles in
// diagonal order: those that run at once then write to different rows, and so to different memory channels.
template <int Side, class T>
__global__ void transpose_kernel(ImageView<const T> from, ImageView<T> to) {
  __shared__ T tile[Side][Side + 1];
  const int tile_x = static_cast<int>((blockIdx.x + blockIdx.y) % gridDim.x) * Side;
  const int tile_y = static_cast<int>(blockIdx.y) * Side;
  const int column = static_cast<int>(threadIdx.x), rows = static_cast<int>(blockDim.y);

  const int x = tile_x + column;
  for (int i = static_cast<int>(threadIdx.y); i < Side; i += rows)
    if (x < from.width && tile_y + i < from.height) tile[i][column] = from(x, tile_y + i);
  __syncthreads();
  const int y = tile_y + column;
  for (int i = static_cast<int>(threadIdx.y); i < Side; i += rows)
    if (y < from.height && tile_x + i < from.width) to(y, tile_x + i) = tile[column][i];
}

// `to`, of swapped size, becomes the transpose of `from`, timed as "transpose". `rows`: threads of a block down the tile,
// a divisor of Side.
template <int Side, class T>
void launch_transpose(Context& context, ImageView<T> from, ImageView<T> to, int rows) {
  const dim3 grid(static_cast<unsigned>(ceil_div(from.width, Side)), static_cast<unsigned>(ceil_div(from.height, Side)));
  context.launch("transpose", transpose_kernel<Side, T>, {grid, dim3(Side, static_cast<unsigned>(rows))},
                 ImageView<const T>(from), to);
}

}  // namespace gpu::sat
