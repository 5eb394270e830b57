// WriterThread: runs tasks that wait for a disk or an encoder, in the order in which they were added, so that no other
// thread waits for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace app {

// Where the system starts no more threads, whoever adds a task does it.
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
