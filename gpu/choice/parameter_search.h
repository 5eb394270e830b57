// The fastest parameters of an algorithm, by trying every combination of its choices and a search along real parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/parameter.h"

namespace gpu {

// Every combination of choices, and of a few values of each real parameter from its minimum to its maximum; the initial
// combination first. Parameters named in `fixed` keep their values in `initial`.
std::vector<Arguments> combinations(const Arguments& initial, const std::vector<std::string>& fixed);

// Every combination of the texts that `values` gives for each parameter; one for which it gives none keeps its value.
std::vector<Arguments> combinations_of(const Arguments& initial,
                                       const std::function<std::vector<std::string>(const Parameter&)>& values);

// The combination with the smallest `time`; then, along each real parameter, the best of its neighbours at half the
// distance, and so on down to the parameter's step. A time of infinity: the combination does not run. If there is only one
// combination, `time` is not called.
Arguments find_fastest(const Arguments& initial, const std::vector<std::string>& fixed,
                       const std::function<double(const Arguments&)>& time);

}  // namespace gpu
