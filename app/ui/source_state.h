// What the panels show of the source beyond its status: where it can be opened from, and what failed.
#pragma once

#include <string>

namespace app::ui {

struct SourceState {
  std::string failed_because;  // of State::failed_source, one line
  bool seeking = false;        // the picture that was asked for last is not shown yet
  std::string no_folder;       // why the folder of saved files cannot be shown, one line; empty if it can
};

}  // namespace app::ui
