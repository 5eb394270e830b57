// For tests: decoupled_fallback whose first blocks take the last tiles and have no patience: those that start first need the
// fallback. Not one of sat_algorithms(). Defined in gpu/sat/sat_decoupled_fallback.cu.
#pragma once

#include "gpu/sat.h"

namespace gpu::sat {

extern const SatAlgorithm sat_decoupled_fallback_backward;

}  // namespace gpu::sat
