// Programmatic dependent launch (CUDA Programming Guide; PTX ISA, "griddepcontrol"): a kernel is started while the one before it
// is still running, so that starting it takes no time between the two. The host asks for it by Context::launch_dependent(). Before
// sm_90 both functions do nothing, and launches follow one another.
#pragma once

#include <cuda_runtime.h>

namespace gpu::sat {

// By all threads of the kernel: once every block has called this, the next launch may start.
__device__ inline void let_next_launch_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Until the launch before this one has ended and all that it wrote can be seen. A kernel whose launch is dependent calls this in
// every thread, even if it needs nothing of the one before: the launch after it counts on it.
__device__ inline void wait_for_previous_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace gpu::sat
