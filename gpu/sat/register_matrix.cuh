// The 32 x 32 matrix that a warp holds in its registers, 32 in each thread (003 sec. IV), its transpose through shared
// memory, and what stitches the matrices of a block together along a line.
#pragma once

#include <cuda_runtime.h>

#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/warp.cuh"

namespace gpu::sat {

inline constexpr int matrix_side = warp_lanes;

// Shared memory of one warp's transpose: a row is one word longer than the matrix, so that neither rows nor columns of it
// meet in a bank (003 Alg. 5, line 2).
template <class Sum>
struct TransposeBuffer {
  Sum at[matrix_side][matrix_side + 1];
};

// The first half of the Block-Register-Local-Transpose (003 Alg. 5): register j of lane i goes to row j, column i.
template <class Sum>
__device__ void put_rows(TransposeBuffer<Sum>& buffer, const Sum (&data)[matrix_side]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
  for (int j = 0; j < matrix_side; ++j) buffer.at[j][lane] = data[j];
  __syncwarp();
}
// The second: row i, column j comes to register j of lane i.
template <class Sum>
__device__ void get_columns(const TransposeBuffer<Sum>& buffer, Sum (&data)[matrix_side]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
  for (int j = 0; j < matrix_side; ++j) data[j] = buffer.at[lane][j];
  __syncwarp();
}

// Prefix sums along a thread's registers: "serial scan", no thread waits for another (003 Alg. 2).
template <class Sum>
__device__ void serial_scan(Sum (&data)[matrix_side]) {
#pragma unroll
  for (int j = 1; j < matrix_side; ++j) data[j] += data[j - 1];
}

// Rows y0 .. y0 + 31, column x of `image` into register 0 .. 31; outside the image zeros. `inside`: no row is outside.
template <class T>
__device__ void load_matrix(ImageView<const T> image, int x, int y0, bool inside, T (&data)[matrix_side]) {
  const T* source = image.row(y0) + x;
#pragma unroll
  for (int j = 0; j < matrix_side; ++j)
    data[j] = x < image.width && (inside || y0 + j < image.height) ? source[j * image.stride] : T(0);
}

// The same, wherever the rows lie: also below the image.
template <class T>
__device__ void load_matrix(ImageView<const T> image, int x, int y0, T (&data)[matrix_side]) {
  if (y0 < image.height) return load_matrix(image, x, y0, y0 + matrix_side <= image.height, data);
#pragma unroll
  for (T& value : data) value = 0;
}

// The carries of a block whose `Warps` warps hold neighbouring matrices along 32 lines, a line a lane (003 sec. IV, "Partial
// Sum Scan in a CUDA Block", Fig. 3c). Two sets of partial sums take turns, so that one barrier a step is enough.
template <class Sum, int Warps>
struct Stitch {
  Sum partial[2][Warps][matrix_side];

  // `total`: of this lane's line in this warp's matrix. `running`: of the line in all steps before; brought up to date.
  // Returns what comes before the matrix in its line. All threads of the block take part.
  __device__ Sum carry(int step, Sum total, Sum& running) {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
    auto& set = partial[step % 2];
    set[warp][lane] = total;
    __syncthreads();
    Sum before = running, all = running;
#pragma unroll
    for (int w = 0; w < Warps; ++w) {
      const Sum part = set[w][lane];
      if (w < warp) before += part;
      all += part;
    }
    running = all;
    return before;
  }
};

}  // namespace gpu::sat
