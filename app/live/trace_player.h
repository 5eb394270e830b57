// TracePlayer: the moment of the tile trace that is shown, as the settings play, stop and move it.
#pragma once

#include <chrono>
#include <memory>

#include "app/session/session.h"

namespace app {

class TracePlayer {
 public:
  explicit TracePlayer(Session& session) : session_(session) {}

  // For a frame that is drawn: moves on. What the settings say of the moment follows where playing stops.
  void update();
  double position() const { return position_; }  // 0: the first tile starts; 1: the last one has finished
  // The window changes by itself.
  bool plays() const;

 private:
  using Clock = std::chrono::steady_clock;

  Session& session_;
  std::shared_ptr<const TileHistory> trace_;
  double position_ = 1, at_ = 1;  // as shown; as the settings said last
  bool played_ = false;
  Clock::time_point moved_;
};

}  // namespace app
