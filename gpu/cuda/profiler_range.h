// The spans of a context as ranges of a profiler (NVTX): Nsight shows kernels under the names that the program shows. Without
// a profiler a range costs a comparison. Not on the simulated GPU, and nothing where NVTX's headers are missing.
#pragma once

#include <string_view>

namespace gpu {

void push_profiler_range(std::string_view name) noexcept;  // on this thread; allocates nothing
void pop_profiler_range() noexcept;

}  // namespace gpu
