// Runs an algorithm once under observation.
#pragma once

#include "gpu/simulated/simulation.h"

namespace gpu::simulated {

// On a random image, by the kernels of this build, which is an observed one; one call at a time. Table and workspace
// hold nothing useful before, zeros least of all. The settings of the simulated GPU are as before afterwards. Throws
// Fault, std::invalid_argument (no such algorithm, none that can be simulated, an impossible width or latency), ArgumentError,
// std::bad_alloc, std::runtime_error (the system limits addresses).
Simulation simulate(const SimulationRequest& request);
// The same for an algorithm that need not be in the program's table; request.algorithm only names its bound.
Simulation simulate(const SatAlgorithm& algorithm, const SimulationRequest& request);

}  // namespace gpu::simulated
