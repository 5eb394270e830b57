// What kernels ask of the hardware beyond CUDA C++, mostly one PTX instruction each (PTX ISA, by the names in quotes), and shared
// memory. At the end the same functions for the simulated GPU: who calls them does not know which. (Stores to surfaces are in
// gpu/pictures/canvas.h.)
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifndef __CUDACC__
#include "gpu/simulated/device_code.h"
#endif

namespace gpu {

#ifdef __CUDACC__

// Shared memory.

// One T that all threads of the block share, uninitialised, until the end of the kernel. Every call with the same T returns
// the same object: a function that needs its own declares a struct of its own.
template <class T>
__device__ __forceinline__ T& static_shared() {
  __shared__ T shared;
  return shared;
}

// The dynamic bytes of the launch (Grid::shared_bytes), 16-byte aligned.
__device__ __forceinline__ unsigned char* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char dynamic_bytes[];
  return dynamic_bytes;
}

// Asynchronous copies from global to shared memory ("cp.async"): a thread starts them and waits for them later. The bytes do not
// pass through registers, so that a thread can have many copies in flight. Before sm_80 they are plain copies.

// `target` in shared, `source` in global memory, both aligned as T is: to 4, 8 or 16 bytes.
template <class T>
__device__ void copy_async(T* target, const T* source) {
#if __CUDA_ARCH__ >= 800
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

// The same, of 16 bytes that nobody will read again: the L2 cache evicts them first ("Cache Eviction Priority Hints").
template <class T>
__device__ void copy_async_once(T* target, const T* source) {
  static_assert(sizeof(T) == 16 && alignof(T) == 16);
#if __CUDA_ARCH__ >= 800
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
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all of this thread's groups but the latest `Behind` have arrived.
template <int Behind>
__device__ void wait_for_async_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Behind) : "memory");
#endif
}

// The L2 cache.

// Starts to bring the 128 bytes around `place`, in global memory, into the L2 cache, and does not wait for them ("prefetch").
__device__ inline void fetch_into_l2(const void* place) { asm volatile("prefetch.global.L2 [%0];" ::"l"(place)); }

// Stores what no kernel reads soon, past other lines of the L2 cache. `target` is aligned to 16 bytes.
template <class T>
__device__ void store_once(T* target, const T& value) {
  static_assert(sizeof(T) % sizeof(uint4) == 0);
  uint4 pieces[sizeof(T) / sizeof(uint4)];
  memcpy(pieces, &value, sizeof value);
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(T) / sizeof(uint4)); ++i)
    __stcs(reinterpret_cast<uint4*>(target) + i, pieces[i]);
}

// Words of 8 and 16 bytes in global memory that blocks pass to one another. Each is written and read by one instruction, is
// never cached in L1, and is not ordered with any other access ("Memory Consistency Model": relaxed, .gpu scope). 128-bit scalars
// are single-copy atomic since sm_70.
//
// Image and table stream through the L2 cache and would push these words out of it: whoever waits for a word would then read it
// from DRAM. From sm_80 on they are therefore stored so that the cache evicts other lines first ("Cache Eviction Priority Hints").
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

// How often a thread polls in vain for a word before its block stops waiting: on a GPU as often as takes milliseconds, many times
// as long as any tile; on the simulated GPU `simulated` times, since it reports a deadlock when all blocks have polled in vain some
// times.
constexpr int polls_in_vain([[maybe_unused]] int simulated) { return 5000; }

// Dependent launches (Start::dependent; "griddepcontrol"). Before sm_90 both functions do nothing.

// By all threads of the kernel: once every block has called this or has ended, the next launch may start. Where that reads before
// it waits, this comes after wait_for_previous_launch().
__device__ inline void let_next_launch_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Until the launch before this one has ended and all that it wrote can be seen. A kernel whose launch is dependent calls this in
// every thread, even if it needs nothing of the one before: the launch after it counts on it.
__device__ inline void wait_for_previous_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Tensor cores.

// sums += A B, by all lanes of a warp: A has 16 rows of 32 bytes, B has 32 rows of 8 bytes, and sums wrap around ("mma.sync",
// m16n8k32, .u8). What lane 4 g + t holds, first byte first:
//   a[0], a[1]  columns 4 t .. 4 t + 3 of A in row g, and in row g + 8    a[2], a[3]  columns 16 + 4 t .. of the same rows
//   b[0], b[1]  rows 4 t .. 4 t + 3 and 16 + 4 t .. of B in column g
//   sums        columns 2 t and 2 t + 1 of row g, then those of row g + 8
// Turing's tensor cores multiply a quarter of it at a time, in fragments that are parts of these.
__device__ inline void add_product(std::uint32_t (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(sums[i % 2 * 2]), "+r"(sums[i % 2 * 2 + 1])
                 : "r"(a[i]), "r"(b[i / 2]));
#endif
}

// Time and place.

// The clock of the whole device, in nanoseconds ("%globaltimer").
__device__ inline std::uint64_t device_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

// The number of the multiprocessor that runs this block ("%smid").
__device__ inline std::uint32_t multiprocessor() {
  std::uint32_t number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

// For so many clocks of the multiprocessor. No time passes on the simulated GPU.
__device__ inline void wait_for_clocks(long long clocks) {
  const long long begun = clock64();
  while (clock64() - begun < clocks) {}
}

#else  // the simulated GPU

template <class T>
T& static_shared() {
  static const char key = 0;
  return *static_cast<T*>(simulated::static_shared_bytes(&key, sizeof(T), alignof(T)));
}
inline unsigned char* dynamic_shared() { return simulated::dynamic_shared_bytes(); }

template <class T>
void copy_async(T* target, const T* source) {
  simulated::copy_async(target, source, sizeof(T), alignof(T));
}
template <class T>
void copy_async_once(T* target, const T* source) {
  static_assert(sizeof(T) == 16 && alignof(T) == 16);
  copy_async(target, source);
}
inline void commit_async_copies() { simulated::commit_async_copies(); }
template <int Behind>
void wait_for_async_copies() {
  simulated::wait_for_async_copies(Behind);
}

inline void fetch_into_l2(const void*) {}
template <class T>
void store_once(T* target, const T& value) {
  simulated::require_aligned(target, 16);
  *target = value;
}

template <class Word>
void store_word(void* slot, Word word) {
  simulated::store_relaxed(static_cast<Word*>(slot), word);
}
template <class Word>
void load_word(const void* slot, Word& word) {
  word = simulated::load_relaxed(static_cast<const Word*>(slot));
}
constexpr int polls_in_vain(int simulated) { return simulated; }

inline void let_next_launch_start() { simulated::let_next_launch_start(); }
inline void wait_for_previous_launch() { simulated::wait_for_previous_launch(); }

inline void add_product(std::uint32_t (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                        simulated::Source source = simulated::Source::current()) {
  simulated::add_product(sums, a, b, source);
}

inline std::uint64_t device_nanoseconds() { return simulated::nanoseconds(); }
inline std::uint32_t multiprocessor() { return simulated::multiprocessor(); }
inline void wait_for_clocks(long long) {}

#endif

}  // namespace gpu
