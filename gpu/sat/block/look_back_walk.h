// The walk of a look-back: what a block does to find its carry, independent of where slots lie and how they are read. Plain
// C++, so that the same lines run on the GPU (look_back.cuh) and, with threads as blocks, in a test on any machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/sat/block/tuning.h"

namespace gpu::sat {

enum class Status : std::uint32_t { empty = 0, local = 1, global = 2 };

// One slot's content.
template <class Sum>
struct Published {
  Sum value;
  Status status;
};

// How long a thread waits for a word that another block has to write: until it comes (Endless), or for a number of polls, after
// which the block computes the word itself (PollBudget: sat_decoupled_fallback.cu, sat_row_waves.cu, sat_one_wave.cu).
//
// Endless is for algorithms where every word comes, because of the order of their blocks or because a cooperative launch starts
// them all. Each word is of a block that has started: it comes soon.
struct Endless {
  static constexpr bool ends = false;

  constexpr bool poll_again() { return true; }
  constexpr bool spent() const { return false; }
  constexpr void give_up() {}
};

struct PollBudget {
  static constexpr bool ends = true;

  int most;  // polls in vain
  int polls = 0;

  // After a poll in vain.
  constexpr bool poll_again() {
    ++polls;
#ifdef __CUDA_ARCH__  // on the simulated GPU and in tests no time passes
    if (polls > polls_without_rest) __nanosleep(rest_between_polls);
#endif
    return !spent();
  }
  constexpr bool spent() const { return polls > most; }
  constexpr void give_up() { polls = most + 1; }
};

// Ignores how far a look-back has come; compiles to nothing.
struct Unobserved {
  constexpr void operator()(int) const {}
};

// Slots d .. d + Batch - 1 places back, as far as there are `count`. All are loaded before the first is looked at: what is made of a
// word must not come between two loads, which would then be two trips to the L2 cache.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Sum, int Batch, class SlotAt>
constexpr void read_slots(SlotAt slot, int d, int count, Published<Sum> (&seen)[Batch]) {
  decltype(slot(d)->load()) words[Batch]{};
  for (int b = 0; b < Batch; ++b)
    if (d + b <= count) words[b] = slot(d + b)->load();
  for (int b = 0; b < Batch; ++b) seen[b] = slot(d + b)->published(words[b]);
}

// The carry of one thread's line: `slot(d)` is the slot d places back, d = 1 .. count. Several slots are read at once, so
// that a walk of k places waits k / Batch times for the L2 cache, not k times. Returns 0 if count is 0, and a part of the carry
// if `budget` is spent. After each sum that it adds, it calls walked(d): the last call says how far it went.
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // the slots of a GPU are read by device functions, those of a test by others
#endif
template <class Sum, int Batch = 4, class SlotAt, class Walked, class Waiting>
constexpr Sum look_back(int count, SlotAt slot, Walked walked, Waiting& budget) {
  Sum carry = 0;
  for (int d = 1; d <= count;) {
    const int begun = d;
    Published<Sum> seen[Batch];
    read_slots(slot, d, count, seen);

    // Take what is there, in order, and start again from the first that is not.
    bool waiting = false;
    for (int b = 0; b < Batch; ++b) {
      if (waiting) continue;
      if (seen[b].status == Status::empty) {
        waiting = true;
        continue;
      }
      carry += seen[b].value;
      walked(d);
      if (seen[b].status == Status::global) return carry;
      ++d;
    }
    if (d == begun && !budget.poll_again()) break;
  }
  return carry;
}
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Sum, int Batch = 4, class SlotAt, class Walked = Unobserved>
constexpr Sum look_back(int count, SlotAt slot, Walked walked = {}) {
  Endless endless;
  return look_back<Sum, Batch>(count, slot, walked, endless);
}

// Everything that one thread does for its line: publishes `local`, the sum of its own part; finds the carry of the
// `predecessors` parts before it, whose slots are `step` apart; publishes the global sum. Returns the carry. `mine` is a
// pointer to a slot, or acts like one. `step` may be an int, which saves registers: d * step then is one, too; it is
// less than the number of slots, which fits an int. If `budget` is spent, nothing global is published.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Walked, class SlotPointer, class Sum, class Step, class Waiting>
constexpr Sum carry_along_observed(Walked walked, SlotPointer mine, Sum local, int predecessors, Step step,
                                   Waiting& budget) {
  if (predecessors > 0) mine->publish(Status::local, local);
  const Sum carry = look_back<Sum>(
      predecessors, [&](int d) { return mine - d * step; }, walked, budget);
  if (!budget.spent()) mine->publish(Status::global, carry + local);
  return carry;
}
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class Walked, class SlotPointer, class Sum, class Step>
constexpr Sum carry_along_observed(Walked walked, SlotPointer mine, Sum local, int predecessors, Step step) {
  Endless endless;
  return carry_along_observed(walked, mine, local, predecessors, step, endless);
}
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
template <class SlotPointer, class Sum, class Step>
constexpr Sum carry_along(SlotPointer mine, Sum local, int predecessors, Step step) {
  return carry_along_observed(Unobserved{}, mine, local, predecessors, step);
}

// The walk of 32 lanes together, one slot per lane, the nearest in lane 0. `globals` and `empties` have one bit per lane: it
// has read a global sum, or an empty slot. Returns the lanes whose values belong to the carry: those up to the first global
// one, or all if none is global. 0: one of these slots is still empty, so all must be read again.
constexpr std::uint32_t lanes_to_add(std::uint32_t globals, std::uint32_t empties) {
  const std::uint32_t up_to_global = globals ^ (globals - 1);  // all bits if there is none: 0 ^ ~0
  return (empties & up_to_global) == 0 ? up_to_global : 0;
}

}  // namespace gpu::sat
