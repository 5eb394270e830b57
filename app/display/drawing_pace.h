// DrawingPace: when the window is drawn. Usually in every turn of the loop, and the swap, which may wait for the monitor, paces it.
// While every frame of the source is needed, drawing holds none of them back: no swap waits, and the window is drawn no more
// often than the monitor shows pictures, and, slow as it may be, for no more than half of the time. An iconified window is never
// drawn.
#pragma once

#include <algorithm>
#include <chrono>

namespace app {

class DrawingPace {
 public:
  using Clock = std::chrono::steady_clock;

  // `refresh_rate`: pictures per second of the monitor; 0: it is not known.
  void follow(bool iconified, bool every_frame, double refresh_rate) {
    iconified_ = iconified;
    every_frame_ = every_frame;
    constexpr double usual = 60, slowest = 10;
    const double rate = refresh_rate > 0 ? std::max(refresh_rate, slowest) : usual;
    period_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate));
  }
  bool swap_may_wait() const { return !every_frame_; }
  bool due(Clock::time_point now) const { return !iconified_ && (!every_frame_ || now >= next()); }
  // How long a turn may wait for a frame; `usual`: where the window is drawn after it.
  std::chrono::microseconds patience(std::chrono::microseconds usual, Clock::time_point now) const {
    constexpr std::chrono::microseconds longest{50'000};
    if (iconified_) return longest;
    if (!every_frame_) return usual;
    const auto left = std::chrono::ceil<std::chrono::microseconds>(next() - now);
    return std::clamp(left, std::chrono::microseconds(), longest);
  }
  // The window was drawn.
  void drawn(Clock::time_point began, Clock::time_point ended) {
    began_ = began;
    ended_ = ended;
  }

 private:
  Clock::time_point next() const {
    constexpr std::chrono::milliseconds longest_pause{500};
    return std::max(began_ + period_, ended_ + std::min<Clock::duration>(ended_ - began_, longest_pause));
  }

  Clock::time_point began_, ended_;  // of the last drawing
  Clock::duration period_{};
  bool iconified_ = false, every_frame_ = false;
};

}  // namespace app
