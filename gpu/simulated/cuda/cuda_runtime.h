// CUDA C++ for device code on the simulated GPU: replaces the toolkit's header of that name and is included before all
// others. Texture, cluster, bulk-copy and inline PTX instructions are not simulated; the few lines of PTX in gpu/ are in functions that
// have a simulated version (gpu/cuda/intrinsics.cuh). printf() is libc's: it prints at once.
#pragma once

#include <assert.h>
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "device_atomic_functions.h"
#include "device_functions.h"
#include "gpu/simulated/device_code.h"
#include "warp_functions.h"

// The compiler's thread sanitizer reports every access of an observed build except the store of an aggregate that a call
// returns. Flattened kernels have no calls.
#ifdef SATSCOPE_OBSERVED
#define __global__ __attribute__((flatten))
#else
#define __global__
#endif
#define __device__
#define __host__
// Memory that kernels read and nobody writes: a variable like any other. Observed builds count its loads as no traffic.
#define __constant__
#define __grid_constant__
#define __noinline__  // empty: the standard library has attributes of this name
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
// Shared memory comes from gpu/cuda/intrinsics.cuh, because C++ has no storage class for memory that a block shares.
#define __shared__ use_static_shared_or_dynamic_shared_of_gpu_intrinsics_cuh

inline constexpr int warpSize = 32;
// Macros, so that threadIdx.x is a number: `auto i = threadIdx.x; i += blockDim.x`.
#define threadIdx ::gpu::simulated::thread_index()
#define blockIdx ::gpu::simulated::block_index()
#define blockDim ::gpu::simulated::block_extent()
#define gridDim ::gpu::simulated::grid_extent()

// Barriers, fences and plain accesses with a hint for the caches.

inline void __syncthreads(Source source = Source::current()) { gpu::simulated::sync_threads(source); }
inline int __syncthreads_count(int predicate, Source source = Source::current()) {
  return static_cast<int>(gpu::simulated::sync_threads_count(predicate != 0, source));
}
inline int __syncthreads_or(int predicate, Source source = Source::current()) {
  return gpu::simulated::sync_threads_count(predicate != 0, source) != 0;
}
inline int __syncthreads_and(int predicate, Source source = Source::current()) {
  return gpu::simulated::sync_threads_count(predicate == 0, source) == 0;
}
// Every fence is one for all threads.
inline void __threadfence() { gpu::simulated::fence(); }
inline void __threadfence_block() { gpu::simulated::fence(); }
inline void __threadfence_system() { gpu::simulated::fence(); }
// No time passes on the simulated GPU; other threads run instead.
inline void __nanosleep(unsigned) { gpu::simulated::let_others_run(); }

template <class T>
T __ldg(const T* at) {
  return *at;
}
template <class T>
T __ldca(const T* at) {
  return *at;
}
template <class T>
T __ldcg(const T* at) {
  return *at;
}
template <class T>
T __ldcs(const T* at) {
  return *at;
}
template <class T>
T __ldlu(const T* at) {
  return *at;
}
template <class T>
T __ldcv(const T* at) {
  return *at;
}
template <class T>
void __stwb(T* at, std::type_identity_t<T> value) {
  *at = value;
}
template <class T>
void __stcg(T* at, std::type_identity_t<T> value) {
  *at = value;
}
template <class T>
void __stcs(T* at, std::type_identity_t<T> value) {
  *at = value;
}
template <class T>
void __stwt(T* at, std::type_identity_t<T> value) {
  *at = value;
}

// Nanoseconds in place of clocks. (clock() is libc's.)
inline long long clock64() { return static_cast<long long>(gpu::simulated::nanoseconds()); }

// A store outside the surface ends the launch, as CUDA's default does (cudaBoundaryModeTrap).
template <class T>
void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x_bytes, int y) {
  gpu::simulated::write_surface(surface, x_bytes, y, &value, sizeof value);
}

// What a GPU has and the simulated one has not: each use is an error that says what to do.
template <class T>
struct MissingOnTheSimulatedGpu : std::false_type {};
template <class Symbol, class... Rest>
cudaError_t cudaMemcpyToSymbol(const Symbol&, Rest&&...) {
  static_assert(
      MissingOnTheSimulatedGpu<Symbol>::value,
      "cudaMemcpyToSymbol() is not simulated: initialise the __constant__ variable where it is defined, or pass the values "
      "to the kernel as an argument");
  return cudaSuccess;
}
using cudaTextureObject_t = unsigned long long;
template <class T, class... Rest>
T tex2D(cudaTextureObject_t, Rest&&...) {
  static_assert(MissingOnTheSimulatedGpu<T>::value, "textures are not simulated: read the image from global memory");
  return {};
}
