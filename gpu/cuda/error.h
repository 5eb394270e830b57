// CUDA error handling: one function, no macro.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>

namespace gpu {

// A failed CUDA call. what() reads "gpu/cuda/memory.cpp:31: cudaErrorMemoryAllocation: out of memory".
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::source_location& where);
  cudaError_t code() const { return code_; }
  bool out_of_memory() const { return code_ == cudaErrorMemoryAllocation; }

 private:
  cudaError_t code_;
};

// Throws CudaError unless `code` is cudaSuccess. It also clears the error from the runtime, so that a later, unrelated
// call does not report it again.
void check(cudaError_t code, std::source_location where = std::source_location::current());

}  // namespace gpu
