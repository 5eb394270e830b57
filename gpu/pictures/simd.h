// Vectors of 32-bit sums, as wide as those of the processors of HOST_VECTORS. A part of host_variants.h.

namespace gpu::HOST_VECTORS {
namespace {

// As wide as the machine's vectors: the compiler would split wider ones, and shuffle them inefficiently.
constexpr int simd_lanes = SIMD_LANES;

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

  // Inclusive scan of the lanes (Kogge-Stone), first of each block of 16 bytes, within which lanes move faster than across blocks.
  static Words inclusive_scan(Words v) {
    v += shifted_in_blocks<1>(v);
    v += shifted_in_blocks<2>(v);
    if constexpr (Lanes > 4) {
      const Words sums = last_of_blocks(v, every_lane), sums_before = shifted<4>(sums, every_lane);
      v += sums_before;
      if constexpr (Lanes > 8) v += shifted<8>(sums + sums_before, every_lane);
    }
    return v;
  }
  static Words last_lane_everywhere(Words v) { return last_of(v, every_lane); }

  static Words load_terms(const std::uint8_t* pixels) {
#if SIMD_LANES == 16
    if constexpr (Lanes == 16)
      return reinterpret_cast<Words>(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels))));
#endif
#if SIMD_LANES >= 8
    if constexpr (Lanes == 8)
      return reinterpret_cast<Words>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels))));
#endif
#ifdef __SSE4_1__
    if constexpr (Lanes == 4) {
      std::int32_t bytes;
      std::memcpy(&bytes, pixels, sizeof bytes);
      return reinterpret_cast<Words>(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes)));
    }
#endif
    Bytes bytes;
    std::memcpy(&bytes, pixels, sizeof bytes);
    return __builtin_convertvector(bytes, Words);
  }
  static Words load_terms(const std::uint16_t* pixels) {
#if SIMD_LANES == 16
    if constexpr (Lanes == 16)
      return reinterpret_cast<Words>(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(pixels))));
#endif
#if SIMD_LANES >= 8
    if constexpr (Lanes == 8)
      return reinterpret_cast<Words>(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels))));
#endif
#ifdef __SSE4_1__
    if constexpr (Lanes == 4)
      return reinterpret_cast<Words>(_mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels))));
#endif
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
#if SIMD_LANES == 16
    if constexpr (Lanes == 16) return _mm512_stream_si512(reinterpret_cast<__m512i*>(target), reinterpret_cast<__m512i&>(v));
#endif
#if SIMD_LANES >= 8
    if constexpr (Lanes == 8) return _mm256_stream_si256(reinterpret_cast<__m256i*>(target), reinterpret_cast<__m256i&>(v));
#endif
#ifdef __SSE2__
    if constexpr (Lanes == 4) return _mm_stream_si128(reinterpret_cast<__m128i*>(target), reinterpret_cast<__m128i&>(v));
#endif
    std::memcpy(target, &v, sizeof v);
  }

  using Halves = typename VectorTypes<Lanes>::Halves;
  using Bytes = typename VectorTypes<Lanes>::Bytes;
  static constexpr auto every_lane = std::make_integer_sequence<int, Lanes>{};

  // Lane i of the result is lane i - Distance of v, or zero if there is none. __builtin_shufflevector numbers the lanes of
  // its first vector, here zeros, and then those of the second. Consecutive numbers give the fastest instructions.
  template <int Distance, int... Lane>
  static Words shifted(Words v, std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(Words{}, v, (Lanes + Lane - Distance)...);
  }
  // The same within each block. GCC 12 would use slower instructions for it.
  template <int Distance>
  static Words shifted_in_blocks(Words v) {
#if SIMD_LANES == 16
    if constexpr (Lanes == 16)
      return reinterpret_cast<Words>(_mm512_bslli_epi128(reinterpret_cast<__m512i>(v), 4 * Distance));
#endif
#if SIMD_LANES >= 8
    if constexpr (Lanes == 8)
      return reinterpret_cast<Words>(_mm256_bslli_epi128(reinterpret_cast<__m256i>(v), 4 * Distance));
#endif
    return shifted<Distance>(v, every_lane);  // there is one block
  }
  template <int... Lane>
  static Words last_of_blocks(Words v, std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(v, v, (Lane / 4 * 4 + 3)...);
  }
  template <int... Lane>
  static Words last_of(Words v, std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(v, v, (Lane - Lane + Lanes - 1)...);
  }
};

// To be called once after the last store_past_caches, before another thread may read the data.
inline void past_caches_done() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace gpu::HOST_VECTORS
