// The tile trace, as the panels show it.
#pragma once

#include <memory>
#include <string>

#include "app/pipeline/tile_history.h"

namespace app::ui {

struct TraceState {
  std::shared_ptr<const TileHistory> history;  // null: nothing was traced yet
  double position = 1;                         // the moment shown, as a fraction of the history's time
  std::string unavailable;                     // why the tiles of the next picture cannot be traced; empty if they can

  double nanoseconds() const { return history ? position * static_cast<double>(history->end) : 0; }
};

}  // namespace app::ui
