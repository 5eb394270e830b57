// Shared memory of a block, asked for in one way on a GPU and on the simulated one (gpu/simulated/), for which there is no
// __shared__.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace gpu {

// One T that all threads of the block share, uninitialised, from here to the kernel's end. Every call with the same T gives
// the same one: a function that needs its own declares a struct of its own.
template <class T>
__device__ __forceinline__ T& static_shared() {
#ifdef SATSCOPE_SIMULATED
  static const char key = 0;
  return *static_cast<T*>(simulated::static_shared_bytes(&key, sizeof(T), alignof(T)));
#else
  __shared__ T shared;
  return shared;
#endif
}

// The bytes that the launch asked for (Grid::shared_bytes), 16-byte aligned.
__device__ __forceinline__ unsigned char* dynamic_shared() {
#ifdef SATSCOPE_SIMULATED
  return simulated::dynamic_shared_bytes();
#else
  extern __shared__ __align__(16) unsigned char dynamic_bytes[];
  return dynamic_bytes;
#endif
}

}  // namespace gpu
