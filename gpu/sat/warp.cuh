// Sums and scans inside a warp, or inside equal segments of one. All 32 lanes take part.
#pragma once

#include <cuda_runtime.h>

namespace gpu::sat {

inline constexpr int warp_lanes = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;

// Inclusive scan over each segment of `Lanes` neighbouring lanes: Kogge-Stone, log2(Lanes) shuffles (Kogge and Stone
// 1973; the papers' "warp prefix-sum algorithm", 000 sec. II, Fig. 4).
template <int Lanes = warp_lanes, class T>
__device__ T inclusive_scan(T value) {
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
#pragma unroll
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const T left = __shfl_up_sync(whole_warp, value, distance, Lanes);
    if (lane >= distance) value += left;
  }
  return value;
}

// The sum over each segment of `Lanes` neighbouring lanes, in every lane of it: a butterfly.
template <int Lanes = warp_lanes, class T>
__device__ T segment_sum(T value) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(whole_warp, value, distance, Lanes);
  return value;
}

}  // namespace gpu::sat
