// One row of a summed area table on the host, in SIMD where the types allow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/sat.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace gpu::sat {

// These functions are inlined everywhere: how the machine would pass 64-byte vectors between them is of no interest.
#pragma GCC diagnostic ignored "-Wpsabi"

// GCC's generic vectors: 64 bytes, which the compiler maps to whatever the machine has.
typedef std::uint32_t U32x16 __attribute__((vector_size(64)));
typedef std::uint16_t U16x16 __attribute__((vector_size(32)));
typedef std::uint8_t U8x16 __attribute__((vector_size(16)));

// Inclusive scan of the 16 lanes: Kogge-Stone, four shifts and adds. __builtin_shufflevector takes lanes 0..15 from the
// first vector (zeros) and 16..31 from the second.
inline U32x16 inclusive_scan(U32x16 v) {
  const U32x16 zero{};
  v += __builtin_shufflevector(zero, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  v += __builtin_shufflevector(zero, v, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  v += __builtin_shufflevector(zero, v, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
  v += __builtin_shufflevector(zero, v, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23);
  return v;
}

inline U32x16 last_lane_everywhere(U32x16 v) {
  return __builtin_shufflevector(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
}

inline U32x16 load_terms(const std::uint8_t* pixels) {
#ifdef __AVX512F__
  return reinterpret_cast<U32x16>(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels))));
#else
  // In two steps: GCC 12 widens fourfold lane by lane.
  U8x16 bytes;
  std::memcpy(&bytes, pixels, sizeof bytes);
  return __builtin_convertvector(__builtin_convertvector(bytes, U16x16), U32x16);
#endif
}
inline U32x16 load_terms(const std::uint32_t* pixels) {
  U32x16 words;
  std::memcpy(&words, pixels, sizeof words);
  return words;
}

// Writes past the caches: for tables so large that nobody will find them there. `target` is 64-byte aligned.
inline void store_past_caches(std::uint32_t* target, U32x16 v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(target), reinterpret_cast<__m512i&>(v));
#elif defined(__SSE2__)
  __m128i parts[4];
  std::memcpy(parts, &v, sizeof v);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(target) + i, parts[i]);
#else
  std::memcpy(target, &v, sizeof v);
#endif
}
// To be called once after the last store_past_caches, before another thread is told of the data.
inline void past_caches_done() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// column[x] += term(pixels[x]);  table[x] = column[0] + .. + column[x]   for x in [0, width)
// `column` holds the sums of the image's columns above; so the table's own row above is never read again.
template <class Input, class Sum>
void table_row(const Input* pixels, Sum* column, Sum* table, int width, bool past_caches) {
  Sum sum = 0;
  int x = 0;
  if constexpr (std::is_same_v<Sum, std::uint32_t>) {
    U32x16 carry{};
    const bool aligned = reinterpret_cast<std::uintptr_t>(table) % 64 == 0;
    for (; x + 16 <= width; x += 16) {
      U32x16 columns;
      std::memcpy(&columns, column + x, sizeof columns);
      columns += load_terms(pixels + x);
      std::memcpy(column + x, &columns, sizeof columns);
      const U32x16 row = inclusive_scan(columns) + carry;
      carry = last_lane_everywhere(row);
      if (past_caches && aligned)
        store_past_caches(table + x, row);
      else
        std::memcpy(table + x, &row, sizeof row);
    }
    sum = carry[0];
  }
  for (; x < width; ++x) {
    column[x] += term<Sum>(pixels[x]);
    sum += column[x];
    table[x] = sum;
  }
}

// column[x] += the terms of `rows` rows of the image, from `pixels` on. Four rows at a time: one read and one write of
// the sums for four of the pixels.
template <class Input, class Sum>
void add_columns(const Input* pixels, std::ptrdiff_t stride, int rows, Sum* column, int width) {
  int y = 0;
  for (; y + 4 <= rows; y += 4) {
    const Input *a = pixels + y * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    for (int x = 0; x < width; ++x)
      column[x] += (term<Sum>(a[x]) + term<Sum>(b[x])) + (term<Sum>(c[x]) + term<Sum>(d[x]));
  }
  for (; y < rows; ++y)
    for (int x = 0; x < width; ++x) column[x] += term<Sum>(pixels[y * stride + x]);
}

}  // namespace gpu::sat
