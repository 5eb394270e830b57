// The operations of a warp (CUDA C++ Programming Guide, "Warp Vote", "Match", "Reduce" and "Shuffle Functions"), for lanes that a mask
// names. Each passes its source location, which return addresses in an optimised program do not identify.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "gpu/simulated/device_code.h"

using gpu::simulated::Source;

inline void __syncwarp(unsigned mask = 0xffffffffu, Source source = Source::current()) {
  gpu::simulated::sync_warp(mask, source);
}
// The lanes that run this together. In random schedules perhaps not all that could: CUDA does not promise it.
inline unsigned __activemask(Source source = Source::current()) { return gpu::simulated::warp_active(source); }

inline unsigned __ballot_sync(unsigned mask, int predicate, Source source = Source::current()) {
  return gpu::simulated::ballot(mask, predicate != 0, source);
}
inline int __any_sync(unsigned mask, int predicate, Source source = Source::current()) {
  return gpu::simulated::ballot(mask, predicate != 0, source) != 0;
}
inline int __all_sync(unsigned mask, int predicate, Source source = Source::current()) {
  return gpu::simulated::ballot(mask, predicate == 0, source) == 0;
}

namespace gpu::simulated {

template <class T, class... Of>
constexpr bool one_of = (std::is_same_v<T, Of> || ...);
// What CUDA's operations on words of 4 and 8 bytes take.
template <class T>
constexpr bool word_type = one_of<T, int, unsigned, long, unsigned long, long long, unsigned long long, float, double>;

template <class T>
std::uint64_t bits_of(T value) {
  static_assert(
      word_type<T>,
      "warp operations take int, unsigned, long, long long, their unsigned forms, float and double: convert the value, "
      "or exchange the members of a struct one by one");
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (word_type<T>)
    return std::bit_cast<std::uint64_t>(value);
  else
    return 0;
}
template <class T>
T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  else if constexpr (word_type<T>)
    return std::bit_cast<T>(bits);
  else
    return {};
}

// Smaller integers become int, as in CUDA.
template <class T>
auto shuffle(unsigned mask, T value, int from, Source source) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < 4) {
    return shuffle(mask, static_cast<int>(value), from, source);
  } else {
    return from_bits<T>(shuffle_bits(mask, bits_of(value), from, source));
  }
}

// All lanes combine in their order.
template <class T, class Combine>
T reduce_lanes(unsigned mask, T value, Combine combine, Source source) {
  const auto all = warp_exchange(mask, bits_of(value), WarpExchange::reduction, source);
  auto rest = all.lanes;
  T result = from_bits<T>(all.value[std::countr_zero(rest)]);
  while ((rest &= rest - 1) != 0) result = combine(result, from_bits<T>(all.value[std::countr_zero(rest)]));
  return result;
}

}  // namespace gpu::simulated

// `width` is a power of two; a lane whose source lies outside its segment reads its own value.
template <class T>
auto __shfl_sync(unsigned mask, T value, int from, int width = 32, Source source = Source::current()) {
  const int lane = gpu::simulated::lane();
  return gpu::simulated::shuffle(mask, value, (lane & ~(width - 1)) + (from & (width - 1)), source);
}
template <class T>
auto __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, Source source = Source::current()) {
  const int lane = gpu::simulated::lane(), from = lane - static_cast<int>(delta);
  return gpu::simulated::shuffle(mask, value, from < (lane & ~(width - 1)) ? lane : from, source);
}
template <class T>
auto __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, Source source = Source::current()) {
  const int lane = gpu::simulated::lane(), from = lane + static_cast<int>(delta);
  return gpu::simulated::shuffle(mask, value, from >= (lane & ~(width - 1)) + width ? lane : from, source);
}
template <class T>
auto __shfl_xor_sync(unsigned mask, T value, int other, int width = 32, Source source = Source::current()) {
  const int lane = gpu::simulated::lane(), from = lane ^ other;
  return gpu::simulated::shuffle(mask, value, from >= (lane & ~(width - 1)) + width ? lane : from, source);
}

// The lanes that have brought the same bits.
template <class T>
unsigned __match_any_sync(unsigned mask, T value, Source source = Source::current()) {
  const auto mine = gpu::simulated::bits_of(value);
  const auto all = gpu::simulated::warp_exchange(mask, mine, gpu::simulated::WarpExchange::match, source);
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; ++lane) same |= (all.lanes >> lane & unsigned{all.value[lane] == mine}) << lane;
  return same;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all_same, Source source = Source::current()) {
  const auto mine = gpu::simulated::bits_of(value);
  const auto all = gpu::simulated::warp_exchange(mask, mine, gpu::simulated::WarpExchange::match, source);
  *all_same = 1;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (all.lanes >> lane & 1 && all.value[lane] != mine) *all_same = 0;
  return *all_same ? all.lanes : 0;
}

template <class T>
T __reduce_add_sync(unsigned mask, T value, Source source = Source::current()) {
  static_assert(gpu::simulated::one_of<T, int, unsigned>,
                "__reduce_add_sync() takes int and unsigned: reduce others by shuffles");
  const auto add = [](T a, T b) { return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); };
  return gpu::simulated::reduce_lanes(mask, value, add, source);
}
template <class T>
T __reduce_min_sync(unsigned mask, T value, Source source = Source::current()) {
  static_assert(gpu::simulated::one_of<T, int, unsigned>,
                "__reduce_min_sync() takes int and unsigned: reduce others by shuffles");
  return gpu::simulated::reduce_lanes(
      mask, value, [](T a, T b) { return b < a ? b : a; }, source);
}
template <class T>
T __reduce_max_sync(unsigned mask, T value, Source source = Source::current()) {
  static_assert(gpu::simulated::one_of<T, int, unsigned>,
                "__reduce_max_sync() takes int and unsigned: reduce others by shuffles");
  return gpu::simulated::reduce_lanes(
      mask, value, [](T a, T b) { return a < b ? b : a; }, source);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, Source source = Source::current()) {
  return gpu::simulated::reduce_lanes(
      mask, value, [](unsigned a, unsigned b) { return a & b; }, source);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, Source source = Source::current()) {
  return gpu::simulated::reduce_lanes(
      mask, value, [](unsigned a, unsigned b) { return a | b; }, source);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, Source source = Source::current()) {
  return gpu::simulated::reduce_lanes(
      mask, value, [](unsigned a, unsigned b) { return a ^ b; }, source);
}
