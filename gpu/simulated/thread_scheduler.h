// ThreadScheduler: which thread of a block runs next. In order: the other lanes of the same warp, then warp after warp. At
// random: any. Threads that wait for a word of another block come last.
#pragma once

#include <cstdint>
#include <utility>

#include "gpu/simulated/schedule.h"
#include "gpu/simulated/thread.h"

namespace gpu::simulated {

class ThreadScheduler {
 public:
  explicit ThreadScheduler(Block& block) : block_(block) {}

  void begin(bool random, std::uint64_t seed);  // for the block's next number
  Thread& first();                              // once the block has its threads and warps

  // Whoever has something to do but `thread`, or null.
  Thread* next_with_work(const Thread& thread);
  // The next thread after `thread` that waits for a word, so that each gets to look in its turn, or null; and how many do.
  std::pair<Thread*, unsigned> next_that_waits(const Thread& thread);
  bool runnable(const Thread& thread) const;
  // Another lane of its warp has something to do. Whoever polls a word may wait for one that `thread` is to write.
  bool peers_can_go_on(const Thread& thread) const;

  bool random() const { return random_; }
  bool one_in(unsigned chances) { return choose_.below(chances) == 0; }  // of a random schedule

 private:
  Block& block_;
  bool random_ = false;
  Random choose_;
};

}  // namespace gpu::simulated
