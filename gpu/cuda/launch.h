// Starts kernels: the only place that passes a kernel and its arguments to CUDA, or to the simulated GPU. And the kernel that
// clears memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gpu/cuda/error.h"

namespace gpu {

// When a kernel starts.
//
//   in_order     once the one before it has ended
//   cooperative  the same, and all its blocks are resident at once, so that they may wait for each other in any order; a
//                launch of more blocks than there is room for is an error
//   dependent    while the one before it, which is of the same run, may still run (CUDA C++ Programming Guide, "Programmatic
//                Dependent Launch"). Every thread calls wait_for_previous_launch() (intrinsics.cuh) before it writes what
//                kernels of the run may still use, and before it reads what they wrote. What was there before the run may be
//                read at once: a run's first launch is not dependent, and a kernel lets the next one start after its own wait.
//                Where the GPU or the build cannot, it starts in order.
enum class Start { in_order, cooperative, dependent };

struct Grid {
  dim3 grid, block;
  std::size_t shared_bytes = 0;  // dynamic shared memory per block
  Start start = Start::in_order;
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

// Queues a kernel. Throws CudaError.
void queue_kernel(cudaStream_t stream, const void* kernel, const Grid& shape, void** arguments);

// How many blocks of the kernel the calling thread's current device has room for at once. Throws CudaError.
int room_for_blocks(const void* kernel, int threads, std::size_t shared_bytes);

// Whether the work that is queued on a stream becomes part of a graph, instead of running. Throws CudaError.
bool is_captured(cudaStream_t stream);

// Queues a kernel on `stream`. For code without a Context: tests, benchmarks. Throws CudaError.
template <class... Parameters, class... Args>
void launch_kernel(cudaStream_t stream, void (*kernel)(Parameters...), const Grid& shape, Args&&... args) {
  with_kernel_arguments([&](const void* address, void** pointers) { queue_kernel(stream, address, shape, pointers); },
                        kernel, std::forward<Args>(args)...);
}

// Queues the clearing of `bytes` bytes at `data`, rounded up to a multiple of 16; `data` is 16-byte aligned. It is a kernel,
// because in a graph the driver's memset delays the next kernel more than another kernel does, which matters for small
// images. Throws CudaError.
void clear_on_device(void* data, std::size_t bytes, cudaStream_t stream);
const void* clear_kernel();  // its kernel_address()

}  // namespace gpu
