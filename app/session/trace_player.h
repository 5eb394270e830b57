// TracePlayer: the moment of the tile trace that is shown, as the settings play, stop and move it.
#pragma once

#include "app/control/settings.h"
#include "app/session/trace_runner.h"

namespace app {

class TracePlayer {
 public:
  using Trace = TraceRunner::Trace;

  // For a frame that is drawn `seconds` after the one before: moves on. Where playing has stopped, the settings then say which
  // moment is shown; at the end they do not play any more.
  void update(const Trace& trace, Settings& settings, double seconds);
  double position() const { return position_; }  // 0: the first tile starts; 1: the last one has finished
  // The window changes by itself.
  bool plays(const Trace& trace, const Settings& settings) const;

 private:
  Trace trace_;
  double position_ = 1, at_ = 1;  // as shown; as the settings said last
  bool played_ = false;
  bool ended_ = false;  // it played until the end, and nobody has touched it since: the next trace plays, too
};

}  // namespace app
