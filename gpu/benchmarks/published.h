// Overheads over a copy that papers publish, to hold ours against. Of the papers behind the algorithms only one states any:
// Emoto et al. (as `source` says). Bugetti (2024) gives times without a copy's, Chen et al. (2018) and Ha et al. (2012)
// figures of speed-ups, Nakano (2013) no measurements.
#pragma once

#include <optional>
#include <string_view>

#include "gpu/sat.h"

namespace gpu::benchmarks {

inline constexpr std::string_view published_source = "Emoto et al. 2018, Table III: NVIDIA TITAN V, best W, over cudaMemcpy";

// In percent, of the paper's own implementation on its GPU; empty where it has none of that type and size.
std::optional<double> published_overhead(std::string_view algorithm, SatType type, Size size);

}  // namespace gpu::benchmarks
