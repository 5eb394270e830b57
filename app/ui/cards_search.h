// The line that searches the list of algorithms.
#pragma once

#include "app/ui/panel.h"

namespace app::ui {

// Once its key is pressed, the search owns the keyboard and starts empty; likewise where the palette or a script asks for it.
// It takes a few frames until the line has the keyboard: it is given up after as many, so that keys never stay without effect.
void begin_search(PanelContext& ui);
void search_field(CardsDraft& draft);

}  // namespace app::ui
