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
  // parts too. The first exception of a part is thrown here, after all parts have run. One caller at a time, and no part
  // may call run().
  void run(int parts, const std::function<void(int)>& part);

 private:
  void work();
  void take_parts();

  std::mutex mutex_;  // guards everything that is not atomic
  std::condition_variable wake_, done_;
  const std::function<void(int)>* part_ = nullptr;
  int next_ = 0, parts_ = 0, sleeping_ = 0;
  std::exception_ptr failure_;
  std::atomic<std::uint64_t> runs_{0};  // with parts for the workers; changed with mutex_ held
  std::atomic<int> unfinished_{0};      // parts of this run
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;  // last: they use all of the above
};

}  // namespace gpu
