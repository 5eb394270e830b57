// Arithmetic of device code (CUDA Math API): on bits, conversions, and the functions that libm does not have.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <vector_types.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// As CUDA: of two types also, in the type to which C++ converts both.
using std::max;
using std::min;
namespace gpu::simulated {
template <class A, class B>
concept two_arithmetic_types = std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>;
}
template <class A, class B>
requires gpu::simulated::two_arithmetic_types<A, B>
constexpr auto min(A a, B b) {
  using Both = std::common_type_t<A, B>;
  return std::min(static_cast<Both>(a), static_cast<Both>(b));
}
template <class A, class B>
requires gpu::simulated::two_arithmetic_types<A, B>
constexpr auto max(A a, B b) {
  using Both = std::common_type_t<A, B>;
  return std::max(static_cast<Both>(a), static_cast<Both>(b));
}
inline unsigned umin(unsigned a, unsigned b) { return std::min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return std::max(a, b); }

// Bits and bytes.

// `sum` plus the products of the four bytes of `a` and those of `b`.
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int shift = 0; shift < 32; shift += 8) sum += (a >> shift & 0xffu) * (b >> shift & 0xffu);
  return sum;
}

// `sum` plus the products of the two 16-bit halves of `a` and the two lower, or upper, bytes of `b`.
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
  return sum + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) { return __dp2a_lo(a, b >> 16, sum); }

// The lower word of both, shifted to the right by `bits` modulo 32.
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned bits) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> bits % 32);
}

// Bytes of both words, those of `low` being numbered 0 to 3 and those of `high` 4 to 7: a hexadecimal digit of `which` for each.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned which) {
  const auto both = static_cast<std::uint64_t>(high) << 32 | low;
  unsigned bytes = 0;
  for (unsigned i = 0; i < 4; ++i) bytes |= static_cast<unsigned>(both >> 8 * (which >> 4 * i & 7u) & 0xffu) << 8 * i;
  return bytes;
}

inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned bits) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> std::min(bits, 32u));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned bits) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << bits % 32 >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned bits) {
  return bits >= 32 ? low : __funnelshift_l(low, high, bits);
}

// Signed: the bytes, too.
inline int __dp4a(int a, int b, int sum) {
  const auto byte = [](int word, int shift) { return static_cast<int>(static_cast<std::int8_t>(word >> shift & 0xff)); };
  for (int shift = 0; shift < 32; shift += 8) sum += byte(a, shift) * byte(b, shift);
  return sum;
}

inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __popcll(unsigned long long bits) { return std::popcount(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline int __clzll(long long bits) { return std::countl_zero(static_cast<unsigned long long>(bits)); }
// The place of the lowest bit, from 1 on; 0 if there is none.
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline unsigned __brev(unsigned bits) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (bits >> i & 1u) << (31 - i);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long bits) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(bits))) << 32 |
         __brev(static_cast<unsigned>(bits >> 32));
}

inline int __mul24(int a, int b) {
  const auto low = [](int word) { return static_cast<int>(static_cast<unsigned>(word) << 8) >> 8; };
  return static_cast<int>(static_cast<unsigned>(low(a)) * static_cast<unsigned>(low(b)));
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return static_cast<long long>(static_cast<__int128>(a) * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned __sad(int a, int b, unsigned sum) {
  return sum +
         (a < b ? static_cast<unsigned>(b) - static_cast<unsigned>(a) : static_cast<unsigned>(a) - static_cast<unsigned>(b));
}
inline unsigned __usad(unsigned a, unsigned b, unsigned sum) { return sum + (a < b ? b - a : a - b); }
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<std::int64_t>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<std::int64_t>(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) + b + 1) >> 1);
}

// The same bits.
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline int __double2hiint(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 32); }
inline int __double2loint(double value) { return static_cast<int>(std::bit_cast<std::uint64_t>(value)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low));
}

// Conversions. Suffixes say how they round: _rn to nearest, halves to even; _rz toward zero; _ru up; _rd down. What an integer type
// cannot hold becomes its nearest value, and what is not a number 0.

namespace gpu::simulated {
template <class Integer>
Integer nearest_value(double rounded) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(rounded)) return 0;
  if (rounded <= static_cast<double>(Limits::min())) return Limits::min();
  if (rounded >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Integer>(rounded);
}
}  // namespace gpu::simulated

// The processor's rounding.
inline int __float2int_rn(float value) { return static_cast<int>(std::lrint(value)); }
inline int __float2int_rz(float value) { return gpu::simulated::nearest_value<int>(std::trunc(value)); }
inline int __float2int_ru(float value) { return gpu::simulated::nearest_value<int>(std::ceil(value)); }
inline int __float2int_rd(float value) { return gpu::simulated::nearest_value<int>(std::floor(value)); }
inline unsigned __float2uint_rn(float value) { return gpu::simulated::nearest_value<unsigned>(std::rint(value)); }
inline unsigned __float2uint_rz(float value) { return gpu::simulated::nearest_value<unsigned>(std::trunc(value)); }
inline unsigned __float2uint_ru(float value) { return gpu::simulated::nearest_value<unsigned>(std::ceil(value)); }
inline unsigned __float2uint_rd(float value) { return gpu::simulated::nearest_value<unsigned>(std::floor(value)); }
inline long long __float2ll_rn(float value) { return gpu::simulated::nearest_value<long long>(std::rint(value)); }
inline long long __float2ll_rz(float value) { return gpu::simulated::nearest_value<long long>(std::trunc(value)); }
inline long long __float2ll_ru(float value) { return gpu::simulated::nearest_value<long long>(std::ceil(value)); }
inline long long __float2ll_rd(float value) { return gpu::simulated::nearest_value<long long>(std::floor(value)); }
inline unsigned long long __float2ull_rn(float value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::rint(value));
}
inline unsigned long long __float2ull_rz(float value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::trunc(value));
}
inline unsigned long long __float2ull_ru(float value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::ceil(value));
}
inline unsigned long long __float2ull_rd(float value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::floor(value));
}
inline int __double2int_rn(double value) { return gpu::simulated::nearest_value<int>(std::rint(value)); }
inline int __double2int_rz(double value) { return gpu::simulated::nearest_value<int>(std::trunc(value)); }
inline int __double2int_ru(double value) { return gpu::simulated::nearest_value<int>(std::ceil(value)); }
inline int __double2int_rd(double value) { return gpu::simulated::nearest_value<int>(std::floor(value)); }
inline unsigned __double2uint_rn(double value) { return gpu::simulated::nearest_value<unsigned>(std::rint(value)); }
inline unsigned __double2uint_rz(double value) { return gpu::simulated::nearest_value<unsigned>(std::trunc(value)); }
inline unsigned __double2uint_ru(double value) { return gpu::simulated::nearest_value<unsigned>(std::ceil(value)); }
inline unsigned __double2uint_rd(double value) { return gpu::simulated::nearest_value<unsigned>(std::floor(value)); }
inline long long __double2ll_rn(double value) { return gpu::simulated::nearest_value<long long>(std::rint(value)); }
inline long long __double2ll_rz(double value) { return gpu::simulated::nearest_value<long long>(std::trunc(value)); }
inline long long __double2ll_ru(double value) { return gpu::simulated::nearest_value<long long>(std::ceil(value)); }
inline long long __double2ll_rd(double value) { return gpu::simulated::nearest_value<long long>(std::floor(value)); }
inline unsigned long long __double2ull_rn(double value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::rint(value));
}
inline unsigned long long __double2ull_rz(double value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::trunc(value));
}
inline unsigned long long __double2ull_ru(double value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::ceil(value));
}
inline unsigned long long __double2ull_rd(double value) {
  return gpu::simulated::nearest_value<unsigned long long>(std::floor(value));
}
inline float __int2float_rn(int value) { return static_cast<float>(value); }
inline float __uint2float_rn(unsigned value) { return static_cast<float>(value); }
inline float __ll2float_rn(long long value) { return static_cast<float>(value); }
inline float __ull2float_rn(unsigned long long value) { return static_cast<float>(value); }
inline double __int2double_rn(int value) { return value; }
inline double __uint2double_rn(unsigned value) { return value; }
inline double __ll2double_rn(long long value) { return static_cast<double>(value); }
inline double __ull2double_rn(unsigned long long value) { return static_cast<double>(value); }
inline float __double2float_rn(double value) { return static_cast<float>(value); }

// Floating-point arithmetic, rounded to nearest, and what a GPU approximates: here exact to the last bits.

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float value) { return std::sqrt(value); }
inline float __frcp_rn(float value) { return 1 / value; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double value) { return std::sqrt(value); }
inline double __drcp_rn(double value) { return 1 / value; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float value) { return value > 0 ? std::min(value, 1.0f) : 0.0f; }
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.0f, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline void __sincosf(float x, float* sine, float* cosine) { *sine = std::sin(x), *cosine = std::cos(x); }
inline float rsqrtf(float value) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(value))); }
inline float __frsqrt_rn(float value) { return rsqrtf(value); }
inline double rsqrt(double value) { return 1.0 / std::sqrt(value); }
inline float fdividef(float a, float b) { return a / b; }
inline float sinpif(float x) { return static_cast<float>(std::sin(M_PI * static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(std::cos(M_PI * static_cast<double>(x))); }
inline double sinpi(double x) { return std::sin(M_PI * x); }
inline double cospi(double x) { return std::cos(M_PI * x); }
