// Published overheads over a copy, for comparison with ours. Of the papers behind the algorithms only Emoto et al. state any
// (published_source). Bugetti (2024) gives times without that of a copy, Chen et al. (2018) and Ha et al. (2012) give
// diagrams of speed-ups, Nakano (2013) no measurements.
#pragma once

#include <optional>
#include <string_view>

#include "gpu/sat.h"

namespace gpu::benchmarks {

inline constexpr std::string_view published_source = "Emoto et al. 2018, Table III: NVIDIA TITAN V, best W, over cudaMemcpy";

// In percent, of the paper's own implementation on its GPU; empty if the paper has none for that type and size.
std::optional<double> published_overhead(std::string_view algorithm, SatType type, Size size);

}  // namespace gpu::benchmarks
