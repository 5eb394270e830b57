// ArrivalRate: how many pictures per second a live source sends, measured by the times at which they come. What a stream
// announces may be no more than its library's guess.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

namespace app::capture {

class ArrivalRate {
 public:
  using Clock = std::chrono::steady_clock;

  void add(Clock::time_point at);  // a picture has come; in order
  // Over the last seconds, in tenths; 0 while it is not known yet; a long silence begins it anew. It changes by 2% at least, so
  // that it can be read.
  double per_second() const { return rate_; }

 private:
  std::optional<Clock::time_point> first_;
  std::deque<Clock::time_point> times_;
  double rate_ = 0;
};

}  // namespace app::capture
