// The 32 x 32 matrix that a warp holds in its registers, 32 per thread (003 sec. IV), its transpose through shared memory,
// and the carries that join the matrices of a block along a line.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

inline constexpr int matrix_side = warp_lanes;

// Shared memory of one warp's transpose. Rows are one word longer than those of the matrix, so that accesses along rows and
// along columns have no bank conflicts (003 Alg. 5, line 2).
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

// Prefix sums along each thread's registers, the "serial scan": no thread waits for another (003 Alg. 2).
template <class Sum>
__device__ void serial_scan(Sum (&data)[matrix_side]) {
#pragma unroll
  for (int j = 1; j < matrix_side; ++j) data[j] += data[j - 1];
}

// The stride, as a value that the compiler knows nothing about. Otherwise it would compute the addresses of all 32 rows
// before a loop over matrices, and keep them in 64 registers.
template <class T>
__device__ std::ptrdiff_t stride_here(ImageView<T> image) {
  auto stride = image.stride;
  asm volatile("" : "+l"(stride));
  return stride;
}

// Rows y0 .. y0 + 31 of column x of `image` into registers 0 .. 31; zeros outside the image. `inside`: all rows are inside.
// This is the common case, and needs only one addition and one load per row.
template <class T>
__device__ void load_matrix(ImageView<const T> image, int x, int y0, bool inside, T (&data)[matrix_side]) {
  const T* source = image.row(y0) + x;
  const auto stride = stride_here(image);
  if (inside && x < image.width) {
#pragma unroll
    for (int j = 0; j < matrix_side; ++j, source += stride) data[j] = *source;
    return;
  }
#pragma unroll
  for (int j = 0; j < matrix_side; ++j, source += stride)
    data[j] = x < image.width && y0 + j < image.height ? *source : T(0);
}

// The same for any y0, also below the image.
template <class T>
__device__ void load_matrix(ImageView<const T> image, int x, int y0, T (&data)[matrix_side]) {
  if (y0 < image.height) return load_matrix(image, x, y0, y0 + matrix_side <= image.height, data);
#pragma unroll
  for (T& value : data) value = 0;
}

// A matrix of bytes in flight: four neighbours of a row per word, which takes a quarter of the loads and registers. Eight lanes
// have a row; a lane has the same columns of eight rows, `Apart` rows from each other: 1 or 4. Word k of lane i holds column
// 4 (i % 8) of row k + 8 (i / 8), or of row 4 k + i / 8, in its lowest byte and the next three columns above it. (Words, not
// structs of bytes: the compiler would keep each byte of a struct in its own register.)
template <int Apart>
struct PackedMatrix {
  static constexpr int lanes_per_row = matrix_side / 4, words = matrix_side / (warp_lanes / lanes_per_row);
  static_assert(Apart == 1 || Apart == warp_lanes / lanes_per_row);
  std::uint32_t at[words];

  static __device__ int row() {  // of word 0
    return static_cast<int>(threadIdx.x) % warp_lanes / lanes_per_row * (Apart == 1 ? words : 1);
  }
  static __device__ int column() { return static_cast<int>(threadIdx.x) % lanes_per_row * 4; }

  // From row y0 and column x0 of `image` on; zeros outside the image. `aligned`: aligned_to_four(image). There are no
  // branches within the loops, so that all loads are in flight together, at the image's edges too.
  __device__ void load(ImageView<const std::uint8_t> image, int x0, int y0, bool aligned) {
    const int x = x0 + column(), y = y0 + row();
    const std::uint8_t* source = image.row(y) + x;
    const auto stride = Apart * stride_here(image);
    if (aligned && x0 + matrix_side <= image.width) {
#pragma unroll
      for (int k = 0; k < words; ++k, source += stride)
        at[k] = y + Apart * k < image.height ? *reinterpret_cast<const std::uint32_t*>(source) : 0;
      return;
    }
#pragma unroll
    for (int k = 0; k < words; ++k, source += stride) {
      const auto byte = [&](int c) -> std::uint32_t {
        return x + c < image.width && y + Apart * k < image.height ? source[c] : 0;
      };
      at[k] = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    }
  }
};

// The first half of the transpose, as put_rows() above. No bank conflicts if sums have 4 bytes, and a lane's rows are not
// neighbours.
template <class Sum>
__device__ void put_rows(TransposeBuffer<Sum>& buffer, const PackedMatrix<4>& matrix) {
#pragma unroll
  for (int k = 0; k < matrix.words; ++k)
#pragma unroll
    for (int c = 0; c < 4; ++c)
      buffer.at[4 * k + matrix.row()][matrix.column() + c] = term<Sum>(static_cast<std::uint8_t>(matrix.at[k] >> (8 * c)));
  __syncwarp();
}

// The reverse of load_matrix(): value(j) to row y0 + j, column x of `image`, j = 0 .. 31, if that is inside the image.
template <class T, class Value>
__device__ void store_matrix(ImageView<T> image, int x, int y0, Value value) {
  if (x >= image.width) return;
  T* target = image.row(y0) + x;
  const auto stride = stride_here(image);
  if (y0 + matrix_side <= image.height) {
#pragma unroll
    for (int j = 0; j < matrix_side; ++j, target += stride) *target = value(j);
    return;
  }
#pragma unroll
  for (int j = 0; j < matrix_side; ++j, target += stride)
    if (y0 + j < image.height) *target = value(j);
}

// The carries of a block whose `Warps` warps hold neighbouring matrices along 32 lines, one line per lane (003 sec. IV,
// "Partial Sum Scan in a CUDA Block", Fig. 3c). Two sets of partial sums alternate, so that one barrier per step is enough.
template <class Sum, int Warps>
struct Stitch {
  Sum partial[2][Warps][matrix_side];

  // `total`: the sum of this lane's line in this warp's matrix. `running`: the sum of the line in all previous steps, to
  // which this step is added. Returns the sum of the line before this matrix. All threads of the block take part.
  __device__ Sum carry(int step, Sum total, Sum& running) {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
    auto& set = partial[step % 2];
    set[warp][lane] = total;
    __syncthreads();
    Sum before = running, all = running;
#pragma unroll 8  // more would need the registers that hold matrices
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
