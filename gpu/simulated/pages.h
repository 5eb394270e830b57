// Memory in pages from the operating system: ranges of addresses in which only touched pages cost memory.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

namespace gpu::simulated {

// Zeroed. Throws std::bad_alloc. munmap() releases it.
inline void* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

// The same for ranges far larger than any memory. A system that limits addresses refuses these even if there is enough
// memory, so that a smaller image would not help: throws std::runtime_error, which names the limit.
inline void* reserve_addresses(std::size_t bytes) try { return map_pages(bytes); } catch (const std::bad_alloc&) {
  rlimit addresses{};
  const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  throw std::runtime_error("the simulated GPU reserves " + std::to_string(bytes >> 30) + " GiB of addresses, which " +
                           (limited ? "this system's limit forbids: raise ulimit -v"
                                    : "this system refuses: set vm.overcommit_memory to 0 or 1"));
}

}  // namespace gpu::simulated
