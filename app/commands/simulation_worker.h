// Runs simulations one after another while a progress bar is drawn and Ctrl-C is heeded.
#pragma once

#include "app/commands/simulation_report.h"
#include "gpu/simulated/driver.h"

namespace app {

// Every run of `choice`, with the driver of the observed build. A fault costs its algorithm alone. After Ctrl-C
// `interrupted` is set, and a thread may still simulate: the program must end with std::_Exit, which waits for nothing.
SimulationReport simulate_all(const gpu::simulated::Driver& driver, const SimulationChoice& choice);

}  // namespace app
