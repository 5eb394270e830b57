// Undo: the settings as they were before each change, and the way back. What a run alone has (a popup, the place of the mouse, the
// zoom) is no change; the source, the matrix, the speed and what the mouse put somewhere are.
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

  // Looks at the settings after whatever may have changed them. What changes the same settings again and again, as a drag does,
  // is one change.
  void note(const Settings& now, Clock::time_point time = Clock::now());
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
