// The chart of a tile trace: time to the right, a line per multiprocessor, a bar per tile.
#pragma once

#include "app/ui/panel.h"

namespace app::ui {

// In what is left of the window. A click moves the moment that is shown.
void trace_chart(PanelContext& ui, const TileHistory& history);

}  // namespace app::ui
