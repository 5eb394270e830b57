// A scan, or a sum, over the threads of a block in two steps with a barrier between: each warp scans its own values; then
// every thread that needs the result adds the totals of the warps before its own.
#pragma once

#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

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
