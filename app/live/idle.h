// Idle: when the window may stand still, and what is done before it does.
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
  // After everything but drawing. `happened`: input, a new picture, anything that changes the window. True where the
  // window has to be drawn. The frame before it stands still is drawn: it says so, and shows all that was measured.
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
