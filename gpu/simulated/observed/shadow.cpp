#include "gpu/simulated/observed/shadow.h"

#include <sys/mman.h>

#include "gpu/simulated/pages.h"

namespace gpu::simulated {

ShadowMemory::ShadowMemory(std::size_t bytes) : bytes_(bytes / word_bytes * sizeof(ShadowCell)) {
  cells_ = static_cast<ShadowCell*>(reserve_addresses(bytes_));  // zero: a cell of an untouched word
}

ShadowMemory::~ShadowMemory() { munmap(cells_, bytes_); }

void ShadowMemory::clear() { madvise(cells_, bytes_, MADV_DONTNEED); }

}  // namespace gpu::simulated
