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
    return last_ = *start_ + seconds(position);
  }
  // The file starts again: its first picture is due `gap` seconds after the last one.
  void next_pass(double gap) {
    if (start_) start_ = last_ + seconds(gap);
  }
  // The clock stood still: the next picture is due at once.
  void forget() { start_.reset(); }

 private:
  static Clock::duration seconds(double value) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
  }
  std::optional<Clock::time_point> start_;  // of position 0
  Clock::time_point last_;
};

}  // namespace app::capture
