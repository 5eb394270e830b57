// The functions of gpu/cuda/intrinsics.cuh, which says what they do, for the simulated GPU.
#pragma once

#include <cstdint>

#include "gpu/simulated/device_code.h"

namespace gpu {

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

}  // namespace gpu
