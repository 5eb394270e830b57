#include "app/pipeline/task_thread.h"

#include <stdexcept>
#include <utility>

#include "app/support/threads.h"

namespace app {

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

}  // namespace app
