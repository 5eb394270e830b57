// Pace: when the next picture of a file is due, by its own timestamps on the steady clock.
#pragma once

#include <chrono>
#include <optional>

namespace app::capture {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // When the picture at `position` seconds is due. A source that is late continues from here: it does not catch up
  // by playing faster.
  Clock::time_point due(double position, Clock::time_point now) {
    constexpr std::chrono::milliseconds tolerated{250};
    if (!start_ || now - (*start_ + seconds(position)) > tolerated) start_ = now - seconds(position);
    position_ = position;
    return last_ = *start_ + seconds(position);
  }
  // The file starts again: its first picture is due `gap` seconds after the last one.
  void next_pass(double gap) {
    if (start_) start_ = last_ + seconds(gap);
  }
  // The clock stood still: the next picture is due at once.
  void forget() { start_.reset(); }
  // Times the source's own speed, from the last picture on.
  void set_speed(double speed) {
    if (speed == speed_) return;
    speed_ = speed;
    if (start_) start_ = last_ - seconds(position_);
  }

 private:
  Clock::duration seconds(double value) const {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value / speed_));
  }
  std::optional<Clock::time_point> start_;  // of position 0
  Clock::time_point last_;
  double position_ = 0, speed_ = 1;
};

}  // namespace app::capture
