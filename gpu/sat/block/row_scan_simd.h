// The source of every variant of row_scan.h: SIMD as wide as the processor's vectors, if the types allow it. Included by row_scan.cpp
// by way of host_variants.h.

#include "gpu/sat/block/pixel_rows_simd.h"

namespace gpu::sat::HOST_VECTORS {
namespace {

using namespace gpu::HOST_VECTORS;

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
      sums[r] += term<Sum>(pixels[r * stride + x]);
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
      for (int r = 0; r < together; ++r) partial = static_cast<Partial>(partial + term<Partial>(first[r * stride + x]));
      column[x] += static_cast<Sum>(partial);
    }
  }
  for (; y < rows; ++y)
    for (int x = 0; x < width; ++x) column[x] += term<Sum>(pixels[y * stride + x]);
}

template <class Input, class Sum>
constexpr RowFunctions<Input, Sum> functions_of{table_rows<Input, Sum>, add_columns<Input, Sum>};

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
