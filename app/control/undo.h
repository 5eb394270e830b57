// Undo: the settings as they were before each change, and the way back. Not undone are the state of a run (a popup, the place of
// the mouse, the zoom) and the layout of the window; undone are also the source, the matrix, the speed, and positions set with
// the mouse.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/control/settings.h"

namespace app {

class Undo {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Undo(const Settings& start) : seen_(start) {}

  // Looks at the settings after whatever may have changed them. `drags`: by the mouse, perhaps; what it changes again and again
  // is one change.
  void note(const Settings& now, bool drags = false, Clock::time_point time = Clock::now());
  // A change by the program itself, as after a source that could not be opened, is not a step.
  void settle(const Settings& now) {
    if (now != seen_) seen_ = now;  // every frame asks, and a copy allocates
  }
  // Sets back the last change, or what was set back last. Returns the names of what changed, "effect, haar.type". Throws
  // std::invalid_argument where there is nothing.
  std::string undo(Settings& settings);
  std::string redo(Settings& settings);

 private:
  std::string go(Settings& settings, std::vector<Settings>& from, std::vector<Settings>& to, const char* nothing);

  Settings seen_;
  std::vector<Settings> past_, future_;  // the latest last
  std::vector<std::string> changed_;     // last, since undo() and redo()
  Clock::time_point changed_at_;
};

}  // namespace app
