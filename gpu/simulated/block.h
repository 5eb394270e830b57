// Block: one resident block: its threads, their stacks, its shared memory, and its barriers and warp operations.
//
// A worker (kernel_launch.cpp) runs a block until it is done or yields. A block yields when all of its threads that could run wait
// for a word that another block has to write.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "gpu/simulated/gpu.h"
#include "gpu/simulated/schedule.h"
#include "gpu/simulated/thread.h"

namespace gpu::simulated {

class Launch;

// SharedSpace: the shared memory of one resident block: the dynamic bytes of its launch, and an area for each static
// variable, placed when a thread first uses it. Gaps around the areas let an observer see an access past the end of one.
class SharedSpace {
 public:
  // Bytes per block (CUDA C++ Programming Guide, "Compute Capabilities", 9.0): the maximum, and the limit of kernels
  // without permission for more dynamic bytes; static variables never exceed the latter.
  static constexpr std::size_t capacity = 227 * 1024, usual_capacity = 48 * 1024;

  SharedSpace();
  ~SharedSpace();
  SharedSpace(const SharedSpace&) = delete;
  SharedSpace& operator=(const SharedSpace&) = delete;

  // For the next block, whose dynamic bytes and static variables together take at most `limit`, one of the two above.
  // The memory keeps its contents, as on a GPU.
  void begin(std::size_t dynamic_bytes, std::size_t limit);
  std::byte* dynamic() const { return pages_ + areas_[0].offset; }
  // The area that belongs to `key`; null if there is no room for it.
  std::byte* find_or_place(const void* key, std::size_t bytes, std::size_t alignment);
  std::size_t used() const { return used_; }  // by all areas

  // Addresses as offsets: 0 to extent() in the areas and the gaps before them, page_bytes or more elsewhere.
  std::size_t offset_of(const void* at) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(at) - pages_);
  }
  std::size_t extent() const { return areas_.back().offset + areas_.back().bytes; }
  bool in_one_area(std::size_t offset, std::size_t bytes) const;
  // For an offset outside all areas: "4 bytes past the end of a shared array of 64 bytes".
  std::string describe(std::size_t offset) const;

  static constexpr std::size_t page_bytes = 2 * capacity;  // with room for gaps

 private:
  struct Area {
    const void* key;
    std::size_t offset, bytes;
  };

  std::byte* pages_;
  std::vector<Area> areas_;  // never empty: the dynamic bytes come first
  std::size_t dynamic_bytes_ = 0, used_ = 0, limit_ = 0;
};

// ThreadScheduler: which thread of a block runs next. In order: the other lanes of the same warp, then warp by warp. At
// random: any. Threads that wait for a word of another block come last.
class ThreadScheduler {
 public:
  explicit ThreadScheduler(Block& block) : block_(block) {}

  void begin(bool random, std::uint64_t seed);  // for the block's next number
  Thread& first();                              // once the block has its threads and warps

  // A thread other than `thread` that has work, or null.
  Thread* next_with_work(const Thread& thread);
  // How many threads wait for a word; and, if there are any, the one whose turn it is to poll.
  unsigned waiting_for_word() const { return waiting_for(Wait::word); }
  unsigned waiting_for(Wait wait) const;
  Thread& next_waiting();
  // It does not wait, or waits only for a word, or what it waits for has arrived.
  bool runnable(const Thread& thread) const;
  // Another lane of its warp has work. A lane that polls may wait for a word that `thread` has to write.
  bool peers_runnable(const Thread& thread) const;

  bool random() const { return random_; }
  unsigned below(unsigned count) { return choose_.below(count); }  // for random schedules
  bool one_in(unsigned chances) { return below(chances) == 0; }

 private:
  Block& block_;
  bool random_ = false;
  Random choose_;
  unsigned last_to_poll_ = 0;
};

// `number`: of a block in its grid. `place`: which of the resident blocks it is, from 0 on.
struct BlockStart {
  std::uint64_t number = 0;
  int place = 0;
};

// The device thread that is running; null in host code. One per thread of the operating system.
Thread* current_thread();

class Block {
 public:
  Block();
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Makes it the block of the launch's grid that starts. Shared memory and stacks keep their contents, as on a GPU.
  void begin(Launch& launch, BlockStart start, std::uint64_t seed);
  enum class Outcome { done, waits, preempted, failed };
  // Runs its threads. Called on the worker's own stack.
  Outcome run();
  // The launch before has ended: threads that wait for it continue in the next run().
  void previous_launch_ended();
  // Whether in that run a thread loaded something that it had not seen. (A barrier does not count: it may be part of a loop that
  // waits.)
  bool reads_on() const { return reads_on_; }
  // Whether others are to run instead; asked each time when it would.
  bool rests() { return rests_ > 0 && rests_-- > 0; }

  dim3 index() const { return index_; }  // blockIdx
  std::uint64_t number() const { return start_.number; }
  int resident_place() const { return start_.place; }
  Launch& launch() const { return *launch_; }
  unsigned thread_count() const { return thread_count_; }
  unsigned warp_count() const { return (thread_count_ + lanes_per_warp - 1) / lanes_per_warp; }
  Thread& thread(unsigned i) { return threads_[i]; }
  const Thread& thread(unsigned i) const { return threads_[i]; }
  Warp& warp(unsigned i) { return warps_[i]; }
  std::uint32_t barriers() const { return barriers_; }  // completed
  MemoryView& known() { return known_; }                // by all of its threads (weak_memory.h)
  const SharedSpace& shared() const { return shared_; }
  bool owns_stack(const void* address) const;

  // Implements device_code.h for the running thread.
  // Returns how many threads of the block have come with a `vote`. `caller`: an address in device code.
  unsigned barrier(Thread& thread, std::source_location source, const void* caller, bool vote = false);
  // Until all lanes of the mask that have not returned have come with the same mask. The result is valid until another thread runs.
  const Meeting& rendezvous(Thread& thread, unsigned mask, std::uint64_t value, Observer::Rendezvous kind,
                            std::source_location source);
  // The lanes of the warp that run this call together, the thread's own among them: in order, all that can come to it.
  std::uint32_t active_lanes(Thread& thread, std::source_location source);
  std::byte* static_shared(const void* key, std::size_t bytes, std::size_t alignment);
  void loaded(Thread& thread, bool again, const void* caller);  // after a relaxed load
  void found_again(Thread& thread, const void* caller);         // after an atomic that found the same word as before
  void wrote();                                                 // after a relaxed store or another atomic
  void yield(Thread& thread);                                   // to threads that have work; `thread` stays runnable
  void pause(Thread& thread);                                   // the same, also to other blocks, in turn
  void maybe_preempt(Thread& thread);                           // in random schedules: others run
  void fenced(Thread& thread);                                  // after a fence: the same, more often and for longer
  void let_next_launch_start(Thread& thread);
  void wait_for_previous_launch(Thread& thread);
  // For observers, whose logs must not grow with a thread's lifetime: returns once every other lane of the warp has called
  // it too, or cannot continue.
  void let_warp_catch_up(Thread& thread);
  // Ends the launch. `what` names the fault; the source line of `caller`, if any, and what each thread waits for are added.
  [[noreturn]] void fail(Thread& thread, const std::string& what, const void* caller);

 private:
  static void body();  // the entry of every fiber
  bool invoke();
  Thread* next_after_return(Thread& from);
  void run_next(Thread& from);
  Thread& next_to_poll(Thread& from);
  void pass_to(Thread& from, Thread& next);
  void enter(Thread& thread);
  void wait_as(Thread& thread, Wait wait);
  void leave(Thread& from, Outcome outcome);
  void complete_barrier();
  Meeting& meeting_of_some(const Warp& warp, unsigned mask);
  void complete(Meeting& meeting, Warp& warp);
  void complete_without(Warp& warp);

  Launch* launch_ = nullptr;
  BlockStart start_;
  dim3 index_;
  unsigned thread_count_ = 0, alive_ = 0, at_barrier_ = 0;
  std::uint32_t barriers_ = 0;
  unsigned votes_[2] = {};               // of the barrier where threads wait, and of the one before, whose result they read
  std::source_location barrier_source_;  // of the barrier where threads wait
  unsigned idle_polls_ = 0;              // since a thread last loaded a new value, wrote, or completed a barrier
  bool reads_on_ = false;                // in this run
  bool lets_next_start_ = false;
  unsigned rests_ = 0, pauses_ = 0;
  MemoryView known_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::deque<Meeting> some_lanes_;  // meetings of a part of a warp: under way, or to be used again
  char* stacks_ = nullptr;
  SharedSpace shared_;
  ThreadScheduler scheduler_;
  Observer* observer_ = nullptr;
  Fiber worker_;              // where leave() returns
  Thread* resume_ = nullptr;  // the thread that run() resumes
  Outcome outcome_ = Outcome::done;
};

}  // namespace gpu::simulated
