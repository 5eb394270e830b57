// Clears scratch memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gpu {

// Queues the clearing of `bytes` bytes at `data`, rounded up to a multiple of 16; `data` is 16-byte aligned. It is a kernel,
// because in a graph the driver's memset delays the next kernel more than another kernel does, which matters for small
// images. Throws CudaError.
void clear_on_device(void* data, std::size_t bytes, cudaStream_t stream);
const void* clear_kernel();  // its kernel_address()

}  // namespace gpu
