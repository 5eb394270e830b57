// Rate: how often something happens, over the last second.
#pragma once

#include <chrono>
#include <deque>

namespace app {

class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  void count(Clock::time_point now) {
    times_.push_back(now);
    while (now - times_.front() > std::chrono::seconds(1)) times_.pop_front();
  }
  // Per second; 0 where it has not happened for one.
  double now() const {
    if (times_.size() < 2 || Clock::now() - times_.back() > std::chrono::seconds(1)) return 0;
    const auto span = std::chrono::duration<double>(times_.back() - times_.front()).count();
    return span > 0 ? static_cast<double>(times_.size() - 1) / span : 0;
  }

 private:
  std::deque<Clock::time_point> times_;
};

}  // namespace app
