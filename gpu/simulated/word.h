// Words of 8 and 16 bytes, read and written indivisibly and unordered, like a GPU's relaxed loads and stores.
#pragma once

#include <cstdint>

namespace gpu::simulated {

inline std::uint64_t load_word_once(const std::uint64_t* at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
inline void store_word_once(std::uint64_t* at, std::uint64_t word) { __atomic_store_n(at, word, __ATOMIC_RELAXED); }

#if defined(__x86_64__)
namespace detail {

// Processors with AVX move aligned 16 bytes indivisibly (Intel SDM vol. 3A, sec. 9.1.1; AMD states the same).
inline bool vectors_are_whole() {
  static const bool whole = __builtin_cpu_supports("avx");
  return whole;
}
// Others have CMPXCHG16B. It writes the new word if it found the expected one, otherwise the word that it found.
inline bool exchange_16(unsigned __int128* at, unsigned __int128& expected, unsigned __int128 desired) {
  auto low = static_cast<std::uint64_t>(expected), high = static_cast<std::uint64_t>(expected >> 64);
  bool done = false;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(*at), "+a"(low), "+d"(high)
               : "b"(static_cast<std::uint64_t>(desired)), "c"(static_cast<std::uint64_t>(desired >> 64))
               : "memory");
  expected = static_cast<unsigned __int128>(high) << 64 | low;
  return done;
}
inline unsigned __int128 load_16_by_exchange(const unsigned __int128* at) {
  unsigned __int128 word = 0;
  exchange_16(const_cast<unsigned __int128*>(at), word, 0);
  return word;
}
inline void store_16_by_exchange(unsigned __int128* at, unsigned __int128 word) {
  unsigned __int128 before = 0;
  while (!exchange_16(at, before, word)) {}
}

}  // namespace detail

inline unsigned __int128 load_word_once(const unsigned __int128* at) {
  if (!detail::vectors_are_whole()) return detail::load_16_by_exchange(at);
  unsigned __int128 word;
  asm volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0" : "=m"(word) : "m"(*at) : "xmm0");
  return word;
}
inline void store_word_once(unsigned __int128* at, unsigned __int128 word) {
  if (!detail::vectors_are_whole()) return detail::store_16_by_exchange(at, word);
  asm volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0" : "=m"(*at) : "m"(word) : "xmm0");
}
#else
// libatomic's functions, indivisible on every processor, by a lock if necessary.
inline unsigned __int128 load_word_once(const unsigned __int128* at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
inline void store_word_once(unsigned __int128* at, unsigned __int128 word) { __atomic_store_n(at, word, __ATOMIC_RELAXED); }
#endif

}  // namespace gpu::simulated
