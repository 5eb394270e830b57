// Atomics on global and shared memory (CUDA C++ Programming Guide, "Atomic Functions"), of the types for which CUDA has them. Each
// takes effect for all threads: the forms for a block and for the system are the same here.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "gpu/simulated/device_code.h"
#include "warp_functions.h"

namespace gpu::simulated {

template <class T>
[[gnu::always_inline]] inline T change_word(T* at, AtomicOperation operation, T operand, T expected = T{}) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto word = [](T value) { return std::bit_cast<Word>(value); };
  return std::bit_cast<T>(atomic_change(reinterpret_cast<Word*>(at), {operation, word(operand), word(expected)}));
}

}  // namespace gpu::simulated

template <class T>
[[gnu::always_inline]] inline T atomicAdd(T* at, std::type_identity_t<T> value) {
  static_assert(
      gpu::simulated::one_of<T, int, unsigned, unsigned long long, float, double>,
      "CUDA has atomicAdd() for int, unsigned, unsigned long long, float and double: cast the address to one of these");
  return gpu::simulated::change_word(
      at, std::is_floating_point_v<T> ? gpu::simulated::AtomicOperation::add_float : gpu::simulated::AtomicOperation::add,
      value);
}
template <class T>
[[gnu::always_inline]] inline T atomicSub(T* at, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, int, unsigned>,
                "CUDA has atomicSub() for int and unsigned: cast the address to one of these");
  const auto opposite = static_cast<T>(0u - static_cast<unsigned>(value));
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::add, opposite);
}
template <class T>
[[gnu::always_inline]] inline T atomicExch(T* at, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, int, unsigned, unsigned long long, float>,
                "CUDA has atomicExch() for int, unsigned, unsigned long long and float: cast the address to one of these");
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::exchange, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicMin(T* at, std::type_identity_t<T> value) {
  static_assert(
      gpu::simulated::one_of<T, int, unsigned, long long, unsigned long long>,
      "CUDA has atomicMin() for int, unsigned, long long and unsigned long long: cast the address to one of these");
  return gpu::simulated::change_word(
      at, std::is_signed_v<T> ? gpu::simulated::AtomicOperation::minimum_signed : gpu::simulated::AtomicOperation::minimum,
      value);
}
template <class T>
[[gnu::always_inline]] inline T atomicMax(T* at, std::type_identity_t<T> value) {
  static_assert(
      gpu::simulated::one_of<T, int, unsigned, long long, unsigned long long>,
      "CUDA has atomicMax() for int, unsigned, long long and unsigned long long: cast the address to one of these");
  return gpu::simulated::change_word(
      at, std::is_signed_v<T> ? gpu::simulated::AtomicOperation::maximum_signed : gpu::simulated::AtomicOperation::maximum,
      value);
}
template <class T>
[[gnu::always_inline]] inline T atomicAnd(T* at, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, int, unsigned, unsigned long long>,
                "CUDA has atomicAnd() for int, unsigned and unsigned long long: cast the address to one of these");
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::bit_and, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicOr(T* at, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, int, unsigned, unsigned long long>,
                "CUDA has atomicOr() for int, unsigned and unsigned long long: cast the address to one of these");
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::bit_or, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicXor(T* at, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, int, unsigned, unsigned long long>,
                "CUDA has atomicXor() for int, unsigned and unsigned long long: cast the address to one of these");
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::bit_xor, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicInc(T* at, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, unsigned>, "CUDA has atomicInc() for unsigned: cast the address to one of these");
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::increment, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicDec(T* at, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, unsigned>, "CUDA has atomicDec() for unsigned: cast the address to one of these");
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::decrement, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  static_assert(gpu::simulated::one_of<T, int, unsigned, unsigned long long>,
                "atomicCAS() takes int, unsigned and unsigned long long: cast the address, and the values by "
                "__float_as_int() and the like");
  return gpu::simulated::change_word(at, gpu::simulated::AtomicOperation::compare_exchange, value, expected);
}

template <class T>
[[gnu::always_inline]] inline T atomicAdd_block(T* at, std::type_identity_t<T> value) {
  return atomicAdd(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicSub_block(T* at, std::type_identity_t<T> value) {
  return atomicSub(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicExch_block(T* at, std::type_identity_t<T> value) {
  return atomicExch(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicMin_block(T* at, std::type_identity_t<T> value) {
  return atomicMin(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicMax_block(T* at, std::type_identity_t<T> value) {
  return atomicMax(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicAnd_block(T* at, std::type_identity_t<T> value) {
  return atomicAnd(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicOr_block(T* at, std::type_identity_t<T> value) {
  return atomicOr(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicXor_block(T* at, std::type_identity_t<T> value) {
  return atomicXor(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicInc_block(T* at, std::type_identity_t<T> value) {
  return atomicInc(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicDec_block(T* at, std::type_identity_t<T> value) {
  return atomicDec(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicCAS_block(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return atomicCAS(at, expected, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicAdd_system(T* at, std::type_identity_t<T> value) {
  return atomicAdd(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicSub_system(T* at, std::type_identity_t<T> value) {
  return atomicSub(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicExch_system(T* at, std::type_identity_t<T> value) {
  return atomicExch(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicMin_system(T* at, std::type_identity_t<T> value) {
  return atomicMin(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicMax_system(T* at, std::type_identity_t<T> value) {
  return atomicMax(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicAnd_system(T* at, std::type_identity_t<T> value) {
  return atomicAnd(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicOr_system(T* at, std::type_identity_t<T> value) {
  return atomicOr(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicXor_system(T* at, std::type_identity_t<T> value) {
  return atomicXor(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicInc_system(T* at, std::type_identity_t<T> value) {
  return atomicInc(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicDec_system(T* at, std::type_identity_t<T> value) {
  return atomicDec(at, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicCAS_system(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return atomicCAS(at, expected, value);
}
