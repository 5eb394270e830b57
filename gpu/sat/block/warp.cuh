// Sums and scans inside a warp, or inside equal segments of one, where all 32 lanes take part; and over the warps of a block.
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

// This step of segment_sums() and the following ones: from 2 Half values to Half. (A loop over the steps would not be
// unrolled.)
template <int Lanes, int Half, int Distance, int Count, class T>
__device__ void halve_sums(T (&values)[Count]) {
  const bool upper = (static_cast<int>(threadIdx.x) % Lanes & Distance) != 0;
#pragma unroll
  for (int k = 0; k < Half; ++k) {
    const T give = upper ? values[k] : values[k + Half], keep = upper ? values[k + Half] : values[k];
    values[k] = keep + __shfl_xor_sync(whole_warp, give, Distance, Lanes);
  }
  if constexpr (Half > 1) halve_sums<Lanes, Half / 2, Distance / 2>(values);
}
// The sum of each of `Count` values over each segment of `Lanes` neighbouring lanes: that of value k is returned in the Lanes
// / Count lanes from k Lanes / Count on. In each step a lane gives half of its remaining values to its partner, and adds the
// partner's of the other half: about `Count` shuffles instead of Count * log2(Lanes).
template <int Lanes = warp_lanes, int Count, class T>
__device__ T segment_sums(T (&values)[Count]) {
  if constexpr (Count > 1) halve_sums<Lanes, Count / 2, Lanes / 2>(values);
  return segment_sum<Lanes / Count>(values[0]);
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

// A scan, or a sum, over the threads of a block in two steps with a barrier between: each warp scans its own values; then
// every thread that needs the result adds the totals of the warps before its own.
//
// In shared memory. Whole warps take part; `warp` is the number of the calling one, 0 .. Warps - 1.
template <class Sum, int Warps>
struct BlockScan {
  Sum total[Warps];

  // Returns the inclusive scan within the warp, to which before() belongs.
  __device__ Sum put(int warp, Sum value) {
    const Sum prefix = inclusive_scan(value);
    if (threadIdx.x % warp_lanes == warp_lanes - 1) total[warp] = prefix;
    return prefix;
  }
  // Instead of put(), if only all() is needed.
  __device__ void put_sum(int warp, Sum value) {
    const Sum sum = segment_sum(value);
    if (threadIdx.x % warp_lanes == 0) total[warp] = sum;
  }

  // After a barrier: the sum of all warps before this one, and of all.
  __device__ Sum before(int warp) const {
    Sum sum = 0;
#pragma unroll
    for (int w = 0; w < Warps - 1; ++w)
      if (w < warp) sum += total[w];
    return sum;
  }
  __device__ Sum all() const {
    Sum sum = 0;
#pragma unroll
    for (int w = 0; w < Warps; ++w) sum += total[w];
    return sum;
  }
};

}  // namespace gpu::sat
