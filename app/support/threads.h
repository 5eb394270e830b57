// Starting threads. Where the system starts no more of them, that is an exception of one line, the cause and the next step,
// which costs what the thread was for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace app {

// std::jthread's constructor. Throws std::runtime_error.
std::jthread start_thread(std::function<void(std::stop_token)> work);

// Runs `work` on a thread that nobody joins: what hangs must not block whoever waits for it. Throws std::runtime_error.
void start_detached(std::function<void()> work);

// The result of `work` on such a thread; where none is to be had, of this one.
template <class Work>
std::future<std::invoke_result_t<Work&>> result_detached(Work work) {
  const auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Work&>()>>(std::move(work));
  auto result = task->get_future();
  try {
    start_detached([task] { (*task)(); });
  } catch (const std::runtime_error&) {
    (*task)();
  }
  return result;
}

// For the end of a program, before anything static is destroyed: gives such threads a moment to finish. Where some still run,
// ends the program at once with `status`, and destroys nothing that they may use.
void finish_detached(int status);

// Waits until all such threads have finished; false where some have not within `patience`.
bool wait_for_detached(std::chrono::milliseconds patience);

// Work that takes long without a word looks as if it hung: while this exists, and once `patience` is over, `late` is called on
// another thread. Where the system starts no more of them, it is not.
class LongWait {
 public:
  explicit LongWait(std::function<void()> late, std::chrono::milliseconds patience = std::chrono::seconds(10));

 private:
  std::jthread thread_;
};

// TaskThread: a thread that does one task at a time while its owner continues.
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
