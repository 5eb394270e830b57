// The transpose of a whole matrix, through square tiles in shared memory; and the summed area table made from two scans
// along rows and two transposes.
#pragma once

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/tile_order.cuh"

namespace gpu::sat {

// A block of Side x Rows threads transposes one Side x Side tile in shared memory, so that both its reads and its writes are
// coalesced. Rows of the tile are one word longer than necessary, so that accesses along columns have no bank conflicts.
// Each thread starts all its loads before it waits for the first.
template <int Side, int Rows, BlockOrder order, class T>
__global__ void __launch_bounds__(Side* Rows) transpose_kernel(ImageView<const T> from, ImageView<T> to) {
  constexpr int elements = Side / Rows;  // per thread
  auto& tile = static_shared<T[Side][Side + 1]>();
  const auto [I, J] = place_of_block<order>(static_cast<int>(blockIdx.x), ceil_div(from.height, Side),
                                            ceil_div(from.width, Side));
  const int tile_x = J * Side, tile_y = I * Side;
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);

  const int x = tile_x + column;
  T read[elements];
#pragma unroll
  for (int k = 0; k < elements; ++k) {
    const int i = row + k * Rows;
    read[k] = x < from.width && tile_y + i < from.height ? from(x, tile_y + i) : T(0);
  }
#pragma unroll
  for (int k = 0; k < elements; ++k) tile[row + k * Rows][column] = read[k];
  __syncthreads();
  const int y = tile_y + column;
#pragma unroll
  for (int k = 0; k < elements; ++k) {
    const int i = row + k * Rows;
    if (y < from.height && tile_x + i < from.width) to(y, tile_x + i) = tile[column][i];
  }
}

// `to`, of swapped size, becomes the transpose of `from`, timed as "transpose". `rows`: threads per column of the tile, 4, 8
// or 16.
template <int Side, BlockOrder order, class T>
void launch_transpose(Context& context, ImageView<T> from, ImageView<T> to, int rows) {
  const dim3 grid(static_cast<unsigned>(ceil_div(from.width, Side)) * static_cast<unsigned>(ceil_div(from.height, Side)));
  visit_constant<8, 16, 4>(rows, [&]<int Rows>() {
    context.launch("transpose", transpose_kernel<Side, Rows, order, T>, {grid, dim3(Side, Rows)}, ImageView<const T>(from),
                   to);
  });
}

// Rows, transpose, rows, transpose. scan(from, to) makes prefix sums of rows; in the second call both are the transposed
// table, which is scratch memory.
template <int Side, BlockOrder order, class Input, class Sum, class Scan>
void scan_and_transpose_twice(Context& context, ImageView<const Input> image, ImageView<Sum> sat, int rows, Scan scan) {
  const auto transposed = context.scratch_image<Sum>({image.height, image.width});
  scan(image, sat);
  launch_transpose<Side, order>(context, sat, transposed, rows);
  scan(ImageView<const Sum>(transposed), transposed);
  launch_transpose<Side, order>(context, transposed, sat, rows);
}

}  // namespace gpu::sat
