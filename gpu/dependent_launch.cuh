// Kernels that start while the one before them is still running: programmatic dependent launch (CUDA Programming Guide; PTX ISA,
// "griddepcontrol"). Starting one then takes no time between the two. The host asks for it by Context::launch_dependent(). Before
// sm_90 both functions do nothing, and launches follow one another.
#pragma once

namespace gpu {

// By all threads of the kernel: once every block has called this or has ended, the next launch may start. Where that reads before
// it waits, this comes after wait_for_previous_launch().
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

}  // namespace gpu
