// For tests: algorithms with a fallback whose first blocks take the last tiles and have no patience: those that start first need
// the fallback; and one_wave, whose blocks have no patience. Not among sat_algorithms(). Defined in gpu/sat/, each beside the
// algorithm.
#pragma once

#include "gpu/sat.h"

namespace gpu::sat {

extern const SatAlgorithm sat_decoupled_fallback_backward, sat_row_waves_backward, sat_one_wave_impatient;

}  // namespace gpu::sat
