// The table of `satscope simulate`, for people: at most 140 columns, what its columns mean below it, then what is
// wrong.
#pragma once

#include <string>

#include "app/commands/simulation_report.h"

namespace app {

std::string simulation_table(const SimulationReport& report);

}  // namespace app
