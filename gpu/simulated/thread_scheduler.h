// ThreadScheduler: which thread of a block runs next. In order: the other lanes of the same warp, then warp after warp. At
// random: any. Threads that wait for a word of another block come last.
#pragma once

#include <cstdint>

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
  // How many threads wait for a word; and, where any does, the one whose turn it is to look.
  unsigned that_wait() const;
  Thread& next_that_waits();
  // It waits for nothing, or for nothing but a word, or what it waits for has come.
  bool runnable(const Thread& thread) const;
  // Another lane of its warp has something to do. Whoever polls a word may wait for one that `thread` is to write.
  bool peers_can_go_on(const Thread& thread) const;

  bool random() const { return random_; }
  bool one_in(unsigned chances) { return choose_.below(chances) == 0; }  // of a random schedule

 private:
  Block& block_;
  bool random_ = false;
  Random choose_;
  unsigned last_to_look_ = 0;
};

}  // namespace gpu::simulated
