#include "gpu/cuda/memory.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "gpu/cuda/error.h"

namespace gpu::detail {
namespace {

// The alignment of cudaMalloc; on the host it also suffices for SIMD vectors and cache lines.
constexpr std::size_t alignment = 256;

constexpr std::size_t huge_page = std::size_t{2} << 20;

// Large images request huge pages: with small pages a table causes a page fault per page at first, and many TLB misses
// later.
void* allocate_host(std::size_t bytes) {
  const std::size_t align = bytes >= 2 * huge_page ? huge_page : alignment;
  void* data = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (!data) throw std::bad_alloc();
  if (align == huge_page) madvise(data, bytes, MADV_HUGEPAGE);  // only advice: it does not matter if it fails
  return data;
}

}  // namespace

void* allocate(std::size_t bytes, Device device) {
  if (bytes == 0) return nullptr;
  if (!is_gpu(device)) return allocate_host(bytes);
  void* data = nullptr;
  check(cudaMalloc(&data, bytes));
  return data;
}

void release(void* data, Device device) noexcept {
  if (!is_gpu(device))
    std::free(data);
  else
    cudaFree(data);
}

void* allocate_pinned(std::size_t bytes, bool locked) {
  if (bytes == 0) return nullptr;
  if (!locked) return allocate_host(bytes);
  void* data = nullptr;
  check(cudaHostAlloc(&data, bytes, cudaHostAllocPortable));
  return data;
}

void release_pinned(void* data, bool locked) noexcept {
  if (!locked)
    std::free(data);
  else if (data)
    cudaFreeHost(data);
}

}  // namespace gpu::detail
