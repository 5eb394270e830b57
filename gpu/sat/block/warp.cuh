// Sums and scans inside a warp, or inside equal segments of one. All 32 lanes take part.
#pragma once

#include <cuda_runtime.h>

#include <string_view>

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

// The sum over each segment of `Lanes` neighbouring lanes, returned in each of these lanes: a butterfly.
template <int Lanes = warp_lanes, class T>
__device__ T segment_sum(T value) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(whole_warp, value, distance, Lanes);
  return value;
}

// Inclusive scan over the warp by Ladner and Fischer (1980; 003 Alg. 4): in step i the upper half of every 2^(i+1) lanes
// adds the last sum of the lower half. 5 times 16 additions, while Kogge-Stone has 31 + 30 + 28 + 24 + 16 = 129; as many
// shuffles.
template <class T>
__device__ T ladner_fischer_scan(T value) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
  for (int half = 1; half < warp_lanes; half *= 2) {
    const T lower = __shfl_sync(whole_warp, value, (lane & ~(half - 1)) - 1);
    if (lane & half) value += lower;
  }
  return value;
}

// The scans among which a parameter chooses, as types.
struct KoggeStone {
  template <class T>
  static __device__ T scan(T value) {
    return inclusive_scan(value);
  }
};
struct LadnerFischer {
  template <class T>
  static __device__ T scan(T value) {
    return ladner_fischer_scan(value);
  }
};
inline constexpr std::string_view warp_scans = "kogge_stone,ladner_fischer";

// f.template operator()<KoggeStone or LadnerFischer>()
template <class F>
void visit_warp_scan(std::string_view name, F&& f) {
  name == "ladner_fischer" ? f.template operator()<LadnerFischer>() : f.template operator()<KoggeStone>();
}

}  // namespace gpu::sat
