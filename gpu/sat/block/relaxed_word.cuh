// Words of 8 and 16 bytes in global memory that blocks pass to one another. Each is written and read by one instruction, is
// never cached in L1, and is not ordered with any other access (PTX ISA, "Memory Consistency Model": relaxed, .gpu scope).
// 128-bit scalars are single-copy atomic since sm_70.
//
// Image and table stream through the L2 cache and would push these words out of it: whoever waits for a word would then read it
// from DRAM. From sm_80 on they are therefore stored so that the cache evicts other lines first (PTX ISA, "Cache Eviction Priority
// Hints").
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace gpu::sat {

#ifndef __CUDACC__
template <class Word>
void store_word(void* slot, Word word) {
  simulated::store_relaxed(static_cast<Word*>(slot), word);
}
template <class Word>
void load_word(const void* slot, Word& word) {
  word = simulated::load_relaxed(static_cast<const Word*>(slot));
}
#else
#if __CUDA_ARCH__ >= 800
__device__ inline std::uint64_t evicted_last() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline void store_word(void* slot, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.L2::cache_hint.b64 [%0], %1, %2;" ::"l"(slot), "l"(word), "l"(evicted_last())
               : "memory");
}
__device__ inline void store_word(void* slot, unsigned __int128 word) {
  asm volatile("st.relaxed.gpu.global.L2::cache_hint.b128 [%0], %1, %2;" ::"l"(slot), "q"(word), "l"(evicted_last())
               : "memory");
}
#else
__device__ inline void store_word(void* slot, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(slot), "l"(word) : "memory");
}
__device__ inline void store_word(void* slot, unsigned __int128 word) {
  asm volatile("st.relaxed.gpu.global.b128 [%0], %1;" ::"l"(slot), "q"(word) : "memory");
}
#endif
__device__ inline void load_word(const void* slot, std::uint64_t& word) {
  asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(word) : "l"(slot) : "memory");
}
__device__ inline void load_word(const void* slot, unsigned __int128& word) {
  asm volatile("ld.relaxed.gpu.global.b128 %0, [%1];" : "=q"(word) : "l"(slot) : "memory");
}
#endif

}  // namespace gpu::sat
