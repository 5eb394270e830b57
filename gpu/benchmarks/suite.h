// Runs every cell of the table: for each type and size the bounds, then each algorithm with its fastest parameters.
#pragma once

#include <atomic>

#include "gpu/benchmarks/bench_options.h"
#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

// Returns what was measured, even if `stop` was set or a cell failed. Throws CudaError if the GPU cannot be used any more.
Results run_suite(const Options& options, const std::atomic<bool>& stop);

}  // namespace gpu::benchmarks
