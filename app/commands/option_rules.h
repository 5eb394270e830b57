// check_together(): options that need or exclude one another.
#pragma once

#include "app/commands/options.h"

namespace app {

// Throws ExitError (usage) with one line that says what to leave out or to add.
void check_together(const Options& options);

}  // namespace app
