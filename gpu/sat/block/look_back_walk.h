// The walk of a look-back: what a block does to find its carry, apart from where slots lie and how they are read. Plain
// C++, so that the same lines run on the GPU (look_back.cuh) and, with threads for blocks, in a test on any machine.
#pragma once

#include <cstddef>
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
    for (int b = 0; b < Batch; ++b) seen[b] = d + b <= count ? slot(d + b)->read() : Published<Sum>{Sum(0), Status::empty};

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

// One thread's whole part in a line: publishes `local`, its own part, finds the carry of the `predecessors` parts
// before it, which lie `step` slots apart, and publishes the global sum. Returns the carry.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class AnySlot, class Sum>
constexpr Sum carry_along(AnySlot* mine, Sum local, int predecessors, std::ptrdiff_t step) {
  if (predecessors > 0) mine->publish(Status::local, local);
  const Sum carry = look_back<Sum>(predecessors, [&](int d) { return mine - d * step; });
  mine->publish(Status::global, carry + local);
  return carry;
}

// The walk of 32 lanes together, a slot a lane, the nearest in lane 0. `globals` and `empties` have a bit for each lane
// that has read a global sum, or nothing yet. Returns the lanes whose values belong to the carry: those up to the first
// global one, or all where none is global. None at all: one of them is still empty, so all must read again.
constexpr std::uint32_t lanes_to_add(std::uint32_t globals, std::uint32_t empties) {
  const std::uint32_t up_to_global = globals ^ (globals - 1);  // all bits where there is none: 0 ^ ~0
  return (empties & up_to_global) == 0 ? up_to_global : 0;
}

}  // namespace gpu::sat
