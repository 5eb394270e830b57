// satscope live: the window; without a display, the same program offscreen.
#pragma once

#include "app/support/exit_code.h"
#include "app/commands/options.h"

namespace app {

// Throws what report_failure() explains.
ExitCode run_live(const Options& options);

}  // namespace app
