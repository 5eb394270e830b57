// What shuffles, shared memory and additions cost on the GPU at hand, measured: the inputs of the performance model in
// gpu/simulated/latency_model.h (Chen et al. 2018, sec. V.A, measured likewise).
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "gpu/simulated/latency_model.h"

namespace gpu::benchmarks {

using simulated::GpuLatencies;

// Latencies: clocks per instruction of one warp, in a chain where each needs the result of the one before. Throughputs:
// lanes per clock of one multiprocessor, kept busy by 32 warps of independent chains; from shared memory, each lane loads a
// word of 4 bytes. Work is queued on `stream` of the current GPU, and the function waits for it: a few milliseconds. Throws
// CudaError.
GpuLatencies measure_latencies(cudaStream_t stream);

// A table, and a JSON object: {"machine": "...", "operations": [{"operation", "latency_clocks", "lanes_per_clock"}]}.
std::string latencies_text(const GpuLatencies& gpu);
std::string latencies_json(const GpuLatencies& gpu);

}  // namespace gpu::benchmarks
