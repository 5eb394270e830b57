// Why an action cannot be done now: for its button, which is disabled then, and for its entry in the palette.
#pragma once

#include <string>

#include "app/control/actions.h"
#include "app/ui/ui.h"

namespace app::ui {

// One line; empty if it can. Not for what changes_of() refuses.
std::string why_not(Action action, const State& state, const Settings& settings);

}  // namespace app::ui
