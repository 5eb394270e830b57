// Asynchronous copies from global to shared memory (PTX ISA, "cp.async"): a thread starts them and waits for them later. The
// bytes do not pass through registers, so that a thread can have many copies in flight. Before sm_80 they are plain copies.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace gpu::sat {

// `target` in shared, `source` in global memory, both aligned as T is: to 4, 8 or 16 bytes.
template <class T>
__device__ void copy_async(T* target, const T* source) {
#ifndef __CUDACC__
  simulated::copy_async(target, source, sizeof(T));
#elif __CUDA_ARCH__ >= 800
  constexpr int piece = alignof(T);
  static_assert(piece == 4 || piece == 8 || piece == 16);
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(target));
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(T)); i += piece) {
    const auto* from = reinterpret_cast<const char*>(source) + i;
    if constexpr (piece == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to + i), "l"(from), "n"(piece) : "memory");
  }
#else
  *target = *source;
#endif
}

// The same, of 16 bytes that nobody will read again: the L2 cache evicts them first (PTX ISA, "Cache Eviction Priority Hints").
template <class T>
__device__ void copy_async_once(T* target, const T* source) {
  static_assert(sizeof(T) == 16 && alignof(T) == 16);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(target));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "l"(policy)
               : "memory");
#else
  copy_async(target, source);
#endif
}

// Ends a group of copies: those this thread started since the last call.
__device__ inline void commit_async_copies() {
#ifndef __CUDACC__
  simulated::commit_async_copies();
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all of this thread's groups but the latest `Behind` have arrived.
template <int Behind>
__device__ void wait_for_async_copies() {
#ifndef __CUDACC__
  simulated::wait_for_async_copies(Behind);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Behind) : "memory");
#endif
}

// Starts to bring the 128 bytes around `place`, in global memory, into the L2 cache, and does not wait for them.
__device__ inline void fetch_into_l2([[maybe_unused]] const void* place) {
#ifdef __CUDACC__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(place));
#endif
}

}  // namespace gpu::sat
