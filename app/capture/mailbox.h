// Mailbox: passes frames from the capture thread (the producer) to the main thread (the consumer), and is the only place
// where these two meet. Of its slots one is written, one is read, and those in between wait, oldest first. Posting and taking
// exchange slots: nothing is copied, and nobody holds a lock while writing or reading a slot.
//
// A frame that is posted while as many wait as may replaces the oldest of them, and the replaced one is counted. One may wait,
// for who wants the newest frame; more for who wants each of them. Where fewer may wait than do, nobody wants the others any
// more. To lose fewer, post_patiently() first waits a while for the consumer; to lose none, post_lossless() waits as long as it
// takes.
//
// Slots are made by the producer, when they are needed for the first time, and used again. Where again only one frame may wait,
// it deletes those that this does not need.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

namespace app::capture {

template <class T>
class Mailbox {
 public:
  struct Counts {
    std::uint64_t posted = 0, replaced = 0;  // replaced: posted and never taken
  };

  static constexpr std::size_t fewest = 3;  // slots: one is written, one waits, one is read

  Mailbox() {
    while (slots_.size() < fewest) free_.push_back(slots_.emplace_back(std::make_unique<T>()).get());
    writing_ = take_free();
    reading_ = take_free();
  }

  // Producer: the slot to write. It stays the same until one of the post functions hands it over.
  T& slot() { return *writing_; }
  std::size_t slots() const { return slots_.size(); }  // there are so many. For the producer

  // Producer: hands slot() over. `most` may wait: it replaces the oldest where they are as many. Where they are more, those that
  // are left out count neither as taken nor as replaced.
  void post(std::size_t most = 1) {
    std::unique_ptr<T> made, surplus;  // made and deleted without the lock
    if (slots_.size() < most + fewest - 1 && !has_free()) made = std::make_unique<T>();
    {
      const std::lock_guard lock(mutex_);
      if (made) add(std::move(made));
      hand_over(most);
      if (most == 1 && slots_.size() > fewest) surplus = remove_free();
    }
    posted_.notify_one();
  }

  // Producer: the same, after waiting up to `patience` until the frame before has been taken: a consumer that is late by
  // less loses none.
  void post_patiently(std::chrono::microseconds patience, std::stop_token stop) {
    {
      std::unique_lock lock(mutex_);
      taken_.wait_for(lock, std::move(stop), patience, [this] { return waiting_.empty(); });
    }
    post();
  }

  // Producer: hands slot() over once all frames before have been taken. Where `stop` is requested first, it hands over nothing
  // and returns false.
  bool post_lossless(std::stop_token stop) {
    {
      std::unique_lock lock(mutex_);
      if (!taken_.wait(lock, std::move(stop), [this] { return waiting_.empty(); })) return false;
    }
    post();
    return true;
  }

  // Consumer: the oldest frame that waits, or the next one that comes within `patience`; else nullptr. It stays unchanged until
  // take() returns another one.
  const T* take(std::chrono::microseconds patience = {}) {
    return take(patience, [](const T&) { return true; });
  }
  // As take(); frames that are not `wanted` count neither as taken nor as replaced.
  template <class Wanted>
  const T* take(std::chrono::microseconds patience, Wanted&& wanted) {
    {
      std::unique_lock lock(mutex_);
      const auto there = [&] {
        while (!waiting_.empty() && !wanted(*waiting_.front())) {
          free_.push_back(take_oldest());
          taken_.notify_one();
        }
        return !waiting_.empty();
      };
      if (!there() && (patience.count() <= 0 || !posted_.wait_for(lock, patience, there))) return nullptr;
      free_.push_back(std::exchange(reading_, take_oldest()));
    }
    taken_.notify_one();
    return reading_;
  }

  // Consumer: returns the frame that take() returned last, to change it.
  T& taken() { return *reading_; }

  // Consumer: what waits is not wanted any more. It counts neither as taken nor as replaced.
  void clear() {
    {
      const std::lock_guard lock(mutex_);
      while (!waiting_.empty()) free_.push_back(take_oldest());
    }
    taken_.notify_one();
  }

  // A posted frame waits to be taken.
  bool full() const {
    const std::lock_guard lock(mutex_);
    return !waiting_.empty();
  }

  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  bool has_free() const {
    const std::lock_guard lock(mutex_);
    return !free_.empty();
  }
  void add(std::unique_ptr<T> made) {
    slots_.push_back(std::move(made));
    waiting_.reserve(slots_.size());  // so that what follows never allocates
    free_.reserve(slots_.size());
    free_.push_back(slots_.back().get());
  }
  void hand_over(std::size_t most) {
    const bool fewer_may = waiting_.size() > most;
    for (; waiting_.size() >= most || free_.empty(); counts_.replaced += !fewer_may) free_.push_back(take_oldest());
    waiting_.push_back(std::exchange(writing_, nullptr));
    writing_ = take_free();
    ++counts_.posted;
  }
  T* take_oldest() {
    T* const oldest = waiting_.front();
    waiting_.erase(waiting_.begin());
    return oldest;
  }
  T* take_free() {
    T* const slot = free_.back();
    free_.pop_back();
    return slot;
  }
  std::unique_ptr<T> remove_free() {
    if (free_.empty()) return nullptr;
    const auto at = std::ranges::find(slots_, take_free(), &std::unique_ptr<T>::get);
    auto removed = std::move(*at);
    slots_.erase(at);
    return removed;
  }

  std::vector<std::unique_ptr<T>> slots_;      // the producer's; the pointers below are into them
  T *writing_ = nullptr, *reading_ = nullptr;  // the producer's; the consumer's
  std::vector<T*> waiting_, free_;             // need the mutex, as what follows; waiting: oldest first
  Counts counts_;
  mutable std::mutex mutex_;
  std::condition_variable_any taken_;
  std::condition_variable posted_;
};

}  // namespace app::capture
