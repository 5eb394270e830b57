// Launch: one kernel on its grid, from its first block to its last, on as many cores as may be used.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/simulated/block.h"
#include "gpu/simulated/observer.h"
#include "gpu/simulated/schedule.h"

namespace gpu::simulated {

// A kernel that cannot go on: a deadlock, a divergent barrier, an access outside of every allocation, something that is not
// simulated. what() says which, where, and, line by line, who waits for what.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Launch {
 public:
  // `shared_limit`: what a block's dynamic bytes and static variables may take together.
  Launch(const void* kernel, Invoke invoke, void** arguments, dim3 grid, dim3 block, std::size_t shared_bytes,
         std::size_t shared_limit, const GpuSettings& settings, Observer* observer);

  // Runs all blocks; on the calling thread and `cores` - 1 others. Throws Fault, and what device code or an observer throws.
  void run(int cores);

  dim3 grid() const { return grid_; }
  dim3 block() const { return block_; }
  std::uint64_t blocks() const { return std::uint64_t{grid_.x} * grid_.y * grid_.z; }
  std::size_t shared_bytes() const { return shared_bytes_; }
  std::size_t shared_limit() const { return shared_limit_; }
  const Schedule& schedule() const { return settings_.schedule; }
  Observer* observer() const { return observer_; }
  void invoke() const { invoke_(kernel_, arguments_); }

  // For workers. take() gives the number of a block to start now, if there is one left and room for it; gave_back() makes
  // room again.
  bool take(std::uint64_t& number);
  bool more_to_take();
  void gave_back();
  // Something that another block may wait for has happened: a word written, a block done.
  void note_news() { news_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t news() const { return news_.load(std::memory_order_relaxed); }
  // This worker's blocks have all looked in vain `rounds` times, the last time after the news were `seen`. Returns when there
  // are others, or after the first few times; true where nobody can go on any more.
  bool stuck(int rounds, std::uint64_t seen);
  void has_left();  // this worker: nobody need wait for it any more
  // The first fault counts. `caller`: an address in device code that tells the place, or null.
  void fail(const std::string& what, const void* caller = nullptr);
  void fail(std::exception_ptr exception);  // thrown by run(), as it is
  void add_waiting(std::uint64_t block, const std::string& line);  // who waits for what
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  void count_idle(int workers);
  bool all_idle();

  const void* kernel_;
  Invoke invoke_;
  void** arguments_;
  dim3 grid_, block_;
  std::size_t shared_bytes_, shared_limit_;
  GpuSettings settings_;
  Observer* observer_;

  std::mutex mutex_;                  // of what follows
  std::uint64_t next_ = 0;            // in order: the next block
  std::vector<std::uint64_t> window_;  // at random: the blocks one of which starts next
  Random choose_;
  int resident_ = 0, workers_ = 1, idle_workers_ = 0;
  std::string fault_;
  const void* fault_at_ = nullptr;
  std::exception_ptr exception_;
  std::map<std::uint64_t, std::string> waiting_;  // by block: the same first lines, whichever worker comes first

  std::atomic<std::uint64_t> news_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace gpu::simulated
