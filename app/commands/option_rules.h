// Which options need or exclude one another, and which settings a command uses.
#pragma once

#include <string_view>

#include "app/commands/options.h"

namespace app {

// Whether `live`, `sat` or `apply` does anything with a setting; parameters of algorithms and effects are none.
bool uses_setting(std::string_view command, std::string_view path);

// Throws ExitError (usage) with one line that says what to leave out or to add.
void check_together(const Options& options);

}  // namespace app
