// Runs every cell of the table: for each type and size the bounds, then each algorithm with its fastest parameters.
#pragma once

#include <atomic>

#include "gpu/benchmarks/bench_options.h"
#include "gpu/benchmarks/results.h"

namespace gpu::benchmarks {

// Returns what was measured, also where `stop` was set or a cell failed. Throws CudaError where the GPU as a whole does.
Results run_suite(const Options& options, const std::atomic<bool>& stop);

}  // namespace gpu::benchmarks
