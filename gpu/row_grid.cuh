// Grids whose blocks stand in rows, of which there may be more than a grid has room for in y: the rest lie behind, in z.
#pragma once

#include <cuda_runtime.h>

#include "gpu/context.h"

namespace gpu {

inline dim3 row_grid(int across, int rows) {
  constexpr int most_rows = 65535;
  const int deep = ceil_div(rows, most_rows);
  return dim3(static_cast<unsigned>(across), static_cast<unsigned>(ceil_div(rows, deep)), static_cast<unsigned>(deep));
}

// The row of this block. Where the grid is deep, the last ones may lie below the last row: nothing is theirs to do.
__device__ inline int row_of_block() { return static_cast<int>(blockIdx.z * gridDim.y + blockIdx.y); }

}  // namespace gpu
