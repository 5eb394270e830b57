// ThreadScheduler: which thread of a block runs next. In order: the other lanes of the same warp, then warp by warp. At
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

  // A thread other than `thread` that has work, or null.
  Thread* next_with_work(const Thread& thread);
  // How many threads wait for a word; and, if there are any, the one whose turn it is to poll.
  unsigned waiting_for_word() const;
  Thread& next_waiting();
  // It does not wait, or waits only for a word, or what it waits for has arrived.
  bool runnable(const Thread& thread) const;
  // Another lane of its warp has work. A lane that polls may wait for a word that `thread` has to write.
  bool peers_runnable(const Thread& thread) const;

  bool random() const { return random_; }
  bool one_in(unsigned chances) { return choose_.below(chances) == 0; }  // for random schedules

 private:
  Block& block_;
  bool random_ = false;
  Random choose_;
  unsigned last_to_poll_ = 0;
};

}  // namespace gpu::simulated
