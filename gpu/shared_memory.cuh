// Shared memory of a block, declared in the same way for a GPU and for the simulated one (gpu/simulated/), which has no
// __shared__.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace gpu {

// One T that all threads of the block share, uninitialised, until the end of the kernel. Every call with the same T returns
// the same object: a function that needs its own declares a struct of its own.
template <class T>
__device__ __forceinline__ T& static_shared() {
#ifndef __CUDACC__
  static const char key = 0;
  return *static_cast<T*>(simulated::static_shared_bytes(&key, sizeof(T), alignof(T)));
#else
  __shared__ T shared;
  return shared;
#endif
}

// The dynamic bytes of the launch (Grid::shared_bytes), 16-byte aligned.
__device__ __forceinline__ unsigned char* dynamic_shared() {
#ifndef __CUDACC__
  return simulated::dynamic_shared_bytes();
#else
  extern __shared__ __align__(16) unsigned char dynamic_bytes[];
  return dynamic_bytes;
#endif
}

}  // namespace gpu
