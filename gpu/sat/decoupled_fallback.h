// For tests: decoupled_fallback whose first blocks take the last tiles, so that nearly every block needs the fallback if not all
// are resident. Not one of sat_algorithms().
#pragma once

#include "gpu/sat.h"

namespace gpu::sat {

extern const SatAlgorithm sat_decoupled_fallback_backward;

}  // namespace gpu::sat
