// The walk of a look-back: what a block does to find its carry, apart from where slots lie and how they are read. Plain
// C++, so that the same lines run on the GPU (look_back.cuh) and, with threads for blocks, in a test on any machine.
#pragma once

#include <cstdint>

namespace gpu::sat {

enum class Status : std::uint32_t { empty = 0, local = 1, global = 2 };

// One slot's content.
template <class Sum>
struct Published {
  Sum value;
  Status status;
};

// The carry of one thread's line: `slot(d)` is the slot d places back, d = 1 .. count. Several slots are read at once,
// so that a walk of k places costs k / Batch trips to the L2 cache instead of k. Returns 0 where count is 0.
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // the slots of a GPU are read by device functions, those of a test by others
#endif
template <class Sum, int Batch = 4, class SlotAt>
constexpr Sum look_back(int count, SlotAt slot) {
  Sum carry = 0;
  for (int d = 1; d <= count;) {
    Published<Sum> seen[Batch];
    for (int b = 0; b < Batch; ++b)
      seen[b] = d + b <= count ? slot(d + b)->read() : Published<Sum>{Sum(0), Status::empty};

    // Take what is there, in order, and start again from the first that is not.
    bool waiting = false;
    for (int b = 0; b < Batch; ++b) {
      if (waiting) continue;
      if (seen[b].status == Status::empty) {
        waiting = true;
        continue;
      }
      carry += seen[b].value;
      if (seen[b].status == Status::global) return carry;
      ++d;
    }
  }
  return carry;
}

}  // namespace gpu::sat
