// What CUDA does on the default stream after a call has returned: cudaMemset(), and cudaMemcpy() from pageable memory. Streams that
// were created as non-blocking do not wait for it. The simulated GPU does it as late as CUDA may: before the next work that waits
// for the default stream, or when the host waits for that. Code that relies on more fails in every run, not just in a few.
#pragma once

#include <cstddef>

namespace gpu::simulated {

void clear_later(void* data, int value, std::size_t bytes);
void copy_later(void* to, const void* from, std::size_t bytes);  // `from` is read now
void finish_default_stream();                                    // does all that is left to do

}  // namespace gpu::simulated
