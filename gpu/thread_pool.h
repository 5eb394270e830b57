// A pool of threads for the host algorithms and effects.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gpu {

class ThreadPool {
 public:
  // The calling thread counts as one: ThreadPool(1) starts none. 0 means one a core.
  explicit ThreadPool(int threads = 0);
  // What threads() of ThreadPool(threads) will be.
  static int thread_count(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs part(0) .. part(parts - 1), each once, in no set order, and returns when all are done. The caller's thread
  // takes parts too. What a part throws is thrown here (the first one). One caller at a time.
  void run(int parts, const std::function<void(int)>& part);

 private:
  void work(std::stop_token stop);
  void take_parts();

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  const std::function<void(int)>* part_ = nullptr;
  int next_ = 0, parts_ = 0, running_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> workers_;  // last: they use all of the above
};

}  // namespace gpu
