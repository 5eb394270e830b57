// TaskThread: a thread that does one task at a time while its owner continues.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace app {

class TaskThread {
 public:
  // The thread starts with the first task; the destructor waits for the last one.
  TaskThread() = default;
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  // Begins `task`. wait() must have returned true for the one before. Where the system starts no more threads, the caller's
  // does it meanwhile.
  void begin(std::function<void()> task);
  // Waits up to `patience` for the task to end. True where none is running. Throws, once, what the task threw.
  bool wait(std::chrono::microseconds patience);

 private:
  void work(std::stop_token stop);
  void do_task(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::function<void()> task_;  // null: none is running
  std::exception_ptr thrown_;
  std::jthread thread_;  // last: joined before the members that it uses are destroyed
};

}  // namespace app
