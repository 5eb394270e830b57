// Row scan and transpose in one pass over the matrix: the kernel of 003's BRLT-ScanRow (sec. IV.B) and ScanRow-BRLT
// (sec. IV.A), which differ in what they scan first.
#pragma once

#include <type_traits>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/register_matrix.cuh"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat {

// Bytes can be loaded packed, not one column per lane, if rows are scanned only after the transpose.
template <class Scan, class Input>
inline constexpr bool loads_packed = sizeof(Input) == 1 && !Scan::before_transpose;

// Warps per block. Half of them for tall images (tuning.h), and if the GPU has not enough shared memory for all of them (70 KB).
template <class Sum>
constexpr int brlt_warps = warps_of_brlt(sizeof(Sum));
// Packed bytes need so few registers that twice as many blocks fit, with 64 registers per thread and without spilling.
template <class Scan, class Input, class Sum, int Warps>
constexpr int blocks_per_sm = loads_packed<Scan, Input> && sizeof(Sum) == 4 ? 2 * brlt_warps<Sum> / Warps : 1;

template <class Sum, int Warps>
struct BrltShared {
  Stitch<Sum, Warps> stitch;
  TransposeBuffer<Sum> buffer[Warps];
};

// A warp's matrix in flight, one column per lane. Has the interface of PackedMatrix; alignment does not matter here.
template <class Input>
struct ColumnPerLane {
  Input at[matrix_side];
  __device__ void load(ImageView<const Input> image, int x0, int y0, bool) {
    load_matrix(image, x0 + static_cast<int>(threadIdx.x) % warp_lanes, y0, y0 + matrix_side <= image.height, at);
  }
};

// Block b: the prefix sums of rows 32 b .. 32 b + 31 of `image`, transposed: sums(y, x) is the sum of image(0..x, y).
// `Scan` has two static functions: rows(data) sees a row of the matrix in the lanes, before the transpose; columns(data)
// sees it in the registers, after. before_transpose: whether rows() does anything.
template <class Scan, int Warps, class Input, class Sum>
__global__ void __launch_bounds__(Warps* warp_lanes, blocks_per_sm<Scan, Input, Sum, Warps>)
    scan_and_transpose(ImageView<const Input> image, bool aligned, ImageView<Sum> sums) {
  unsigned char* const dynamic = dynamic_shared();
  auto& shared = *reinterpret_cast<BrltShared<Sum, Warps>*>(dynamic);
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  auto& buffer = shared.buffer[warp];
  const int y0 = static_cast<int>(blockIdx.x) * matrix_side;
  const int steps = ceil_div(image.width, Warps * matrix_side);

  constexpr bool packed = loads_packed<Scan, Input>;
  std::conditional_t<packed, PackedMatrix<4>, ColumnPerLane<Input>> next;
  next.load(image, warp * matrix_side, y0, aligned);
  Sum running = 0;
  for (int step = 0; step < steps; ++step) {
    const int x0 = (step * Warps + warp) * matrix_side;
    // This step's matrix. The loads of the next one start now, and have until the end of the step.
    Sum data[matrix_side];
    if constexpr (packed) {
      put_rows(buffer, next);
    } else {
#pragma unroll
      for (int j = 0; j < matrix_side; ++j) data[j] = term<Sum>(next.at[j]);
    }
    if (step + 1 < steps) next.load(image, x0 + Warps * matrix_side, y0, aligned);

    if constexpr (!packed) {
      Scan::rows(data);
      put_rows(buffer, data);
    }
    // From here on lane i holds row y0 + i.
    get_columns(buffer, data);
    Scan::columns(data);
    const Sum carry = shared.stitch.carry(step, data[matrix_side - 1], running);

    // Neighbouring lanes have neighbouring rows, which the transposed table has side by side.
    store_matrix(sums, y0 + lane, x0, [&](int k) { return data[k] + carry; });
  }
}

template <class Scan, int Warps, class Input, class Sum>
void launch_with(Context& context, ImageView<const Input> image, ImageView<Sum> sums) {
  context.launch("row scan and transpose", scan_and_transpose<Scan, Warps, Input, Sum>,
                 {dim3(static_cast<unsigned>(ceil_div(image.height, matrix_side))), dim3(Warps * warp_lanes),
                  sizeof(BrltShared<Sum, Warps>)},
                 image, aligned_to_four(image), sums);
}

template <class Scan, class Input, class Sum>
void launch_scan_and_transpose(Context& context, ImageView<const Input> image, ImageView<Sum> sums) {
  constexpr int warps = brlt_warps<Sum>;
  if (image.height >= tall_image || sizeof(BrltShared<Sum, warps>) > context.limits().shared_bytes)
    launch_with<Scan, warps / 2>(context, image, sums);
  else
    launch_with<Scan, warps>(context, image, sums);
}

// Twice: the second pass scans the former columns, and transposes the table back.
template <class Scan, class Input, class Sum>
void launch_brlt(Context& context, ImageView<const Input> image, ImageView<Sum> sat) {
  const auto transposed = context.scratch_image<Sum>({image.height, image.width});
  launch_scan_and_transpose<Scan>(context, image, transposed);
  launch_scan_and_transpose<Scan>(context, ImageView<const Sum>(transposed), sat);
}

}  // namespace gpu::sat
