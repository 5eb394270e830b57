// Loops of the host, compiled from one source for every processor that the program may run on, for those that have AVX2 and
// for those that have AVX-512: the same results bit for bit.
#pragma once

#include <span>

namespace gpu {

enum class HostVectors { baseline, avx2, avx512 };

// What this processor can run, the fastest last; the baseline is always there.
std::span<const HostVectors> host_vectors_here();

namespace detail {

// Everything that f calls is compiled into these functions, and with it for their processors. What the whole build is for
// (-march=native) needs none, simulated kernels run no loops of the host, and Clang chooses widths otherwise.
#if defined(__x86_64__) && !defined(__AVX512VL__) && !defined(__clang__) && !defined(SATSCOPE_SIMULATED)
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
