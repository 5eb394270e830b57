// Meter: how long frames take, as the eye and the main thread see it.
#pragma once

#include <chrono>
#include <deque>
#include <vector>

#include "app/session/frame_times.h"

namespace app {

class Meter {
 public:
  using Clock = std::chrono::steady_clock;

  void begin();                 // the frame's work begins
  void waited(Clock::duration time) { waited_ += time; }  // of that, spent waiting for a source
  void end(bool new_picture, double gpu_ms);
  void rest();                  // nothing was drawn, because nothing changed: the time belongs to no frame
  void reset();                 // the graph and the intervals start anew

  const std::vector<FrameTime>& frames() const { return frames_; }  // the latest, oldest first
  double fps() const { return rate(shown_); }             // over the last second
  double picture_fps() const { return rate(pictures_); }

  // Of the whole run since the start or reset(), up to the latest 100 000.
  const std::vector<double>& picture_ms() const { return picture_ms_; }  // from each new picture to the next
  const std::vector<double>& work_ms() const { return work_ms_; }  // of the main thread, for frames with a new one
  double seconds() const;                                                // from the first new picture to the last

 private:
  double rate(const std::deque<Clock::time_point>& times) const;

  Clock::time_point begun_, last_begun_, first_picture_, last_picture_;
  Clock::duration waited_{};
  bool started_ = false, pictured_ = false;
  bool rested_ = false;  // since the last picture
  std::uint64_t sequence_ = 0;
  std::vector<FrameTime> frames_;
  std::deque<Clock::time_point> shown_, pictures_;
  std::vector<double> picture_ms_, work_ms_;
};

}  // namespace app
