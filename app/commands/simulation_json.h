// The JSON of `satscope simulate --json`. A figure that is not defined is null.
#pragma once

#include <string>

#include "app/commands/simulation_report.h"

namespace app {

std::string simulation_json(const SimulationReport& report);

}  // namespace app
