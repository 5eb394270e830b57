// Runs an algorithm once under observation.
#pragma once

#include "gpu/simulated/simulation.h"

namespace gpu::simulated {

// On a random image, with the kernels of this observed build; one call at a time. Table and workspace are first filled with
// nonzero garbage. The settings of the simulated GPU are restored afterwards. Throws Fault, std::invalid_argument
// (no such algorithm, one that cannot be simulated, an impossible width or latency), ArgumentError, std::bad_alloc,
// std::runtime_error (the system limits the address space).
Simulation simulate(const SimulationRequest& request);
// The same for an algorithm that need not be in the program's table; request.algorithm only selects its bound.
Simulation simulate(const SatAlgorithm& algorithm, const SimulationRequest& request);

}  // namespace gpu::simulated
