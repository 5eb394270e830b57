#include "gpu/memory.h"

#include <cuda_runtime_api.h>

#include <new>

#include "gpu/error.h"

namespace gpu::detail {
namespace {

// cudaMalloc's own alignment; on the host it also keeps SIMD rows and cache lines whole.
constexpr std::align_val_t alignment{256};

}  // namespace

void* allocate(std::size_t bytes, Device device) {
  if (bytes == 0) return nullptr;
  if (device == Device::host) return ::operator new(bytes, alignment);
  void* data = nullptr;
  check(cudaMalloc(&data, bytes));
  return data;
}

void release(void* data, Device device) noexcept {
  if (device == Device::host)
    ::operator delete(data, alignment);
  else
    cudaFree(data);
}

void* allocate_pinned(std::size_t bytes, bool locked) {
  if (bytes == 0) return nullptr;
  if (!locked) return ::operator new(bytes, alignment);
  void* data = nullptr;
  check(cudaHostAlloc(&data, bytes, cudaHostAllocPortable));
  return data;
}

void release_pinned(void* data, bool locked) noexcept {
  if (!locked)
    ::operator delete(data, alignment);
  else if (data)
    cudaFreeHost(data);
}

}  // namespace gpu::detail
