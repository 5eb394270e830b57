// CUDA C++ for device code on the simulated GPU: replaces the toolkit's header of that name and is included before all
// others. It has what the kernels of gpu/ use and no more. Texture, cluster, bulk-copy and inline PTX instructions are not
// simulated; the few lines of PTX in gpu/ are in functions that have a simulated version (gpu/cuda/intrinsics.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/simulated/device_code.h"

// The compiler's thread sanitizer reports every access of an observed build except the store of an aggregate that a call
// returns. Flattened kernels have no calls.
#ifdef SATSCOPE_OBSERVED
#define __global__ __attribute__((flatten))
#else
#define __global__
#endif
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
// Shared memory comes from gpu/cuda/intrinsics.cuh, because C++ has no storage class for memory that a block shares.
#define __shared__ use_static_shared_or_dynamic_shared_of_gpu_intrinsics_cuh

inline constexpr gpu::simulated::ThreadIndex threadIdx{};
inline constexpr gpu::simulated::BlockIndex blockIdx{};
inline constexpr gpu::simulated::BlockExtent blockDim{};
inline constexpr gpu::simulated::GridExtent gridDim{};

// Each passes its source location, which return addresses in an optimised program do not identify.
using gpu::simulated::Source;
inline void __syncthreads(Source source = Source::current()) { gpu::simulated::sync_threads(source); }
inline int __syncthreads_or(int predicate, Source source = Source::current()) {
  return gpu::simulated::sync_threads_or(predicate != 0, source);
}
inline void __syncwarp(unsigned mask = 0xffffffffu, Source source = Source::current()) {
  gpu::simulated::sync_warp(mask, source);
}
inline void __threadfence() { gpu::simulated::fence(); }
// No time passes on the simulated GPU; other threads run instead.
inline void __nanosleep(unsigned) { gpu::simulated::let_others_run(); }
inline unsigned __ballot_sync(unsigned mask, int predicate, Source source = Source::current()) {
  return gpu::simulated::ballot(mask, predicate != 0, source);
}

// The lane that a shuffle reads (CUDA C++ Programming Guide, "Warp Shuffle Functions"). `width` is a power of two; a lane
// whose source lies outside its segment reads its own value.
template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32, Source source = Source::current()) {
  const int lane = gpu::simulated::lane();
  return gpu::simulated::shuffle(mask, value, (lane & ~(width - 1)) + (from & (width - 1)), source);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, Source source = Source::current()) {
  const int lane = gpu::simulated::lane(), from = lane - static_cast<int>(delta);
  return gpu::simulated::shuffle(mask, value, from < (lane & ~(width - 1)) ? lane : from, source);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int other, int width = 32, Source source = Source::current()) {
  const int lane = gpu::simulated::lane(), from = lane ^ other;
  return gpu::simulated::shuffle(mask, value, from >= (lane & ~(width - 1)) + width ? lane : from, source);
}

template <class T>
T atomicAdd(T* at, T value) {
  static_assert(std::is_integral_v<T>, "the simulated GPU adds whole numbers only: the order of float sums is not given");
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(
        gpu::simulated::atomic_add(reinterpret_cast<std::uint32_t*>(at), static_cast<std::uint32_t>(value)));
  else
    return static_cast<T>(
        gpu::simulated::atomic_add(reinterpret_cast<std::uint64_t*>(at), static_cast<std::uint64_t>(value)));
}
inline unsigned long long atomicMin(unsigned long long* at, unsigned long long value) {
  return gpu::simulated::atomic_min(reinterpret_cast<std::uint64_t*>(at), value);
}

// A store outside the surface ends the launch, as CUDA's default does (cudaBoundaryModeTrap).
template <class T>
void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x_bytes, int y) {
  gpu::simulated::write_surface(surface, x_bytes, y, &value, sizeof value);
}
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }

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

inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
// Rounded better than a GPU's, which approximates.
inline float rsqrtf(float value) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(value))); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low));
}
// To nearest, halves to even: the processor's rounding.
inline int __float2int_rn(float value) { return static_cast<int>(std::lrint(value)); }

using std::max;
using std::min;
