#include "app/live/trace_player.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/control/fields.h"

namespace app {

void TracePlayer::update() {
  const auto& settings = session_.settings();
  const auto now = Clock::now();
  const std::chrono::duration<double> passed = now - std::exchange(moved_, now);
  if (trace_ != session_.trace()) {  // another one plays from its start
    trace_ = session_.trace();
    position_ = settings.trace_play ? 0 : settings.trace_at;
  } else if (at_ != settings.trace_at) {
    position_ = settings.trace_at;
  } else if (settings.trace_play && !played_ && position_ >= 1) {
    position_ = 0;
  } else if (settings.trace_play) {
    position_ += passed.count() / settings.trace_seconds;
    position_ = settings.trace_loop ? position_ - std::floor(position_) : std::min(position_, 1.0);
  } else if (played_) {
    session_.change({"trace_at", number_as_text(position_)});
  }
  played_ = settings.trace_play;
  at_ = settings.trace_at;
}

bool TracePlayer::plays() const {
  const auto& settings = session_.settings();
  return session_.trace() && (session_.trace() != trace_ || (settings.trace_play && (settings.trace_loop || position_ < 1)));
}

}  // namespace app
