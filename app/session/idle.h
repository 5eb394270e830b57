// Idle: when the window of a session needs no drawing, and what is done before it becomes idle.
#pragma once

#include <chrono>

#include "app/session/session.h"

namespace app {

class Idle {
 public:
  explicit Idle(Session& session) : session_(session) {}

  bool now() const { return idle_; }
  // How long to wait for input: idle, a while; else not at all.
  std::chrono::milliseconds patience() const;
  // A picture that stays is computed again until its kernels' statistics mean something.
  bool measuring() const;
  void measure_from_now();
  // After everything but drawing. `happened`: input, a new picture, anything that changes the window. True if the window
  // has to be drawn. The first idle frame is drawn, too: it says that the window is idle, and shows all that was measured.
  bool draws(bool happened);
  bool begins() const { return begins_; }  // this frame is that one

 private:
  using Clock = std::chrono::steady_clock;

  bool moves() const;

  Session& session_;
  bool idle_ = false, begins_ = false;
  Clock::time_point awake_until_, measured_until_;
};

}  // namespace app
