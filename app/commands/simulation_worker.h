// Runs simulations one after another, draws a progress bar and reacts to Ctrl-C.
#pragma once

#include "app/commands/simulation_report.h"
#include "gpu/simulated/driver.h"

namespace app {

// Every run of `choice`, with the driver of the observed build. A fault ends only its own algorithm. After Ctrl-C
// `interrupted` is set, and a thread may still simulate: the program must end with std::_Exit, which waits for nothing.
SimulationReport simulate_all(const gpu::simulated::Driver& driver, const SimulationChoice& choice);

}  // namespace app
