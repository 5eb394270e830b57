// Grids with one row of blocks per row of the image, or of tiles. If there are more rows than a grid can have in y, they
// extend into z.
#pragma once

#include <cuda_runtime.h>

#include "gpu/context.h"

namespace gpu {

inline dim3 row_grid(int across, int rows) {
  constexpr int most_rows = 65535;
  const int deep = ceil_div(rows, most_rows);
  return dim3(static_cast<unsigned>(across), static_cast<unsigned>(ceil_div(rows, deep)), static_cast<unsigned>(deep));
}

// The row of this block. In a deep grid the last blocks may lie below the last row; they have no work.
__device__ inline int row_of_block() { return static_cast<int>(blockIdx.z * gridDim.y + blockIdx.y); }

}  // namespace gpu
