#include "gpu/thread_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace gpu {

int ThreadPool::thread_count(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads) {
  for (int i = 1, count = thread_count(threads); i < count; ++i) workers_.emplace_back([this](std::stop_token stop) { work(stop); });
}

ThreadPool::~ThreadPool() {
  for (auto& worker : workers_) worker.request_stop();
}

void ThreadPool::run(int parts, const std::function<void(int)>& part) {
  if (parts <= 0) return;
  {
    std::lock_guard lock(mutex_);
    part_ = &part;
    next_ = 0;
    parts_ = parts;
    failure_ = nullptr;
  }
  if (parts > 1) wake_.notify_all();
  take_parts();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0 && next_ == parts_; });
  part_ = nullptr;
  parts_ = next_ = 0;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::take_parts() {
  std::unique_lock lock(mutex_);
  while (next_ < parts_) {
    const int mine = next_++;
    const auto* part = part_;
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*part)(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--running_ == 0 && next_ == parts_) done_.notify_all();
  }
}

void ThreadPool::work(std::stop_token stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [&] { return next_ < parts_; })) return;
    }
    take_parts();
  }
}

}  // namespace gpu
