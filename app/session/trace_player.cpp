#include "app/session/trace_player.h"

#include <cmath>

namespace app {

void TracePlayer::update(const Trace& trace, Settings& settings, double seconds) {
  if (!trace) return;
  auto& play = settings.trace_play;
  auto& at = settings.trace_at;
  if (play || at_ != at) ended_ = false;
  if (trace_ != trace) {  // another one plays from its start
    trace_ = trace;
    play |= ended_;
    ended_ = false;
    position_ = play ? 0 : at;
  } else if (at_ != at) {
    position_ = at;
  } else if (play && !played_ && position_ >= 1) {
    position_ = 0;
  } else if (play) {
    position_ += seconds / settings.trace_seconds;
    if (settings.trace_loop) {
      position_ -= std::floor(position_);
    } else if (position_ >= 1) {
      position_ = at = 1;
      play = false;
      ended_ = true;
    }
  } else if (played_) {
    at = position_;
  }
  played_ = play;
  at_ = at;
}

bool TracePlayer::plays(const Trace& trace, const Settings& settings) const {
  return trace && (trace != trace_ || (settings.trace_play && (settings.trace_loop || position_ < 1)));
}

}  // namespace app
