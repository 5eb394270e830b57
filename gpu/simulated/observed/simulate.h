// Runs an algorithm once under observation.
#pragma once

#include "gpu/simulated/simulation.h"

namespace gpu::simulated {

// On a random image, by the kernels of this build, which is an observed one; one call at a time. The settings of the
// simulated GPU are as before afterwards. Throws Fault, std::invalid_argument (no such algorithm, none that can be
// simulated, an impossible width or latency), ArgumentError, std::bad_alloc.
Simulation simulate(const SimulationRequest& request);

}  // namespace gpu::simulated
