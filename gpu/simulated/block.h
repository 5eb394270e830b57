// Block: one resident block: its threads, their stacks, its shared memory, and its barriers and warp operations.
//
// A worker (worker.h) runs a block until it is done or yields. A block yields when all of its threads that could run wait
// for a word that another block has to write.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "gpu/simulated/observer.h"
#include "gpu/simulated/shared_space.h"
#include "gpu/simulated/thread.h"
#include "gpu/simulated/thread_scheduler.h"

namespace gpu::simulated {

class Launch;

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
  // Whether in that run a thread loaded something that it had not seen. (A barrier does not count: it may be part of a loop that
  // waits.)
  bool reads_on() const { return reads_on_; }

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
  const SharedSpace& shared() const { return shared_; }
  bool owns_stack(const void* address) const;

  // Implements device_code.h for the running thread.
  // Returns whether any thread of the block has come with a `vote`.
  bool barrier(Thread& thread, std::source_location source, bool vote = false);
  unsigned rendezvous(Thread& thread, unsigned mask, std::uint64_t value, Observer::Rendezvous kind,
                      std::source_location source);
  std::byte* static_shared(const void* key, std::size_t bytes, std::size_t alignment);
  void loaded(Thread& thread, bool again, const void* caller);  // after a relaxed load
  void wrote();                                                 // after a relaxed store or an atomic
  void yield(Thread& thread);                                   // to threads that have work; `thread` stays runnable
  // For observers, whose logs must not grow with a thread's lifetime: returns once every other lane of the warp has called
  // it too, or cannot continue.
  void let_warp_catch_up(Thread& thread);
  // Ends the launch. `what` names the fault; the source line of `caller`, if any, and what each thread waits for are added.
  [[noreturn]] void fail(Thread& thread, const std::string& what, const void* caller);

 private:
  static void body();  // the entry of every fiber
  bool invoke();
  void run_next(Thread& from);
  Thread& next_to_poll(Thread& from);
  void pass_to(Thread& from, Thread& next);
  void enter(Thread& thread);
  void wait_as(Thread& thread, Wait wait);
  void maybe_preempt(Thread& thread);
  void leave(Thread& from, Outcome outcome);
  void complete_barrier();

  Launch* launch_ = nullptr;
  BlockStart start_;
  dim3 index_;
  unsigned thread_count_ = 0, alive_ = 0, at_barrier_ = 0;
  std::uint32_t barriers_ = 0;
  bool votes_[2] = {};                   // of the barrier where threads wait, and of the one before, whose result they read
  std::source_location barrier_source_;  // of the barrier where threads wait
  unsigned idle_polls_ = 0;              // since a thread last loaded a new value, wrote, or completed a barrier
  bool reads_on_ = false;                // in this run
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  char* stacks_ = nullptr;
  SharedSpace shared_;
  ThreadScheduler scheduler_;
  Observer* observer_ = nullptr;
  Fiber worker_;              // where leave() returns
  Thread* resume_ = nullptr;  // the thread that run() resumes
  Outcome outcome_ = Outcome::done;
};

}  // namespace gpu::simulated
