// Whether the work that is queued on a stream becomes part of a graph, instead of running.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/error.h"

namespace gpu {

// Throws CudaError.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace gpu
