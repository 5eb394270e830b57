// For tests: algorithms with a fallback whose first blocks take the last tiles and have no patience: those that start first need
// the fallback. Not among sat_algorithms(). Defined in gpu/sat/sat_decoupled_fallback.cu and sat_row_waves.cu.
#pragma once

#include "gpu/sat.h"

namespace gpu::sat {

extern const SatAlgorithm sat_decoupled_fallback_backward, sat_row_waves_backward;

}  // namespace gpu::sat
