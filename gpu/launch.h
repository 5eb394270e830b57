// Starts kernels: the only place that passes a kernel and its arguments to CUDA, or to the simulated GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gpu/error.h"

namespace gpu {

struct Grid {
  dim3 grid, block;
  std::size_t shared_bytes = 0;  // dynamic shared memory per block
  bool cooperative = false;      // all blocks are resident at once, so that they may wait for each other in any order
};

// A kernel's address, by which CUDA's runtime identifies it.
template <class... Parameters>
const void* kernel_address(void (*kernel)(Parameters...)) {
#ifdef SATSCOPE_SIMULATED
  return simulated::kernel_address(kernel);
#else
  return reinterpret_cast<const void*>(kernel);
#endif
}

// Calls f(address, pointers) with the kernel's address and an array of pointers to the arguments, which are converted to the
// types of its parameters; the pointers are valid during the call.
template <class F, class... Parameters, class... Args>
void with_kernel_arguments(F&& f, void (*kernel)(Parameters...), Args&&... args) {
  std::tuple<std::remove_cv_t<Parameters>...> values(std::forward<Args>(args)...);
  std::apply(
      [&](auto&... value) {
        void* pointers[] = {static_cast<void*>(&value)..., nullptr};
        f(kernel_address(kernel), pointers);
      },
      values);
}

// Queues a kernel. A cooperative launch of more blocks than there is room for is an error.
inline cudaError_t queue_kernel(cudaStream_t stream, const void* kernel, const Grid& shape, void** arguments) {
  if (shape.cooperative)
    return cudaLaunchCooperativeKernel(kernel, shape.grid, shape.block, arguments, shape.shared_bytes, stream);
  return cudaLaunchKernel(kernel, shape.grid, shape.block, arguments, shape.shared_bytes, stream);
}

// How many blocks of the kernel the calling thread's current device has room for at once. Throws CudaError.
inline int room_for_blocks([[maybe_unused]] const void* kernel, [[maybe_unused]] int threads,
                           [[maybe_unused]] std::size_t shared_bytes) {
#ifdef SATSCOPE_SIMULATED
  return simulated::room_for_blocks();
#else
  int device = 0, multiprocessors = 0, blocks = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
  return blocks * multiprocessors;
#endif
}

// Queues a kernel on `stream`. For code without a Context: tests, benchmarks. Throws CudaError.
template <class... Parameters, class... Args>
void launch_kernel(cudaStream_t stream, void (*kernel)(Parameters...), const Grid& shape, Args&&... args) {
  with_kernel_arguments([&](const void* address, void** pointers) { check(queue_kernel(stream, address, shape, pointers)); },
                        kernel, std::forward<Args>(args)...);
}

}  // namespace gpu
