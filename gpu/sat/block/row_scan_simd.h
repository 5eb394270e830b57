// The source of every variant of row_scan.h: SIMD as wide as the processor's vectors, if the types allow it. Included by row_scan.cpp
// by way of host_variants.h.

namespace gpu::sat::HOST_VECTORS {
namespace {

using namespace gpu::HOST_VECTORS;

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
  static V either(V a, V b) { return _mm_or_si128(a, b); }
};

#if SIMD_LANES >= 8
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
  static V either(V a, V b) { return _mm256_or_si256(a, b); }
};
#endif

#if SIMD_LANES == 16
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
  static V either(V a, V b) { return _mm512_or_si512(a, b); }
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
    const auto* from = pixels + std::ptrdiff_t{3} * x;
    const auto four = [&](int byte, const auto& in) { return P::shuffle(P::load(from + byte, bytes_per_part), in); };
    P::store(gray + x, P::narrowed(levels_of_eight(four(0, order), four(12, order)),
                                   levels_of_eight(four(24, order), four(32, order_of_last))));
  }
  return x;
}

// Four pixels of a part at a time, of which a load takes four bytes more.
template <int Parts>
int rgba_of_vectors(const std::uint8_t* pixels, Rgba* out, int width) {
  using P = Parted<Parts>;
  constexpr int bytes_per_part = 12, pixels_read = ((Parts - 1) * bytes_per_part + 16 + 2) / 3;
  const auto order = P::everywhere(_mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1));
  const auto opaque = P::everywhere(_mm_set1_epi32(static_cast<int>(0xff000000u)));
  int x = 0;
  for (; width - x >= pixels_read; x += Parts * 4)
    P::store(out + x, P::either(P::shuffle(P::load(pixels + std::ptrdiff_t{3} * x, bytes_per_part), order), opaque));
  return x;
}
#endif

void luma_row(const Bgr* pixels, std::uint8_t* gray, int width) {
  int x = 0;
#ifdef __SSE4_1__
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(pixels);
  x = luma_of_vectors<parts_of_vector>(bytes, gray, width);
  x += luma_of_vectors<1>(bytes + std::ptrdiff_t{3} * x, gray + x, width - x);
#endif
  for (; x < width; ++x) gray[x] = luma_of(pixels[x]);
}

void rgba_row(const Bgr* pixels, Rgba* out, int width) {
  int x = 0;
#ifdef __SSE4_1__
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(pixels);
  x = rgba_of_vectors<parts_of_vector>(bytes, out, width);
  x += rgba_of_vectors<1>(bytes + std::ptrdiff_t{3} * x, out + x, width - x);
#endif
  for (; x < width; ++x) out[x] = {pixels[x].r, pixels[x].g, pixels[x].b, 255};
}

// The sums of 4, 8 or 16 windows, those of three channels in turn.
template <int Lanes>
struct WindowVector : Simd<Lanes> {
  using Words = typename VectorTypes<Lanes>::Words;

  // Each lane and all before it that are a multiple of three lanes away: sums of a channel.
  static Words scan_of_thirds(Words v) {
    v += Simd<Lanes>::template shifted<3>(v, Simd<Lanes>::every_lane);
    if constexpr (Lanes > 6) v += Simd<Lanes>::template shifted<6>(v, Simd<Lanes>::every_lane);
    if constexpr (Lanes > 12) v += Simd<Lanes>::template shifted<12>(v, Simd<Lanes>::every_lane);
    return v;
  }
  // The last sum of each channel, in the lanes of that channel in the vector behind this one.
  static Words last_of_thirds(Words v) { return last_of(v, Simd<Lanes>::every_lane); }

  // v * factor / 2^32
  static Words high_products(Words v, std::uint32_t factor) {
#if SIMD_LANES == 16
    if constexpr (Lanes == 16) {
      const auto in = reinterpret_cast<__m512i>(v), by = _mm512_set1_epi32(static_cast<int>(factor));
      const auto even = _mm512_mul_epu32(in, by), odd = _mm512_mul_epu32(_mm512_srli_epi64(in, 32), by);
      return reinterpret_cast<Words>(_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd));
    }
#elif SIMD_LANES == 8
    if constexpr (Lanes == 8) {
      const auto in = reinterpret_cast<__m256i>(v), by = _mm256_set1_epi32(static_cast<int>(factor));
      const auto even = _mm256_mul_epu32(in, by), odd = _mm256_mul_epu32(_mm256_srli_epi64(in, 32), by);
      return reinterpret_cast<Words>(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa));
    }
#elif defined(__SSE4_1__)
    if constexpr (Lanes == 4) {
      const auto in = reinterpret_cast<__m128i>(v), by = _mm_set1_epi32(static_cast<int>(factor));
      const auto even = _mm_mul_epu32(in, by), odd = _mm_mul_epu32(_mm_srli_epi64(in, 32), by);
      return reinterpret_cast<Words>(_mm_blend_epi16(_mm_srli_epi64(even, 32), odd, 0xcc));
    }
#endif
    std::uint32_t lanes[Lanes];
    std::memcpy(lanes, &v, sizeof lanes);
    for (auto& lane : lanes) lane = static_cast<std::uint32_t>(std::uint64_t{lane} * factor >> 32);
    return Simd<Lanes>::load_terms(lanes);
  }
  // Lanes below 256, as bytes.
  static void store_bytes(std::uint8_t* to, Words v) {
#if SIMD_LANES == 16
    if constexpr (Lanes == 16)
      return _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(v)));
#elif SIMD_LANES == 8
    if constexpr (Lanes == 8) {
      const auto in = reinterpret_cast<__m256i>(v);
      const auto halves = _mm_packus_epi32(_mm256_castsi256_si128(in), _mm256_extracti128_si256(in, 1));
      return _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(halves, halves));
    }
#elif defined(__SSE4_1__)
    if constexpr (Lanes == 4) {
      const auto halves = _mm_packus_epi32(reinterpret_cast<__m128i>(v), reinterpret_cast<__m128i>(v));
      const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(halves, halves));
      std::memcpy(to, &bytes, sizeof bytes);
      return;
    }
#endif
    const auto bytes = __builtin_convertvector(v, typename VectorTypes<Lanes>::Bytes);
    std::memcpy(to, &bytes, sizeof bytes);
  }

 private:
  template <int... Lane>
  static Words last_of(Words v, std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(v, v, (Lanes - 3 + Lane % 3)...);
  }
};

constexpr std::uint8_t mean_of(std::uint32_t twice, const MeanFactors& mean) {
  return static_cast<std::uint8_t>(static_cast<std::uint32_t>(std::uint64_t{twice} * mean.multiplier >> 32) >>
                                   (mean.shift - 32));
}

template <class Sum>
void move_strip(Sum* strip, const std::uint8_t* entering, const std::uint8_t* leaving, std::ptrdiff_t entries) {
  for (std::ptrdiff_t i = 0; i < entries; ++i) strip[i] = static_cast<Sum>(strip[i] + entering[i] - leaving[i]);
}

// The next window of a channel has one column more and one less. What is summed is 2*sum + area, which is what a mean is made of.
template <class Sum>
void strip_means(const Sum* strip, int columns, const MeanFactors& mean, std::uint8_t* out, int width) {
  constexpr int Lanes = simd_lanes;
  using V = WindowVector<Lanes>;
  std::uint32_t sums[3] = {};
  for (int i = 0; i < columns; ++i)
    for (int channel = 0; channel < 3; ++channel) sums[channel] += strip[3 * i + channel];
  for (int channel = 0; channel < 3; ++channel) out[channel] = mean_of(sums[channel] = 2 * sums[channel] + mean.area, mean);

  typename V::Words carry{};
  for (int lane = 0; lane < Lanes; ++lane) carry[lane] = sums[lane % 3];
  const Sum *leaving = strip, *entering = strip + 3 * columns;
  const std::ptrdiff_t entries = std::ptrdiff_t{3} * (width - 1);
  const int shift = mean.shift - 32;
  auto* to = out + 3;
  std::ptrdiff_t i = 0;
  for (; i + Lanes <= entries; i += Lanes) {
    const auto change = V::load_terms(entering + i) - V::load_terms(leaving + i);
    const auto twice = V::scan_of_thirds(change + change) + carry;
    carry = V::last_of_thirds(twice);
    V::store_bytes(to + i, V::high_products(twice, mean.multiplier) >> shift);
  }
  for (int lane = 0; i < entries; ++i, lane = lane == 2 ? 0 : lane + 1)
    to[i] = mean_of(carry[lane] += 2 * (std::uint32_t{entering[i]} - leaving[i]), mean);
}

constexpr PixelRows pixel_rows{luma_row,
                               rgba_row,
                               {move_strip<std::uint16_t>, strip_means<std::uint16_t>},
                               {move_strip<std::uint32_t>, strip_means<std::uint32_t>}};

// How the entries of neighbouring rows in one column are made of the sums of these rows and the entry above: one after
// another, or by pairs, so that the last of four rows is two additions behind the entry above instead of four.
enum class Entries { in_turn, by_pairs };

// Replaces the sums by the entries, and `above` by the last of them.
template <Entries How, int Rows, class T>
void add_above(T (&sums)[Rows], T& above) {
  if constexpr (How == Entries::in_turn || Rows == 1) {
    for (int r = 0; r < Rows; ++r) sums[r] = above += sums[r];
  } else {
    static_assert(Rows % 2 == 0);
    for (int r = 0; r < Rows; r += 2) {
      const T pair = sums[r] + sums[r + 1];
      sums[r] += above;
      sums[r + 1] = above += pair;
    }
  }
}

// As RowFunctions::table_rows, for `Rows` rows together from row y on. The copy of the row above stays in the first-level
// cache; lines of the table are prefetched.
template <int Rows, Entries How, bool PastCaches, class Input, class Sum>
void rows_at_once(ImageView<const Input> image, ImageView<Sum> sat, int y, Sum* above, Sum* left) {
  constexpr int Lanes = simd_lanes;
  const Input* pixels = image.row(y);
  Sum* table = sat.row(y);
  const auto stride = image.stride, table_stride = sat.stride;
  const int width = image.width;
  Sum row_sums[Rows] = {};
  if (left)
    for (int r = 0; r < Rows; ++r) row_sums[r] = left[y + r];
  int x = 0;
  if constexpr (std::is_same_v<Sum, std::uint32_t>) {
    using V = Simd<Lanes>;
    typename V::Words carry[Rows] = {};
    for (int r = 0; r < Rows; ++r) carry[r] += row_sums[r];
    for (; x + Lanes <= width; x += Lanes) {
      typename V::Words entry, entries[Rows];
      std::memcpy(&entry, above + x, sizeof entry);
      for (int r = 0; r < Rows; ++r) {
        entries[r] = V::inclusive_scan(V::load_terms(pixels + r * stride + x)) + carry[r];
        carry[r] = V::last_lane_everywhere(entries[r]);
      }
      add_above<How>(entries, entry);
      for (int r = 0; r < Rows; ++r) {
        auto* target = table + r * table_stride + x;
        if constexpr (PastCaches) {
          V::store_past_caches(target, entries[r]);
        } else {
          __builtin_prefetch(target + 64, 1);
          std::memcpy(target, &entries[r], sizeof entry);
        }
      }
      std::memcpy(above + x, &entry, sizeof entry);
    }
    for (int r = 0; r < Rows; ++r) row_sums[r] = carry[r][0];
  }
  for (; x < width; ++x) {
    Sum entries[Rows];
    for (int r = 0; r < Rows; ++r) entries[r] = row_sums[r] += term<Sum>(pixels[r * stride + x]);
    add_above<How>(entries, above[x]);
    for (int r = 0; r < Rows; ++r) table[r * table_stride + x] = entries[r];
  }
  if (left)
    for (int r = 0; r < Rows; ++r) left[y + r] = row_sums[r];
}

// `Rows` rows together as long as there are so many, then fewer.
template <int Rows, Entries How, bool PastCaches, class Input, class Sum>
void rows_from(ImageView<const Input> pixels, ImageView<Sum> table, int y, Sum* above, Sum* left) {
  for (; y + Rows <= pixels.height; y += Rows) rows_at_once<Rows, How, PastCaches>(pixels, table, y, above, left);
  if constexpr (Rows > 1) rows_from<Rows / 2, How, PastCaches>(pixels, table, y, above, left);
}

template <int Rows, Entries How, class Input, class Sum>
void table_rows(ImageView<const Input> pixels, ImageView<Sum> table, Sum* above, Sum* left, bool past_caches) {
  if (!past_caches) return rows_from<Rows, How, false>(pixels, table, 0, above, left);
  rows_from<Rows, How, true>(pixels, table, 0, above, left);
  past_caches_done();
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
      for (int r = 0; r < together; ++r) partial = static_cast<Partial>(partial + term<Partial>(first[r * stride + x]));
      column[x] += static_cast<Sum>(partial);
    }
  }
  for (; y < rows; ++y)
    for (int x = 0; x < width; ++x) column[x] += term<Sum>(pixels[y * stride + x]);
}

template <class Input, class Sum>
Sum row_sum(const Input* pixels, int width) {
  Sum sum = 0;
  for (int x = 0; x < width; ++x) sum += term<Sum>(pixels[x]);
  return sum;
}

// With non-temporal stores two rows together are faster than one; more rows, or ordinary stores, gain nothing.
constexpr int rows_together = 2;

template <class Input, class Sum>
constexpr RowFunctions<Input, Sum> functions_of{
    table_rows<rows_together, Entries::in_turn, Input, Sum>, table_rows<2, Entries::by_pairs, Input, Sum>,
    table_rows<4, Entries::by_pairs, Input, Sum>, add_columns<Input, Sum>, row_sum<Input, Sum>};

constexpr RowScan row_scan{
    name_of(HostVectors::HOST_VECTORS),
    {functions_of<std::uint8_t, std::uint32_t>, functions_of<std::uint8_t, float>,
     functions_of<std::uint32_t, std::uint32_t>, functions_of<float, float>, functions_of<double, double>,
     functions_of<std::uint8_t, std::uint64_t>, functions_of<std::uint16_t, std::uint32_t>,
     functions_of<std::uint16_t, std::uint64_t>, functions_of<std::uint8_t, double>, functions_of<float, double>,
     functions_of<Plain<std::uint8_t>, std::uint64_t>, functions_of<Squared<std::uint16_t>, std::uint64_t>,
     functions_of<Squared<float>, double>},
    pixel_rows};

}  // namespace
}  // namespace gpu::sat::HOST_VECTORS
