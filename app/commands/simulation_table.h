// The text table of `satscope simulate`: at most 140 columns; the meaning of its columns follows, then the errors.
#pragma once

#include <string>

#include "app/commands/simulation_report.h"

namespace app {

std::string simulation_table(const SimulationReport& report);

}  // namespace app
