// The source of every variant of pixel_rows.h, for the processor for which the including file is compiled. A part of
// row_scan_simd.h, and local to the including file for the same reason.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "gpu/pixel_rows.h"
#include "gpu/sat/block/simd.h"

namespace gpu::sat {
namespace {

// Vectors of bytes have as many parts of 16 bytes, whose bytes stay in their part where they are moved.
constexpr int parts_of_vector = simd_lanes / 4;

// As luma() in tables.h.
constexpr std::uint8_t luma_of(const Bgr& p) {
  return static_cast<std::uint8_t>((3735u * p.b + 19235u * p.g + 9798u * p.r + (1u << 14)) >> 15);
}

#ifdef __SSE4_1__
template <int Parts>
struct Parted;

template <>
struct Parted<1> {
  using V = __m128i;
  static V load(const std::uint8_t* from, int) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
  static void store(void* to, V v) { _mm_storeu_si128(static_cast<__m128i*>(to), v); }
  static V everywhere(__m128i part) { return part; }
  static V shuffle(V v, V order) { return _mm_shuffle_epi8(v, order); }
  static V low_halves(V a, V b) { return _mm_unpacklo_epi64(a, b); }
  static V high_halves(V a, V b) { return _mm_unpackhi_epi64(a, b); }
  static V products(V bytes, V factors) { return _mm_maddubs_epi16(bytes, factors); }
  static V add16(V a, V b) { return _mm_add_epi16(a, b); }
  template <int N>
  static V shifted16(V v) {
    return _mm_srai_epi16(v, N);
  }
  static V narrowed(V a, V b) { return _mm_packus_epi16(a, b); }
};

#ifdef __AVX2__
template <>
struct Parted<2> {
  using V = __m256i;
  // Each part from `apart` bytes behind the one before.
  static V load(const std::uint8_t* from, int apart) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(Parted<1>::load(from, 0)), Parted<1>::load(from + apart, 0), 1);
  }
  static void store(void* to, V v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }
  static V everywhere(__m128i part) { return _mm256_broadcastsi128_si256(part); }
  static V shuffle(V v, V order) { return _mm256_shuffle_epi8(v, order); }
  static V low_halves(V a, V b) { return _mm256_unpacklo_epi64(a, b); }
  static V high_halves(V a, V b) { return _mm256_unpackhi_epi64(a, b); }
  static V products(V bytes, V factors) { return _mm256_maddubs_epi16(bytes, factors); }
  static V add16(V a, V b) { return _mm256_add_epi16(a, b); }
  template <int N>
  static V shifted16(V v) {
    return _mm256_srai_epi16(v, N);
  }
  static V narrowed(V a, V b) { return _mm256_packus_epi16(a, b); }
};
#endif

#ifdef __AVX512BW__
template <>
struct Parted<4> {
  using V = __m512i;
  static V load(const std::uint8_t* from, int apart) {
    auto v = _mm512_castsi128_si512(Parted<1>::load(from, 0));
    v = _mm512_inserti32x4(v, Parted<1>::load(from + apart, 0), 1);
    v = _mm512_inserti32x4(v, Parted<1>::load(from + 2 * apart, 0), 2);
    return _mm512_inserti32x4(v, Parted<1>::load(from + 3 * apart, 0), 3);
  }
  static void store(void* to, V v) { _mm512_storeu_si512(to, v); }
  static V everywhere(__m128i part) { return _mm512_maskz_broadcast_i32x4(0xffff, part); }
  static V shuffle(V v, V order) { return _mm512_shuffle_epi8(v, order); }
  static V low_halves(V a, V b) { return _mm512_unpacklo_epi64(a, b); }
  static V high_halves(V a, V b) { return _mm512_unpackhi_epi64(a, b); }
  static V products(V bytes, V factors) { return _mm512_maddubs_epi16(bytes, factors); }
  static V add16(V a, V b) { return _mm512_add_epi16(a, b); }
  template <int N>
  static V shifted16(V v) {
    return _mm512_srai_epi16(v, N);
  }
  static V narrowed(V a, V b) { return _mm512_packus_epi16(a, b); }
};
#endif

// 16 pixels of a part at a time. A weight w of luma is 256*high + low, with bytes as factors; the sum of the high products, with
// the rounding, and of the low ones, shifted by 8, is that of the weights shifted by 8: at most 255*128 + 64, so that 16 bits hold
// every number exactly.
template <int Parts>
int luma_of_vectors(const std::uint8_t* pixels, std::uint8_t* gray, int width) {
  using P = Parted<Parts>;
  constexpr int pixels_per_part = 16, bytes_per_part = 48;
  // Four pixels: their b and g, and their r, each beside a zero.
  const auto order = P::everywhere(_mm_setr_epi8(0, 1, 3, 4, 6, 7, 9, 10, 2, -1, 5, -1, 8, -1, 11, -1));
  const auto order_of_last = P::everywhere(_mm_setr_epi8(4, 5, 7, 8, 10, 11, 13, 14, 6, -1, 9, -1, 12, -1, 15, -1));
  const auto pairs = [](int first, int second) {
    return P::everywhere(_mm_set1_epi16(static_cast<short>((second & 255) << 8 | (first & 255))));
  };
  static_assert(15 * 256 - 105 == 3735 && 75 * 256 + 35 == 19235 && 38 * 256 + 70 == 9798 && 64 * 256 == 1 << 14);
  const auto high_bg = pairs(15, 75), low_bg = pairs(-105, 35), high_r = pairs(38, 0), low_r = pairs(70, 0);
  const auto rounding = P::everywhere(_mm_set1_epi16(64));
  const auto levels_of_eight = [&](auto first_four, auto second_four) {
    const auto bg = P::low_halves(first_four, second_four), r = P::high_halves(first_four, second_four);
    const auto high = P::add16(P::add16(P::products(bg, high_bg), rounding), P::products(r, high_r));
    const auto low = P::add16(P::products(bg, low_bg), P::products(r, low_r));
    return P::template shifted16<7>(P::add16(high, P::template shifted16<8>(low)));
  };
  int x = 0;
  for (; x + Parts * pixels_per_part <= width; x += Parts * pixels_per_part) {
    const auto* from = pixels + 3 * x;
    const auto four = [&](int byte, const auto& in) { return P::shuffle(P::load(from + byte, bytes_per_part), in); };
    P::store(gray + x, P::narrowed(levels_of_eight(four(0, order), four(12, order)),
                                   levels_of_eight(four(24, order), four(32, order_of_last))));
  }
  return x;
}
#endif

void luma_row(const Bgr* pixels, std::uint8_t* gray, int width) {
  int x = 0;
#ifdef __SSE4_1__
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(pixels);
  x = luma_of_vectors<parts_of_vector>(bytes, gray, width);
  x += luma_of_vectors<1>(bytes + 3 * x, gray + x, width - x);
#endif
  for (; x < width; ++x) gray[x] = luma_of(pixels[x]);
}

constexpr PixelRows pixel_rows_of_this_file{luma_row};

}  // namespace
}  // namespace gpu::sat
