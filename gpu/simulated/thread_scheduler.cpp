#include "gpu/simulated/thread_scheduler.h"

#include <bit>

#include "gpu/simulated/block.h"

namespace gpu::simulated {

void ThreadScheduler::begin(bool random, std::uint64_t seed) {
  random_ = random;
  choose_ = Random(seed);
  last_to_poll_ = 0;
}

Thread& ThreadScheduler::first() { return block_.thread(random_ ? choose_.below(block_.warp_count()) * lanes_per_warp : 0); }

bool ThreadScheduler::runnable(const Thread& thread) const {
  return thread.warp->ready >> thread.lane & 1 && (thread.wait != Wait::peers || !peers_runnable(thread));
}

bool ThreadScheduler::peers_runnable(const Thread& thread) const {
  const Thread* const lanes = &block_.thread(thread.warp->number * lanes_per_warp);
  for (auto others = thread.warp->ready & ~(1u << thread.lane); others != 0; others &= others - 1)
    if (lanes[std::countr_zero(others)].wait != Wait::peers) return true;
  return false;
}

unsigned ThreadScheduler::waiting_for_word() const {
  unsigned waiting = 0;
  for (unsigned i = 0; i < block_.thread_count(); ++i) waiting += block_.thread(i).wait == Wait::word;
  return waiting;
}

Thread& ThreadScheduler::next_waiting() {
  do
    if (++last_to_poll_ >= block_.thread_count()) last_to_poll_ = 0;
  while (block_.thread(last_to_poll_).wait != Wait::word);
  return block_.thread(last_to_poll_);
}

// The next runnable lane of this warp, otherwise of the next warp that has one; at random: starting anywhere.
Thread* ThreadScheduler::next_with_work(const Thread& thread) {
  const unsigned warps = block_.warp_count();
  const unsigned mine = thread.warp->number, first_warp = random_ ? choose_.below(warps) : mine;
  for (unsigned v = 0; v < warps; ++v) {
    const unsigned w = first_warp + v < warps ? first_warp + v : first_warp + v - warps;
    const Warp& warp = block_.warp(w);
    const unsigned first_lane = random_ ? choose_.below(warp.lanes) : w == mine ? (thread.lane + 1) % lanes_per_warp : 0;
    const auto ready = w == mine ? warp.ready & ~(1u << thread.lane) : warp.ready;
    // Bit i is lane first_lane + i, around the end.
    for (auto rotated = std::rotr(ready, static_cast<int>(first_lane)); rotated != 0; rotated &= rotated - 1) {
      const unsigned lane = (first_lane + static_cast<unsigned>(std::countr_zero(rotated))) % lanes_per_warp;
      Thread& other = block_.thread(w * lanes_per_warp + lane);
      if (other.wait != Wait::peers || runnable(other)) return &other;
    }
  }
  return nullptr;
}

}  // namespace gpu::simulated
