// The source of every variant of row_scan.h, for the processor for which the including file is compiled: SIMD as wide as its
// vectors, if the types allow it. Only the files row_scan_<variant>.cpp include it. Everything is local to them: if several
// files had the same inline function, the linker would keep one of them, perhaps one that this processor cannot run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpu/sat/block/row_scan.h"

#ifdef __SSE2__
// GCC 12 warns of uninitialised operands that are intended in its own header (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace gpu::sat {
namespace {

// These functions are always inlined, so that the calling convention for 64-byte vectors does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

// As wide as the machine's vectors: the compiler would split wider ones, and shuffle them inefficiently.
#if defined(__AVX512F__)
constexpr int simd_lanes = 16;
#elif defined(__AVX2__)
constexpr int simd_lanes = 8;
#else
constexpr int simd_lanes = 4;
#endif

// As term() in gpu/term.h, which is not local.
template <class Sum, class Input>
constexpr Sum term_of(Input pixel) {
  Sum value;
  if constexpr (std::is_class_v<Input>)
    value = static_cast<Sum>(pixel.value);
  else
    value = static_cast<Sum>(pixel);
  if constexpr (is_squared<Input, Sum>)
    return value * value;
  else
    return value;
}

// GCC's generic vectors, in a struct of their own: GCC 12 does not treat them as vectors inside the template that uses them.
template <int Lanes>
struct VectorTypes {
  typedef std::uint32_t Words __attribute__((vector_size(Lanes * 4)));
  typedef std::uint16_t Halves __attribute__((vector_size(Lanes * 2)));
  typedef std::uint8_t Bytes __attribute__((vector_size(Lanes)));
};

// 4, 8 or 16 sums of 32 bits in one vector, no wider than the machine's.
template <int Lanes>
struct Simd {
  static_assert(Lanes == 4 || Lanes == 8 || Lanes == 16);
  static_assert(Lanes <= simd_lanes);
  using Words = typename VectorTypes<Lanes>::Words;

  // Inclusive scan of the lanes: Kogge-Stone.
  static Words inclusive_scan(Words v) {
    v += shifted<1>(v, every_lane);
    v += shifted<2>(v, every_lane);
    if constexpr (Lanes > 4) v += shifted<4>(v, every_lane);
    if constexpr (Lanes > 8) v += shifted<8>(v, every_lane);
    return v;
  }
  static Words last_lane_everywhere(Words v) { return last_of(v, every_lane); }

  static Words load_terms(const std::uint8_t* pixels) {
#ifdef __AVX512F__
    if constexpr (Lanes == 16)
      return reinterpret_cast<Words>(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels))));
#endif
#ifdef __AVX2__
    if constexpr (Lanes == 8)
      return reinterpret_cast<Words>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels))));
#endif
    // In two steps: GCC 12 would widen bytes to words lane by lane.
    Bytes bytes;
    std::memcpy(&bytes, pixels, sizeof bytes);
    return __builtin_convertvector(__builtin_convertvector(bytes, Halves), Words);
  }
  static Words load_terms(const std::uint16_t* pixels) {
    Halves halves;
    std::memcpy(&halves, pixels, sizeof halves);
    return __builtin_convertvector(halves, Words);
  }
  static Words load_terms(const std::uint32_t* pixels) {
    Words words;
    std::memcpy(&words, pixels, sizeof words);
    return words;
  }

  // Non-temporal: for tables so large that they would not stay in the caches. `target` is aligned to a vector.
  static void store_past_caches(std::uint32_t* target, Words v) {
#ifdef __AVX512F__
    if constexpr (Lanes == 16) return _mm512_stream_si512(reinterpret_cast<__m512i*>(target), reinterpret_cast<__m512i&>(v));
#endif
#ifdef __AVX2__
    if constexpr (Lanes == 8) return _mm256_stream_si256(reinterpret_cast<__m256i*>(target), reinterpret_cast<__m256i&>(v));
#endif
#ifdef __SSE2__
    if constexpr (Lanes == 4) return _mm_stream_si128(reinterpret_cast<__m128i*>(target), reinterpret_cast<__m128i&>(v));
#endif
    std::memcpy(target, &v, sizeof v);
  }

 private:
  using Halves = typename VectorTypes<Lanes>::Halves;
  using Bytes = typename VectorTypes<Lanes>::Bytes;
  static constexpr auto every_lane = std::make_integer_sequence<int, Lanes>{};

  // Lane i of the result is lane i - Distance of v, or zero if there is none. __builtin_shufflevector numbers the lanes of
  // its first vector, here zeros, and then those of the second.
  template <int Distance, int... Lane>
  static Words shifted(Words v, std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(Words{}, v, (Lane < Distance ? 0 : Lanes + Lane - Distance)...);
  }
  template <int... Lane>
  static Words last_of(Words v, std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(v, v, (Lane - Lane + Lanes - 1)...);
  }
};

// To be called once after the last store_past_caches, before another thread may read the data.
void past_caches_done() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// As RowFunctions::table_rows, for `Rows` rows together. The copy of the row above stays in the first-level cache; lines of
// the table are prefetched.
template <int Rows, bool PastCaches, class Input, class Sum>
void rows_at_once(const Input* pixels, std::ptrdiff_t stride, Sum* above, Sum* table, std::ptrdiff_t table_stride,
                  int width) {
  constexpr int Lanes = simd_lanes;
  Sum sums[Rows] = {};
  int x = 0;
  if constexpr (std::is_same_v<Sum, std::uint32_t>) {
    using V = Simd<Lanes>;
    typename V::Words carry[Rows] = {};
    for (; x + Lanes <= width; x += Lanes) {
      typename V::Words entry;
      std::memcpy(&entry, above + x, sizeof entry);
      for (int r = 0; r < Rows; ++r) {
        const auto row = V::inclusive_scan(V::load_terms(pixels + r * stride + x)) + carry[r];
        carry[r] = V::last_lane_everywhere(row);
        entry += row;
        auto* target = table + r * table_stride + x;
        if constexpr (PastCaches) {
          V::store_past_caches(target, entry);
        } else {
          __builtin_prefetch(target + 64, 1);
          std::memcpy(target, &entry, sizeof entry);
        }
      }
      std::memcpy(above + x, &entry, sizeof entry);
    }
    for (int r = 0; r < Rows; ++r) sums[r] = carry[r][0];
  }
  for (; x < width; ++x)
    for (int r = 0; r < Rows; ++r) {
      sums[r] += term_of<Sum>(pixels[r * stride + x]);
      above[x] += sums[r];
      table[r * table_stride + x] = above[x];
    }
}

// With non-temporal stores two rows together are faster than one; more rows, or ordinary stores, gain nothing.
constexpr int rows_together = 2;

template <bool PastCaches, class Input, class Sum>
void band(const Input* pixels, std::ptrdiff_t stride, Sum* above, Sum* table, std::ptrdiff_t table_stride, int width,
          int rows) {
  int y = 0;
  for (; y + rows_together <= rows; y += rows_together)
    rows_at_once<rows_together, PastCaches>(pixels + y * stride, stride, above, table + y * table_stride, table_stride,
                                            width);
  for (; y < rows; ++y)
    rows_at_once<1, PastCaches>(pixels + y * stride, stride, above, table + y * table_stride, table_stride, width);
  if (PastCaches) past_caches_done();
}

template <class Input, class Sum>
void table_rows(const Input* pixels, std::ptrdiff_t stride, Sum* above, Sum* table, std::ptrdiff_t table_stride, int width,
                int rows, bool past_caches) {
  if (past_caches)
    band<true>(pixels, stride, above, table, table_stride, width, rows);
  else
    band<false>(pixels, stride, above, table, table_stride, width, rows);
}

// This many rows are added in registers before the sums in memory are read and written once.
template <class Input, class Sum>
constexpr int rows_added_at_once = sizeof(Input) == 1 && sizeof(Sum) == 4 ? 8 : 4;

// As RowFunctions::add_columns. Sums of 8 pixels of 8 bits fit in 16 bits, so that vectors have twice as many lanes.
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
      for (int r = 0; r < together; ++r) partial = static_cast<Partial>(partial + term_of<Partial>(first[r * stride + x]));
      column[x] += static_cast<Sum>(partial);
    }
  }
  for (; y < rows; ++y)
    for (int x = 0; x < width; ++x) column[x] += term_of<Sum>(pixels[y * stride + x]);
}

template <class Input, class Sum>
constexpr RowFunctions<Input, Sum> functions_of{table_rows<Input, Sum>, add_columns<Input, Sum>};

constexpr RowScan row_scan_of_this_file(std::string_view name) {
  return {name,
          {functions_of<std::uint8_t, std::uint32_t>, functions_of<std::uint8_t, float>,
           functions_of<std::uint32_t, std::uint32_t>, functions_of<float, float>, functions_of<double, double>,
           functions_of<std::uint8_t, std::uint64_t>, functions_of<std::uint16_t, std::uint32_t>,
           functions_of<std::uint16_t, std::uint64_t>, functions_of<std::uint8_t, double>, functions_of<float, double>,
           functions_of<Plain<std::uint8_t>, std::uint64_t>, functions_of<Squared<std::uint16_t>, std::uint64_t>,
           functions_of<Squared<float>, double>}};
}

}  // namespace
}  // namespace gpu::sat
