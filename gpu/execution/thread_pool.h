// A pool of threads for the host algorithms and effects. A frame consists of several short steps. A waiting thread polls for
// the next step for some time before it sleeps, because waking it takes longer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gpu {

class ThreadPool {
 public:
  // The calling thread is one of them: ThreadPool(1) starts none. 0 means one per core. Where the system refuses to start as many,
  // there are fewer.
  explicit ThreadPool(int threads = 0);
  // The value of threads() for ThreadPool(threads), if all of them start.
  static int thread_count(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs part(0) .. part(parts - 1), each once, in any order, and returns when all are done. The caller's thread runs
  // parts too. The first exception of a part is thrown here, after all parts have run. Several threads may call it at once: each
  // runs parts of its own call, the workers those of the oldest. No part may call run().
  void run(int parts, const std::function<void(int)>& part);

 private:
  // One call of run().
  struct Call {
    const std::function<void(int)>& part;
    int parts, next = 0;
    std::atomic<int> unfinished;
    std::exception_ptr failure;
  };

  void work();
  void take_part(Call& call, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;  // guards everything that is not atomic
  std::condition_variable wake_, done_;
  std::vector<Call*> calls_;  // with parts that nobody has taken, the oldest first
  int sleeping_ = 0;
  std::atomic<std::uint64_t> runs_{0};  // with parts for the workers; changed with mutex_ held
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;  // last: they use all of the above
};

}  // namespace gpu
