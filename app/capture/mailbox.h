// Mailbox: passes frames from the capture thread (the producer) to the main thread (the consumer), and is the only place
// where these two meet. It has three slots: one is written, one waits, one is read. Posting swaps the first two, taking
// swaps the last two: nothing is copied or allocated, and nobody holds a lock while writing or reading a slot.
//
// A frame that is posted while another waits replaces it, and the replaced one is counted. To lose fewer, post_patiently()
// first waits a while for the consumer; to lose none, post_lossless() waits as long as it takes.
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
    std::uint64_t posted = 0, replaced = 0;  // replaced: posted and never taken
  };

  // Producer: the slot to write. It stays the same until one of the post functions hands it over.
  T& slot() { return slots_[writing_]; }

  // Producer: hands slot() over, in place of a frame that still waits.
  void post() {
    {
      const std::lock_guard lock(mutex_);
      hand_over();
    }
    posted_.notify_one();
  }

  // Producer: the same, after waiting up to `patience` until the frame before has been taken: a consumer that is late by
  // less loses none.
  void post_patiently(std::chrono::microseconds patience, std::stop_token stop) {
    {
      std::unique_lock lock(mutex_);
      taken_.wait_for(lock, std::move(stop), patience, [this] { return !full_; });
      hand_over();
    }
    posted_.notify_one();
  }

  // Producer: hands slot() over once the frame before has been taken. Where `stop` is requested first, it hands over nothing
  // and returns false.
  bool post_lossless(std::stop_token stop) {
    {
      std::unique_lock lock(mutex_);
      if (!taken_.wait(lock, std::move(stop), [this] { return !full_; })) return false;
      hand_over();
    }
    posted_.notify_one();
    return true;
  }

  // Consumer: the frame that waits, or comes within `patience`; else nullptr. It stays unchanged until take() returns
  // another one.
  const T* take(std::chrono::microseconds patience = {}) {
    return take(patience, [](const T&) { return true; });
  }
  // The same; frames that are not `wanted` count neither as taken nor as replaced.
  template <class Wanted>
  const T* take(std::chrono::microseconds patience, Wanted&& wanted) {
    {
      std::unique_lock lock(mutex_);
      const auto there = [&] {
        if (full_ && !wanted(slots_[waiting_])) {
          full_ = false;
          taken_.notify_one();
        }
        return full_;
      };
      if (!there() && patience.count() > 0) posted_.wait_for(lock, patience, there);
      if (!full_) return nullptr;
      std::swap(reading_, waiting_);
      full_ = false;
    }
    taken_.notify_one();
    return &slots_[reading_];
  }

  // Consumer: what waits is not wanted any more. It counts neither as taken nor as replaced.
  void clear() {
    {
      const std::lock_guard lock(mutex_);
      full_ = false;
    }
    taken_.notify_one();
  }

  // A posted frame waits to be taken.
  bool full() const {
    const std::lock_guard lock(mutex_);
    return full_;
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
  // Indices of slots_. Only the producer uses writing_ and changes it, only the consumer reading_; waiting_ needs the mutex.
  std::size_t writing_ = 0, waiting_ = 1, reading_ = 2;
  bool full_ = false;  // slot waiting_ holds a frame that was not taken
  Counts counts_;
  mutable std::mutex mutex_;
  std::condition_variable_any taken_;
  std::condition_variable posted_;
};

}  // namespace app::capture
