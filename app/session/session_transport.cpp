// Where in its source the session is, and how it gets to another place.
#include <algorithm>
#include <stdexcept>

#include "app/capture/source_text.h"
#include "app/capture/still_source.h"
#include "app/control/fields.h"
#include "app/session/session.h"

namespace app {

// False: it is another kind of action.
bool Session::act_on_transport(const Command& command) {
  const auto number = command.number.value_or(0);
  switch (command.action) {
    case Action::pause: feed_.set_paused(true); return true;
    case Action::resume: resume(); return true;
    case Action::toggle_pause: toggle_pause(); return true;
    case Action::step: step_pictures(static_cast<int>(number)); return true;
    case Action::seek: command.relative ? seek(place() + number) : seek_within(number); return true;
    default: return false;
  }
}

bool Session::at_end() const {
  return !feed_.opening() && feed_.status().phase == capture::Status::Phase::ended && feed_.no_seek().empty();
}

// At the end of a file it starts again.
void Session::resume() {
  if (at_end()) seek(0);
  feed_.set_paused(false);
}

// A still image does not play: a key that is pressed while it is shown must not stop the next source.
void Session::toggle_pause() {
  if (feed_.paused() || at_end()) return resume();
  if (feed_.opening() || !capture::is_still(feed_.status().kind)) return feed_.set_paused(true);
  messages_.info(feed_.no_seek() + ": there is nothing to pause");
}

// Where it is, or will be once the last seek is done: keys that follow each other add up.
double Session::place() const { return feed_.seeking() ? sought_ : position_; }

void Session::require_transport() const {
  if (const auto why = feed_.no_seek(); !why.empty())
    throw std::invalid_argument(why +
                                (feed_.request() ? ": only videos and the synthetic scene can be sought or stepped" : ""));
}

void Session::seek(double seconds) {
  require_transport();
  const double length = feed_.status().length;
  sought_ = std::clamp(seconds, 0.0, length > 0 ? length : std::max(seconds, 0.0));
  feed_.seek(sought_);
}

// Keys and drags stop at the end; a number that somebody wrote is wrong there.
void Session::seek_within(double seconds) {
  require_transport();
  if (const double length = feed_.status().length; length > 0 && seconds > length)
    throw std::invalid_argument("seek " + number_as_text(seconds) + ": " + capture::describe_source(requested_) +
                                " ends at " + number_as_text(length) + " s");
  seek(seconds);
}

void Session::step_pictures(int count) {
  require_transport();
  feed_.set_paused(true);
  const double fps = feed_.status().fps;
  sought_ = std::max(0.0, place() + (fps > 0 ? count / fps : 0));
  feed_.step(count);
}

}  // namespace app
