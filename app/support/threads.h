// Starting threads. Where the system starts no more of them, that is an exception of one line, the cause and the next step,
// which costs what the thread was for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

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

// WriterThread: runs tasks that wait for a disk or an encoder, in the order in which they were added, so that no other
// thread waits for them. Where the system starts no more threads, whoever adds a task does it.
class WriterThread {
 public:
  using Task = std::function<void()>;  // owns all that it needs

  // `room`: bytes that the tasks not yet done may hold together.
  explicit WriterThread(std::size_t room = std::size_t{256} << 20) : room_(room) {}
  ~WriterThread();  // after everything that was added is done
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  std::size_t room() const { return room_; }
  // Adds a task that holds `bytes`. False, and not added, if there is no room. A task that is alone always has room.
  bool try_add(std::size_t bytes, Task task);
  // Adds a task whether there is room or not: for what is rare, or ends something that has begun.
  void add(Task task, std::size_t bytes = 0);
  // Waits up to `patience` until try_add(bytes) would succeed (nobody else adding meanwhile), and returns whether it would.
  bool wait_for_room(std::size_t bytes, std::chrono::microseconds patience);
  // Waits up to `patience` until everything is done, and returns whether it is.
  bool wait(std::chrono::microseconds patience);
  // What tasks threw since the last call, a line each. A task that throws ends no other.
  std::vector<std::string> take_errors();

 private:
  struct QueuedTask {
    std::size_t bytes;
    Task task;
  };

  bool has_room(std::size_t bytes) const { return held_ == 0 || held_ + bytes <= room_; }
  void append(std::unique_lock<std::mutex>& lock, QueuedTask entry);
  void work(std::stop_token stop);
  void do_first(std::unique_lock<std::mutex>& lock);

  const std::size_t room_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<QueuedTask> entries_;  // the first one may be under way
  std::size_t held_ = 0;            // bytes, by all of them
  std::vector<std::string> errors_;
  std::jthread thread_;  // last: joined while all else is there
};

}  // namespace app
