// Decoupled look-back (Merrill and Garland 2016) as one small object.
//
// Blocks form a line. Each owns one slot. As soon as a block knows the sum of its own part, it publishes it as `local`. It
// then needs the sum of all parts before it, the carry. To find it, it walks back over its predecessors' slots and adds
// local sums until it meets a `global` one, which already holds the sum of everything up to there. Then it publishes
// carry + part as `global`, so that the walks of later blocks stop here.
//
//     slot        global   local   local   empty | mine
//     look back             <------ adds --- waits
//
// Status and value are in one word (tagged_word.cuh): a block that sees the status also sees the value, and no fence is
// needed. All-zero memory reads as `empty`.
//
// A wait ends if every predecessor's block is running or has run. Blocks therefore take their place in the line from an
// atomic counter when they start: the block at place k knows that the blocks at places 0..k-1 have started, and the
// smallest unfinished place waits for no other. Or a block that has polled too often computes the missing sums itself
// (sat_decoupled_fallback.cu).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/tagged_word.cuh"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

// After a poll in vain by a warp, whose lanes may have waited for other words before: if the budget of one is spent, all stop.
template <class Waiting>
__device__ bool all_poll_again(Waiting& budget) {
  if constexpr (!Waiting::ends) return budget.poll_again();
  return __ballot_sync(whole_warp, !budget.poll_again()) == 0;
}

// A barrier. Returns whether all has come that the block's threads waited for: false if the `budget` of one of them is spent.
template <class Waiting>
__device__ bool all_came(const Waiting& budget) {
  if constexpr (Waiting::ends) return !__syncthreads_or(budget.spent());
  __syncthreads();
  return true;
}

// look_back() by one warp for one line: 32 slots per step, one per lane. Every lane returns the carry, and calls walked(d)
// after each step, where d is the last slot that was added. If `budget` is spent, it returns a part of the carry.
template <class Sum, class SlotAt, class Walked, class Waiting>
__device__ Sum look_back_warp(int count, SlotAt slot, Walked walked, Waiting& budget) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  Sum carry = 0;
  for (int d = 1; d <= count; d += warp_lanes) {
    // Places before the start of the line count as a global 0, so that every line ends.
    unsigned globals, adding;
    Published<Sum> seen;
    do {
      seen = d + lane <= count ? slot(d + lane)->read() : Published<Sum>{Sum(0), Status::global};
      globals = __ballot_sync(whole_warp, seen.status == Status::global);
      adding = lanes_to_add(globals, __ballot_sync(whole_warp, seen.status == Status::empty));
    } while (adding == 0 && all_poll_again(budget));
    if (adding == 0) {
      budget.give_up();
      break;
    }
    carry += segment_sum(adding >> lane & 1 ? seen.value : Sum(0));
    walked(std::min(d - 1 + std::popcount(adding), count));
    if (globals) break;
  }
  return carry;
}
template <class Sum, class SlotAt, class Walked = Unobserved>
__device__ Sum look_back_warp(int count, SlotAt slot, Walked walked = {}) {
  Endless endless;
  return look_back_warp<Sum>(count, slot, walked, endless);
}

}  // namespace gpu::sat
