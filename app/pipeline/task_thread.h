// TaskThread: a thread that does one task at a time, so that whoever asks may go on meanwhile.
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

  // Begins `task`; the one before must have been waited for.
  void begin(std::function<void()> task);
  // True where no task is under way any more, waiting up to `patience` for it. Throws, once, what the task threw.
  bool wait(std::chrono::microseconds patience);

 private:
  void work(std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::function<void()> task_;  // null: none is under way
  std::exception_ptr thrown_;
  std::jthread thread_;  // last: joined while all else is there
};

}  // namespace app
