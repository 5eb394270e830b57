// For tests: a pipe that nobody reads; but whoever has not ended his wait for a reader after half a minute gets one, so that a test
// fails and does not hang.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace app {

class ReaderAtLast {
 public:
  explicit ReaderAtLast(std::filesystem::path pipe) : pipe_(std::move(pipe)) {
    ::mkfifo(pipe_.c_str(), 0600);
    thread_ = std::jthread([this](const std::stop_token& stop) { read_later(stop); });
  }
  ReaderAtLast(const ReaderAtLast&) = delete;
  ReaderAtLast& operator=(const ReaderAtLast&) = delete;

  const std::filesystem::path& pipe() const { return pipe_; }

 private:
  void read_later(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    wake_.wait_for(lock, stop, std::chrono::seconds(30), [] { return false; });
    if (stop.stop_requested()) return;
    const int reader = ::open(pipe_.c_str(), O_RDONLY | O_NONBLOCK);
    char part[4096];
    while (!stop.stop_requested())
      if (::read(reader, part, sizeof part) <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::close(reader);
  }

  std::filesystem::path pipe_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: joined while all else is there
};

}  // namespace app
