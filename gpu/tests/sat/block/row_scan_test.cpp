// The host's row scans against plain loops: every vector width that this machine has, every type, lengths around every
// vector's edge, and rows that begin anywhere.
#include "gpu/sat/block/row_scan_simd.h"

#include <gtest/gtest.h>

#include <cstring>
#include <tuple>
#include <vector>

#include "gpu/tests/sat/sat_cases.h"

namespace gpu::sat {
namespace {

constexpr int most_rows = 19;                                 // twice what is added at once, and three
constexpr std::ptrdiff_t stride = 1061, table_stride = 1088;  // odd; and of whole cache lines
constexpr std::size_t guard = 64;                             // elements before and after what is written
constexpr int offsets[] = {0, 1, 2, 3, 5, 8, 15};             // from a cache line's beginning, in elements

// Whole numbers, so that floats are exact in any order too. Integers wrap.
template <class T>
T value(int x, int y) {
  const auto random = pixel<std::uint32_t>({Content::Kind::random}, x, y);
  return static_cast<T>(std::is_floating_point_v<T> ? random % 256 : random);
}

// A cache line aligned buffer of bytes that are no sum of anything.
template <class T>
Buffer<T> guarded(std::size_t count) {
  Buffer<T> buffer(guard + count + guard, Device::host);
  std::memset(buffer.data(), 0xCD, buffer.size() * sizeof(T));
  return buffer;
}

template <class T>
bool same_bytes(const Buffer<T>& a, const Buffer<T>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// A bit a lane: each prefix is told from every other.
template <int Lanes>
void check_lanes() {
  if constexpr (Lanes <= simd_lanes) {
    typename Simd<Lanes>::Words v;
    for (int i = 0; i < Lanes; ++i) v[i] = 1u << i;
    const auto scanned = Simd<Lanes>::inclusive_scan(v);
    const auto last = Simd<Lanes>::last_lane_everywhere(scanned);
    for (int i = 0; i < Lanes; ++i) {
      EXPECT_EQ(scanned[i], (2u << i) - 1) << "lane " << i << " of " << Lanes;
      EXPECT_EQ(last[i], (1u << Lanes) - 1) << "lane " << i << " of " << Lanes;
    }
  }
}

TEST(RowScanLanes, AreScannedInOrder) {
  check_lanes<4>();
  check_lanes<8>();
  check_lanes<16>();
}

class RowScan : public testing::TestWithParam<std::tuple<int, SatType>> {
 protected:
  // f.template operator()<Lanes, Input, Sum>(first pixel, length, offset) for all lengths and offsets.
  template <class F>
  void for_all(const F& f) {
    visit_constant<4, 8, 16>(std::get<0>(GetParam()), [&]<int Lanes>() {
      if constexpr (Lanes <= simd_lanes)
        with_types(std::get<1>(GetParam()), [&]<class Input, class Sum>() {
          Buffer<Input> pixels(most_rows * stride + 64, Device::host);
          for (std::size_t i = 0; i < pixels.size(); ++i) pixels.data()[i] = value<Input>(static_cast<int>(i), 1);
          for (int i = 0; i <= 71; ++i)
            for (const int offset : offsets) {
              const int length = i <= 70 ? i : 1000;
              SCOPED_TRACE(std::to_string(length) + " from " + std::to_string(offset));
              f.template operator()<Lanes, Input, Sum>(pixels.data() + offset, length, offset);
              if (HasFatalFailure()) return;
            }
        });
    });
  }
};

// table_rows: what it writes into the table and leaves in `above`, and that it writes nothing else.
template <int Rows, bool PastCaches, int Lanes, class Input, class Sum>
void check_table_rows(const Input* pixels, int width, int offset) {
  auto table = guarded<Sum>(Rows * table_stride), expected_table = guarded<Sum>(Rows * table_stride);
  auto above = guarded<Sum>(table_stride), expected_above = guarded<Sum>(table_stride);
  // Past the caches the table must be aligned; what it is read from need not be.
  const auto table_at = guard + static_cast<std::size_t>(PastCaches ? 0 : offset);
  const auto above_at = guard + static_cast<std::size_t>(offset);
  for (int x = 0; x < width; ++x)
    above.data()[above_at + x] = expected_above.data()[above_at + x] = value<Sum>(x, 2);
  for (int y = 0; y < Rows; ++y) {
    Sum row = 0;
    for (int x = 0; x < width; ++x) {
      row += term<Sum>(pixels[y * stride + x]);
      expected_above.data()[above_at + x] += row;
      expected_table.data()[table_at + y * table_stride + x] = expected_above.data()[above_at + x];
    }
  }
  table_rows<Rows, PastCaches, Lanes>(pixels, stride, above.data() + above_at, table.data() + table_at, table_stride,
                                      width);
  if (PastCaches) past_caches_done();
  ASSERT_TRUE(same_bytes(table, expected_table)) << Rows << " rows, past the caches: " << PastCaches;
  ASSERT_TRUE(same_bytes(above, expected_above)) << Rows << " rows, past the caches: " << PastCaches;
}

TEST_P(RowScan, TableRowsAreThoseOfAPlainLoop) {
  for_all([]<int Lanes, class Input, class Sum>(const Input* pixels, int width, int offset) {
    check_table_rows<1, false, Lanes, Input, Sum>(pixels, width, offset);
    check_table_rows<2, false, Lanes, Input, Sum>(pixels, width, offset);
    check_table_rows<3, false, Lanes, Input, Sum>(pixels, width, offset);
    check_table_rows<1, true, Lanes, Input, Sum>(pixels, width, offset);
    check_table_rows<2, true, Lanes, Input, Sum>(pixels, width, offset);
  });
}

TEST_P(RowScan, ColumnSumsAreThoseOfAPlainLoop) {
  for_all([]<int, class Input, class Sum>(const Input* pixels, int width, int offset) {
    for (int rows = 0; rows <= most_rows; ++rows) {
      auto column = guarded<Sum>(table_stride), expected = guarded<Sum>(table_stride);
      const auto at = guard + static_cast<std::size_t>(offset);
      for (int x = 0; x < width; ++x) {
        column.data()[at + x] = expected.data()[at + x] = value<Sum>(x, 3);
        for (int y = 0; y < rows; ++y) expected.data()[at + x] += term<Sum>(pixels[y * stride + x]);
      }
      add_columns(pixels, stride, rows, column.data() + at, width);
      ASSERT_TRUE(same_bytes(column, expected)) << rows << " rows";
    }
  });
}

std::vector<int> widths_here() {
  std::vector<int> all;
  for (int lanes = 4; lanes <= simd_lanes; lanes *= 2) all.push_back(lanes);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, RowScan,
                         testing::Combine(testing::ValuesIn(widths_here()), testing::ValuesIn(all_sat_types)),
                         [](const auto& info) {
                           return std::string(gpu::info(std::get<1>(info.param)).name) + "_" +
                                  std::to_string(std::get<0>(info.param)) + "_lanes";
                         });

}  // namespace
}  // namespace gpu::sat
