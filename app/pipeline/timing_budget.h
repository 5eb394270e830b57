// TimingBudget: which frames are timed, so that in the long run timing takes at most a share of the host's time.
#pragma once

#include <chrono>

#include "app/control/selection.h"
#include "gpu/timeline.h"

namespace app {

class TimingBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // Of the host's time. An instrument must not slow down what it shows by more than 3%. Events also cost GPU time, which the
  // host does not count, so its share must lie far below that. The host's own clock costs next to nothing.
  static constexpr double largest_share(gpu::Device device) { return device == gpu::Device::cuda ? 0.002 : 1; }

  explicit TimingBudget(double share) : share_(share) {}  // of the host's time, 0..1; 1: no limit

  // What of a frame that begins now is timed: what is wanted, or nothing where that costs too much. Every launch has no limit,
  // because it was asked for; nor have the first frames of a run, until they took 2 ms.
  gpu::TimingDetail detail(TimingChoice wanted, Clock::time_point now);
  bool affords(Clock::time_point now);  // whether it may be timed
  // What timing a frame took: microseconds of the host.
  void spend(double us);

 private:
  static constexpr double most_us = 2000;  // idle time does not add up to more, nor one interruption to a longer debt

  double share_, credit_us_ = most_us;
  Clock::time_point latest_ = Clock::time_point::max();  // when affords() was called last; max: never
};

}  // namespace app
