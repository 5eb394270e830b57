// Rate: how often something happens, over the last second; of something slow, over the last few times. Of what happens more
// rarely than every five seconds it is not known.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>

namespace app {

class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  void count(Clock::time_point now) {
    if (!times_.empty() && now - times_.back() > silence) times_.clear();  // a pause is no interval
    times_.push_back(now);
    while (times_.size() > fewest && now - times_.front() > window) times_.pop_front();
  }
  // Per second; 0 where it has not happened for a second, or for two of its intervals if they are longer.
  double now(Clock::time_point now = Clock::now()) const {
    if (times_.size() < 2) return 0;
    const auto span = times_.back() - times_.front();
    const auto intervals = static_cast<Clock::rep>(times_.size() - 1);
    if (span <= Clock::duration() || now - times_.back() > std::max<Clock::duration>(window, 2 * span / intervals)) return 0;
    return static_cast<double>(intervals) / std::chrono::duration<double>(span).count();
  }

 private:
  static constexpr std::chrono::seconds window{1}, silence{5};
  static constexpr std::size_t fewest = 4;  // their mean is steady where single intervals are not

  std::deque<Clock::time_point> times_;
};

}  // namespace app
