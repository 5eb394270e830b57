// Mailbox: how frames get from the capture thread to the main thread, and the only place where the two meet. Three
// slots: one being written, one waiting, one being read. The latest wins: a frame posted while another waits replaces
// it, and that is counted. With post_patiently the producer waits a while for it to be taken,
// with post_lossless as long as it takes. No slot is ever copied, locked while it is
// written or read, or freed: memory stays where it is. One producer thread, one consumer thread.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <utility>

namespace app::capture {

template <class T>
class Mailbox {
 public:
  struct Counts {
    std::uint64_t posted = 0, replaced = 0;  // replaced: posted, but never taken
  };

  // Producer: the slot to write next. The same one until it is posted.
  T& slot() { return slots_[writing_]; }

  // Producer: hands slot() over. What waited before and was not taken is replaced.
  void post() {
    {
      const std::lock_guard lock(mutex_);
      hand_over();
    }
    posted_.notify_one();
  }

  // The same, after waiting at most `patience` for the one before to be taken: a consumer that is late by less than
  // that misses nothing.
  void post_patiently(std::chrono::microseconds patience, std::stop_token stop) {
    {
      std::unique_lock lock(mutex_);
      taken_.wait_for(lock, std::move(stop), patience, [this] { return !full_; });
      hand_over();
    }
    posted_.notify_one();
  }

  // Producer: hands slot() over once the one before was taken. False, and nothing handed over, where `stop` came first.
  bool post_lossless(std::stop_token stop) {
    {
      std::unique_lock lock(mutex_);
      if (!taken_.wait(lock, std::move(stop), [this] { return !full_; })) return false;
      hand_over();
    }
    posted_.notify_one();
    return true;
  }

  // Consumer: the newest slot not taken yet, or nullptr where none comes within `patience`. It stays the consumer's,
  // and unchanged, until take() gives the next one.
  const T* take(std::chrono::microseconds patience = {}) {
    {
      std::unique_lock lock(mutex_);
      if (!full_ && patience.count() > 0) posted_.wait_for(lock, patience, [this] { return full_; });
      if (!full_) return nullptr;
      std::swap(reading_, waiting_);
      full_ = false;
    }
    taken_.notify_one();
    return &slots_[reading_];
  }

  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  void hand_over() {
    std::swap(writing_, waiting_);
    counts_.replaced += full_;
    ++counts_.posted;
    full_ = true;
  }

  std::array<T, 3> slots_;
  std::size_t writing_ = 0;  // the producer's; its value changes only under the mutex, in the producer's calls
  std::size_t waiting_ = 1;
  std::size_t reading_ = 2;  // the consumer's
  bool full_ = false;        // slot `waiting_` holds what was not taken yet
  Counts counts_;
  mutable std::mutex mutex_;
  std::condition_variable_any taken_;
  std::condition_variable posted_;
};

}  // namespace app::capture
