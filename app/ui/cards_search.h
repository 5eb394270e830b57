// The line that searches the list of algorithms.
#pragma once

#include "app/ui/panel.h"

namespace app::ui {

// From its key on the keyboard is the search's, with an empty line. It takes a few frames until it has it: it is given up after
// as many, so that keys never stay without effect.
constexpr int frames_to_search = 4;
void begin_search(CardsDraft& draft);
void search_field(CardsDraft& draft);

}  // namespace app::ui
