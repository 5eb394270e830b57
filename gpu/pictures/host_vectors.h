// Host loops, compiled from one source three times: for every processor of this build, for those with AVX2, and for those
// with AVX-512. The results are the same bit for bit. Loops that the compiler vectorises are given to run_with(); a header with
// vectors of its own is included by host_variants.h.
#pragma once

#include <span>
#include <string_view>

// Not needed if the whole build is for such a processor (-march=native). Clang has no #pragma GCC target, and chooses vector widths
// differently.
#if defined(__x86_64__) && !defined(__AVX512BW__) && !defined(__clang__)
#define SATSCOPE_HOST_VARIANTS
#endif

namespace gpu {

enum class HostVectors { baseline, avx2, avx512 };

constexpr std::string_view name_of(HostVectors vectors) {
  return vectors == HostVectors::avx512 ? "avx512" : vectors == HostVectors::avx2 ? "avx2" : "baseline";
}

// The variants that this processor can run, the fastest last: the first ones of HostVectors, and at least the baseline.
std::span<const HostVectors> host_vectors_here();

namespace detail {

// Everything that f calls is inlined into these functions, and so compiled for their processors. Simulated kernels run no host
// loops.
#if defined(SATSCOPE_HOST_VARIANTS) && !defined(SATSCOPE_SIMULATED)
inline constexpr bool has_vector_loops = true;
template <class F>
[[gnu::flatten, gnu::target("avx2")]] void with_avx2(const F& f) {
  f();
}
template <class F>
[[gnu::flatten, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]] void with_avx512(const F& f) {
  f();
}
#else
inline constexpr bool has_vector_loops = false;
template <class F>
void with_avx2(const F& f) {
  f();
}
template <class F>
void with_avx512(const F& f) {
  f();
}
#endif

}  // namespace detail

// f(), as compiled for `vectors`.
template <class F>
void run_with(HostVectors vectors, const F& f) {
  if (detail::has_vector_loops && vectors == HostVectors::avx512) return detail::with_avx512(f);
  if (detail::has_vector_loops && vectors == HostVectors::avx2) return detail::with_avx2(f);
  f();
}

}  // namespace gpu
