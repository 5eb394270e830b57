// VideoClock: where each picture stands in a recording. While a source plays, the recording follows the source's clock, at
// the speed at which it plays. While it does not (a still image, a pause, an end, a camera that is lost), and where its clock
// jumps, real time counts, or in runs without one the duration of one picture.
#pragma once

#include <chrono>
#include <cstdint>

namespace app {

class VideoClock {
 public:
  using Clock = std::chrono::steady_clock;
  // Which picture: those of one source between two seeks follow each other by their positions in seconds.
  struct Place {
    std::uint64_t source = 0, seek = 0;
    double position = 0;
    bool live = false;  // positions are times of arrival: a gap is a pause, and no jump
  };

  VideoClock(bool real_time, double fps) : real_time_(real_time), fps_(fps > 0 ? fps : 30) {}

  // Seconds from the start of the recording to the picture at `place`, which plays at `speed` times the source's own.
  double picture(const Place& place, double speed, Clock::time_point now);
  // Nothing new comes: seconds from the start until now. Without real time the clock stands still.
  double hold(Clock::time_point now);
  double seconds() const { return seconds_; }  // from the start until the last of these

 private:
  bool real_time_;
  double fps_, seconds_ = 0;
  bool begun_ = false, held_ = false;  // held_: since the last picture
  Place last_;
  Clock::time_point then_;
};

}  // namespace app
