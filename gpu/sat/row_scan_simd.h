// Rows of a summed area table on the host, in SIMD where the types allow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/sat.h"

#ifdef __SSE2__
// GCC 12 takes its own "any value will do" operands for forgotten ones (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
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

// `Rows` rows of the table at once, from `pixels` and `table` on, rows `stride` and `table_stride` elements apart:
//     table(x, r) = above[x] + the terms of pixels (0..x, 0..r)        for x in [0, width), r in [0, Rows)
// `above` holds the table's row above the first, and after the call the last of these rows: a copy in the first-level
// cache, so that the table is only ever written, and its lines are asked for a few ahead (measured at 1080p with two
// cores: 214 us without, 174 us with; a memset of the table takes 140 us). With PastCaches the table must be 64-byte
// aligned, and its rows too.
template <int Rows, bool PastCaches, class Input, class Sum>
void table_rows(const Input* pixels, std::ptrdiff_t stride, Sum* above, Sum* table, std::ptrdiff_t table_stride,
                int width) {
  Sum sums[Rows] = {};
  int x = 0;
  if constexpr (std::is_same_v<Sum, std::uint32_t>) {
    U32x16 carry[Rows] = {};
    for (; x + 16 <= width; x += 16) {
      U32x16 entry;
      std::memcpy(&entry, above + x, sizeof entry);
      for (int r = 0; r < Rows; ++r) {
        const U32x16 row = inclusive_scan(load_terms(pixels + r * stride + x)) + carry[r];
        carry[r] = last_lane_everywhere(row);
        entry += row;
        auto* target = table + r * table_stride + x;
        if constexpr (PastCaches) {
          store_past_caches(target, entry);
        } else {
          __builtin_prefetch(target + 4 * 16, 1);
          std::memcpy(target, &entry, sizeof entry);
        }
      }
      std::memcpy(above + x, &entry, sizeof entry);
    }
    for (int r = 0; r < Rows; ++r) sums[r] = carry[r][0];
  }
  for (; x < width; ++x)
    for (int r = 0; r < Rows; ++r) {
      sums[r] += term<Sum>(pixels[r * stride + x]);
      above[x] += sums[r];
      table[r * table_stride + x] = above[x];
    }
}

// Of 8-bit pixels 8 rows, of others 4, are added before the sums in memory are read and written once.
template <class Input, class Sum>
constexpr int rows_added_at_once = sizeof(Input) == 1 && sizeof(Sum) == 4 ? 8 : 4;

// column[x] += the terms of `rows` rows of the image, from `pixels` on. Sums of 8 bytes fit 16 bits, so that twice as
// many lanes add them.
template <class Input, class Sum>
void add_columns(const Input* pixels, std::ptrdiff_t stride, int rows, Sum* column, int width) {
  constexpr int together = rows_added_at_once<Input, Sum>;
  using Partial = std::conditional_t<together == 8, std::uint16_t, Sum>;
  int y = 0;
  for (; y + together <= rows; y += together) {
    const Input* first = pixels + y * stride;
    for (int x = 0; x < width; ++x) {
      Partial partial = 0;
#pragma GCC unroll 8
      for (int r = 0; r < together; ++r) partial = static_cast<Partial>(partial + term<Partial>(first[r * stride + x]));
      column[x] += static_cast<Sum>(partial);
    }
  }
  for (; y < rows; ++y)
    for (int x = 0; x < width; ++x) column[x] += term<Sum>(pixels[y * stride + x]);
}

}  // namespace gpu::sat
