// FrameSearch: a thread of its own looks for something in the frame that is shown: one search at a time, each for what was asked
// for last when it began.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "app/capture/frame.h"
#include "app/pipeline/task_thread.h"

namespace app {

struct FrameNumber {
  std::uint64_t source = 0, sequence = 0, seek = 0;
  friend bool operator==(const FrameNumber&, const FrameNumber&) = default;
};
inline FrameNumber number_of(const capture::Frame& frame, std::uint64_t source) {
  return {source, frame.sequence, frame.seek};
}

// `Asked`: what it looks for, and in which frame.
template <class Asked, class Found>
class FrameSearch {
 public:
  static constexpr std::chrono::hours until_found{1};  // for take()

  bool busy() const { return under_way_.has_value(); }
  // Not while it is busy. `search` may use what its owner does not change until then.
  void begin(Asked asked, std::function<Found()> search) {
    thread_.begin([this, search = std::move(search)] { next_ = search(); });
    under_way_ = std::move(asked);
  }
  // Takes what was found, where it is there within `patience`. Throws what the search threw: then nothing is found.
  void take(std::chrono::microseconds patience) try {
    if (!under_way_ || !thread_.wait(patience)) return;
    set(*std::exchange(under_way_, std::nullopt), std::move(next_));
  } catch (...) {
    under_way_.reset();
    forget();
    throw;
  }
  void set(Asked asked, Found found) {
    found_for_ = std::move(asked);
    found_ = std::move(found);
  }
  void forget() {
    found_for_.reset();
    found_ = {};
  }

  const Found& found() const { return found_; }                         // last
  const std::optional<Asked>& found_for() const { return found_for_; }  // empty: nothing yet

 private:
  std::optional<Asked> under_way_, found_for_;
  Found found_{}, next_{};  // next_: the thread's while it searches
  TaskThread thread_;       // last: its task uses what is above
};

}  // namespace app
