#include "app/live/trace_player.h"

#include <algorithm>
#include <cmath>

#include "app/control/fields.h"

namespace app {

std::vector<Change> TracePlayer::update(const Trace& trace, const Settings& settings, double seconds) {
  if (!trace) return {};
  std::vector<Change> changes;
  bool play = settings.trace_play;
  auto at = settings.trace_at;
  const auto stop_at = [&](double moment) {
    at = moment;
    changes.push_back({"trace_at", number_as_text(moment)});
  };
  const auto set_play = [&](bool on) {
    play = on;
    changes.push_back({"trace_play", on ? "on" : "off"});
  };
  if (play || at_ != at) ended_ = false;
  if (trace_ != trace) {  // another one plays from its start
    trace_ = trace;
    if (ended_) set_play(true);
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
      position_ = 1;
      stop_at(1);
      set_play(false);
      ended_ = true;
    }
  } else if (played_) {
    stop_at(position_);
  }
  played_ = play;
  at_ = at;
  return changes;
}

bool TracePlayer::plays(const Trace& trace, const Settings& settings) const {
  return trace && (trace != trace_ || (settings.trace_play && (settings.trace_loop || position_ < 1)));
}

}  // namespace app
