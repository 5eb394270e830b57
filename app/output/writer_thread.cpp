#include "app/output/writer_thread.h"

#include <exception>
#include <stdexcept>
#include <utility>

#include "app/support/threads.h"

namespace app {

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
