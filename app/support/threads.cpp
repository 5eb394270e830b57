#include "app/support/threads.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace app {
namespace {

constexpr std::chrono::milliseconds moment{300};  // at the end, for threads that nobody joins

struct Count {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;

  void add(int change) {
    {
      const std::lock_guard lock(mutex);
      running += change;
    }
    changed.notify_all();
  }
  bool wait_for_none(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, patience, [this] { return running == 0; });
  }
};

// Never destroyed: the threads use it to the end. A program that ends elsewhere than in main() waits for them, too.
Count& count() {
  static auto* const count = [] {
    ::on_exit([](int status, void*) { finish_detached(status); }, nullptr);
    return new Count;
  }();
  return *count;
}

template <class Start>
auto started(Start&& start) try {
  return start();
} catch (const std::system_error& error) {
  throw std::runtime_error("the system starts no more threads (" + error.code().message() +
                           "); close other programs, or raise the limit (ulimit -u)");
}

}  // namespace

std::jthread start_thread(std::function<void(std::stop_token)> work) {
  return started([&] { return std::jthread(std::move(work)); });
}

void start_detached(std::function<void()> work) {
  count().add(1);
  try {
    started([&] {
      std::thread([work = std::move(work)]() mutable {
        work();
        work = nullptr;  // what it holds is released before it counts as finished
        count().add(-1);
      }).detach();
    });
  } catch (...) {
    count().add(-1);
    throw;
  }
}

void finish_detached(int status) {
  if (wait_for_detached(moment)) return;
  std::fflush(nullptr);
  ::_exit(status);
}

bool wait_for_detached(std::chrono::milliseconds patience) { return count().wait_for_none(patience); }

LongWait::LongWait(std::function<void()> late, std::chrono::milliseconds patience) {
  try {
    thread_ = start_thread([late = std::move(late), patience](std::stop_token stop) {
      std::mutex mutex;
      std::condition_variable_any wake;
      std::unique_lock lock(mutex);
      wake.wait_for(lock, stop, patience, [] { return false; });
      if (!stop.stop_requested()) late();
    });
  } catch (const std::runtime_error&) {}
}

TaskThread::~TaskThread() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void TaskThread::begin(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  task_ = std::move(task);
  thrown_ = nullptr;
  try {
    if (!thread_.joinable()) thread_ = start_thread([this](std::stop_token stop) { work(std::move(stop)); });
  } catch (const std::runtime_error&) {
    return do_task(lock);
  }
  wake_.notify_all();
}

bool TaskThread::wait(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  if (!wake_.wait_for(lock, patience, [&] { return !task_; })) return false;
  if (const auto thrown = std::exchange(thrown_, nullptr)) std::rethrow_exception(thrown);
  return true;
}

void TaskThread::work(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [&] { return task_ != nullptr; })) do_task(lock);
}

void TaskThread::do_task(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  std::exception_ptr thrown;
  try {
    task_();
  } catch (...) {
    thrown = std::current_exception();
  }
  lock.lock();
  thrown_ = std::move(thrown);
  task_ = nullptr;
  wake_.notify_all();
}

WriterThread::~WriterThread() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool WriterThread::try_add(std::size_t bytes, Task task) {
  std::unique_lock lock(mutex_);
  if (!has_room(bytes)) return false;
  append(lock, {bytes, std::move(task)});
  return true;
}

void WriterThread::add(Task task, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  append(lock, {bytes, std::move(task)});
}

void WriterThread::append(std::unique_lock<std::mutex>& lock, QueuedTask entry) {
  held_ += entry.bytes;
  entries_.push_back(std::move(entry));
  try {
    if (!thread_.joinable()) thread_ = start_thread([this](std::stop_token stop) { work(std::move(stop)); });
  } catch (const std::runtime_error&) {
    return do_first(lock);
  }
  changed_.notify_all();
}

bool WriterThread::wait_for_room(std::size_t bytes, std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return has_room(bytes); });
}

bool WriterThread::wait(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return entries_.empty(); });
}

std::vector<std::string> WriterThread::take_errors() {
  const std::lock_guard lock(mutex_);
  return std::exchange(errors_, {});
}

void WriterThread::work(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !entries_.empty(); })) do_first(lock);
}

void WriterThread::do_first(std::unique_lock<std::mutex>& lock) {
  auto task = std::move(entries_.front().task);
  lock.unlock();
  std::string error;
  try {
    task();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  task = nullptr;  // what it holds is released before its room is free
  lock.lock();
  if (!error.empty()) errors_.push_back(std::move(error));
  held_ -= entries_.front().bytes;
  entries_.pop_front();
  changed_.notify_all();
}

}  // namespace app
