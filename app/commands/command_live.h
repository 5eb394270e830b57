// satscope live: the window; without a display, the same program runs offscreen.
#pragma once

#include "app/commands/options.h"
#include "app/support/exit_code.h"

namespace app {

// Throws what report_failure() explains.
ExitCode run_live(const Options& options);

}  // namespace app
