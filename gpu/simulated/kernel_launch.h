// Launch: one kernel on its grid, from its first block to its last, on all cores that it may use.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/simulated/block.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/schedule.h"
#include "gpu/simulated/weak_memory.h"

namespace gpu::simulated {

// A kernel that cannot continue: a deadlock, a divergent barrier, an access outside all allocations, an operation that is
// not simulated. what() says which, where, and, line by line, what each thread waits for.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is launched.
struct LaunchedKernel {
  const void* kernel = nullptr;
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  bool cooperative = false;  // cudaLaunchCooperativeKernel()
  bool dependent = false;    // cudaLaunchAttributeProgrammaticStreamSerialization
};

class Launch {
 public:
  // `shared_limit`: bytes that a block's dynamic shared memory and static variables may take together. `stopped`: once it is
  // set, the launch fails between two blocks.
  Launch(const LaunchedKernel& launched, Invoke invoke, void** arguments, std::size_t shared_limit,
         const GpuSettings& settings, Observer* observer, PreviousLaunches& previous, const std::atomic<bool>& stopped);

  // Runs all blocks on the calling thread and `cores` - 1 others. Throws Fault, and what device code or an observer throws.
  void run(int cores);

  dim3 grid() const { return launched_.grid; }
  dim3 block() const { return launched_.block; }
  std::uint64_t blocks() const { return std::uint64_t{grid().x} * grid().y * grid().z; }
  std::size_t shared_bytes() const { return launched_.shared_bytes; }
  std::size_t shared_limit() const { return shared_limit_; }
  const Schedule& schedule() const { return settings_.schedule; }
  int most_resident() const { return settings_.resident_blocks; }
  Observer* observer() const { return observer_; }
  WeakMemory* weak_memory() { return weak_memory_ ? &*weak_memory_ : nullptr; }  // only in random schedules
  void invoke() const { invoke_(launched_.kernel, arguments_); }

  // In a dependent launch every thread waits for the previous one, which runs while blocks run early.
  bool waits_for_previous() const { return launched_.dependent; }
  bool previous_runs() const { return previous_runs_; }
  bool begin_early();  // false if no block can run early
  void end_early();
  // By a block that lets the next launch start, and has not waited itself.
  void note_early_let() { early_lets_.fetch_add(1, std::memory_order_relaxed); }

  // For workers. take() gets a block to start now, if there is one left and room for it; block_retired() makes room again.
  bool take(BlockStart& start);
  bool more_to_take();
  bool ended();  // it failed, or was stopped
  void block_retired(int place);
  // An event that another block may wait for: a word was written, a block is done.
  void note_news() { news_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t news() const { return news_.load(std::memory_order_relaxed); }
  // All blocks of this worker have polled without news for `rounds` rounds, the last one since news() was `seen`. Returns
  // after newer news, or at once in the first few rounds; true if no block can continue any more.
  bool stuck(int rounds, std::uint64_t seen);
  void worker_left();  // this worker: the others no longer wait for it
  // The first fault is kept. `caller`: an address in device code, for the source line, or null.
  void fail(const std::string& what, const void* caller = nullptr);
  void fail(std::exception_ptr exception);                         // thrown by run(), as it is
  void add_waiting(std::uint64_t block, const std::string& line);  // what the threads of a block wait for
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  void count_idle(int workers);
  bool all_idle();

  LaunchedKernel launched_;
  Invoke invoke_;
  void** arguments_;
  std::size_t shared_limit_;
  GpuSettings settings_;
  Observer* observer_;
  PreviousLaunches& previous_;
  bool previous_runs_ = false;
  std::optional<WeakMemory> weak_memory_;
  const std::atomic<bool>& stopped_;

  std::mutex mutex_;                   // guards what follows
  std::uint64_t next_ = 0;             // in order: the next block
  std::vector<std::uint64_t> window_;  // at random: the next block is one of these
  Random choose_;
  std::vector<bool> places_;  // of resident blocks: which are taken
  int resident_ = 0, workers_ = 1, idle_workers_ = 0;
  std::string fault_;
  const void* fault_at_ = nullptr;
  std::exception_ptr exception_;
  std::map<std::uint64_t, std::string> waiting_;  // by block: the first lines do not depend on the order of workers

  std::atomic<std::uint64_t> news_{0}, early_lets_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace gpu::simulated
