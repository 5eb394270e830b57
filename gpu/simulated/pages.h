// Memory by the page, straight from the system: ranges of addresses of which only touched pages cost anything.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace gpu::simulated {

// Zeroed. Throws std::bad_alloc. munmap() gives it back.
inline void* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

}  // namespace gpu::simulated
