// The fastest parameters of an algorithm: every combination of its choices, and a search along its real parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/parameter.h"

namespace gpu::benchmarks {

// Every combination of choices, and of a few values of each real parameter from its minimum to its maximum; the initial
// ones first. Parameters named in `fixed` stay as they are in `initial`.
std::vector<Arguments> combinations(const Arguments& initial, const std::vector<std::string>& fixed);

// Of those the one of the least `time`; then, along each real parameter, of its neighbours at half the distance, and so on
// down to the parameter's step. Infinity: it does not run. Where there is nothing to choose, `time` is not called.
Arguments find_fastest(const Arguments& initial, const std::vector<std::string>& fixed,
                       const std::function<double(const Arguments&)>& time);

}  // namespace gpu::benchmarks
