#include "gpu/simulated/thread_scheduler.h"

#include "gpu/simulated/block.h"

namespace gpu::simulated {

void ThreadScheduler::begin(bool random, std::uint64_t seed) {
  random_ = random;
  choose_ = Random(seed);
  last_to_look_ = 0;
}

Thread& ThreadScheduler::first() {
  return block_.thread(random_ ? choose_.below(block_.warp_count()) * lanes_per_warp : 0);
}

bool ThreadScheduler::runnable(const Thread& thread) const {
  switch (thread.wait) {
    case Wait::none:
    case Wait::word: return true;
    case Wait::warp: return thread.warp->rendezvous >= thread.rendezvous;
    case Wait::barrier: return block_.barriers() >= thread.barriers;
    case Wait::peers: return !peers_can_go_on(thread);
    case Wait::returned: return false;
  }
  return false;
}

bool ThreadScheduler::peers_can_go_on(const Thread& thread) const {
  const unsigned first = thread.warp->number * lanes_per_warp;
  for (unsigned lane = 0; lane < thread.warp->lanes; ++lane) {
    const Thread& other = block_.thread(first + lane);
    if (&other != &thread && other.wait != Wait::peers && other.wait != Wait::word && runnable(other)) return true;
  }
  return false;
}

unsigned ThreadScheduler::that_wait() const {
  unsigned waiting = 0;
  for (unsigned i = 0; i < block_.thread_count(); ++i) waiting += block_.thread(i).wait == Wait::word;
  return waiting;
}

Thread& ThreadScheduler::next_that_waits() {
  do
    if (++last_to_look_ >= block_.thread_count()) last_to_look_ = 0;
  while (block_.thread(last_to_look_).wait != Wait::word);
  return block_.thread(last_to_look_);
}

// The next lane of this warp that can run, else one of the next warp that has one; at random: beginning anywhere.
Thread* ThreadScheduler::next_with_work(const Thread& thread) {
  const unsigned warps = block_.warp_count();
  const unsigned mine = thread.warp->number, first_warp = random_ ? choose_.below(warps) : mine;
  for (unsigned v = 0; v < warps; ++v) {
    const unsigned w = first_warp + v < warps ? first_warp + v : first_warp + v - warps;
    Thread* const lanes = &block_.thread(w * lanes_per_warp);
    const unsigned count = block_.warp(w).lanes;
    const unsigned first_lane = random_ ? choose_.below(count) : w == mine ? thread.lane + 1 : 0;
    for (unsigned i = 0; i < count; ++i) {
      unsigned lane = first_lane + i;
      if (lane >= count) lane -= count;
      Thread& other = lanes[lane];
      if (&other != &thread && other.wait != Wait::word && runnable(other)) return &other;
    }
  }
  return nullptr;
}

}  // namespace gpu::simulated
