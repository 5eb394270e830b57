#include "gpu/execution/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpu {
namespace {

// How long a thread polls before it sleeps: about as long as it takes to wake it.
constexpr auto polling_time = std::chrono::microseconds(50);

// Polls for that long, and yields the processor meanwhile; whether `condition` became true.
template <class Condition>
bool poll(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + polling_time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

int ThreadPool::thread_count(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads) {
  const int count = thread_count(threads);
  workers_.reserve(static_cast<std::size_t>(count - 1));
  try {
    for (int i = 1; i < count; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // the system has no more threads, or no memory for them: those that started do the work
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(int parts, const std::function<void(int)>& part) {
  if (parts <= 0) return;
  Call call{.part = part, .parts = parts, .next = 0, .unfinished = parts, .failure = {}};
  bool anyone_sleeps = false;
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(&call);
    if (parts > 1) {
      ++runs_;
      anyone_sleeps = sleeping_ > 0;
    }
  }
  if (anyone_sleeps) wake_.notify_all();
  {
    std::unique_lock lock(mutex_);
    while (call.next < call.parts) take_part(call, lock);
  }
  const auto finished = [&] { return call.unfinished == 0; };
  poll(finished);
  std::unique_lock lock(mutex_);
  done_.wait(lock, finished);
  if (call.failure) std::rethrow_exception(std::exchange(call.failure, nullptr));
}

// The call exists until its last part has ended and the lock is free.
void ThreadPool::take_part(Call& call, std::unique_lock<std::mutex>& lock) {
  const int mine = call.next++;
  if (call.next == call.parts) calls_.erase(std::ranges::find(calls_, &call));
  lock.unlock();
  std::exception_ptr failure;
  try {
    call.part(mine);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (failure && !call.failure) call.failure = failure;
  if (--call.unfinished == 0) done_.notify_all();
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  const auto something_new = [&] { return stop_ || runs_ != seen; };
  while (true) {
    poll(something_new);
    std::unique_lock lock(mutex_);
    ++sleeping_;
    wake_.wait(lock, something_new);
    --sleeping_;
    if (stop_) return;
    seen = runs_;
    while (!calls_.empty()) take_part(*calls_.front(), lock);
  }
}

}  // namespace gpu
