#include "gpu/simulated/observed/shadow.h"

#include <sys/mman.h>

#include <new>

namespace gpu::simulated {

ShadowMemory::ShadowMemory(std::size_t bytes) : bytes_(bytes / word_bytes * sizeof(ShadowCell)) {
  void* range = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  cells_ = static_cast<ShadowCell*>(range);  // zeros are cells that nobody has touched
}

ShadowMemory::~ShadowMemory() { munmap(cells_, bytes_); }

void ShadowMemory::clear() { madvise(cells_, bytes_, MADV_DONTNEED); }

}  // namespace gpu::simulated
