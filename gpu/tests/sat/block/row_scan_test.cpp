// The row scans of the host compared with plain loops: every variant that this machine can run, every type, lengths around
// multiples of the vector width, and rows of every alignment.
#include "gpu/sat/block/row_scan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "gpu/checks/sat_cases.h"

namespace gpu::sat {
namespace {

constexpr int max_rows = 19;                                  // twice the rows added at once, and three
constexpr std::ptrdiff_t stride = 1061, table_stride = 1088;  // odd; a multiple of cache lines
constexpr std::size_t guard = 64;                             // elements before and after the written ones
constexpr int offsets[] = {0, 1, 2, 3, 5, 8, 15};             // from the start of a cache line, in elements

// Integers, so that floats are also exact in any order. Integer sums wrap around.
template <class Pixel>
Pixel value(int x, int y) {
  using T = PixelValue<Pixel>;
  const auto random = pixel<std::uint32_t>({Content::Kind::random}, x, y);
  return Pixel{static_cast<T>(std::is_floating_point_v<T> ? random % 256 : random)};
}

// A buffer aligned to cache lines, filled with bytes that are not a sum.
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

class RowScanVariantsTest : public testing::TestWithParam<std::tuple<const RowScan*, SatType>> {
 protected:
  // f(functions of the variant, first pixel, length, offset) for all lengths and offsets.
  template <class F>
  void for_all(const F& f) {
    with_types(std::get<1>(GetParam()), [&]<class Input, class Sum>() {
      const auto& functions = std::get<0>(GetParam())->of<Input, Sum>();
      Buffer<Input> pixels(max_rows * stride + 64, Device::host);
      for (std::size_t i = 0; i < pixels.size(); ++i) pixels.data()[i] = value<Input>(static_cast<int>(i), 1);
      for (int i = 0; i <= 71; ++i)
        for (const int offset : offsets) {
          const int length = i <= 70 ? i : 1000;
          SCOPED_TRACE(std::to_string(length) + " from " + std::to_string(offset));
          f(functions, pixels.data() + offset, length, offset);
          if (HasFatalFailure()) return;
        }
    });
  }
};

// table_rows and its kin: what they write into the table, into `above` and into `left`, and that they write nothing else.
template <class Input, class Sum>
void check_table_rows(const RowFunctions<Input, Sum>& functions, int rows, bool past_caches, bool has_left,
                      const Input* pixels, int width, int offset) {
  const auto entries = static_cast<std::size_t>(rows * table_stride);
  auto expected_table = guarded<Sum>(entries), expected_above = guarded<Sum>(table_stride),
       expected_left = guarded<Sum>(max_rows);
  // For stores past the caches the table must be aligned, its input need not be.
  const auto table_at = guard + static_cast<std::size_t>(past_caches ? 0 : offset);
  const auto above_at = guard + static_cast<std::size_t>(offset);
  const auto fill = [&](Buffer<Sum>& above, Buffer<Sum>& left) {
    for (int x = 0; x < width; ++x) above.data()[above_at + x] = value<Sum>(x, 2);
    for (int y = 0; y < rows; ++y) left.data()[guard + y] = value<Sum>(y, 4);
  };
  fill(expected_above, expected_left);
  for (int y = 0; y < rows; ++y) {
    Sum none = 0, &row = has_left ? expected_left.data()[guard + y] : none;
    for (int x = 0; x < width; ++x) {
      row += term<Sum>(pixels[y * stride + x]);
      expected_above.data()[above_at + x] += row;
      expected_table.data()[table_at + y * table_stride + x] = expected_above.data()[above_at + x];
    }
  }
  for (const auto function : {functions.table_rows, functions.two_rows, functions.four_rows}) {
    auto table = guarded<Sum>(entries), above = guarded<Sum>(table_stride), left = guarded<Sum>(max_rows);
    fill(above, left);
    function({pixels, width, rows, stride}, {table.data() + table_at, width, rows, table_stride}, above.data() + above_at,
             has_left ? left.data() + guard : nullptr, past_caches);
    const auto where = std::to_string(rows) + " rows, past the caches: " + std::to_string(past_caches) +
                       ", sums from the left: " + std::to_string(has_left);
    ASSERT_TRUE(same_bytes(table, expected_table)) << where;
    ASSERT_TRUE(same_bytes(above, expected_above)) << where;
    ASSERT_TRUE(same_bytes(left, expected_left)) << where;
  }
}

TEST_P(RowScanVariantsTest, TableRowsEqualAPlainLoop) {
  for_all([]<class Input, class Sum>(const RowFunctions<Input, Sum>& functions, const Input* pixels, int width, int offset) {
    for (int rows = 0; rows <= 7; ++rows)
      for (const bool past_caches : {false, true})
        for (const bool has_left : {false, true})
          check_table_rows(functions, rows, past_caches, has_left, pixels, width, offset);
  });
}

TEST_P(RowScanVariantsTest, RowSumsEqualAPlainLoop) {
  for_all([]<class Input, class Sum>(const RowFunctions<Input, Sum>& functions, const Input* pixels, int width, int) {
    Sum expected = 0;
    for (int x = 0; x < width; ++x) expected += term<Sum>(pixels[x]);
    ASSERT_EQ(functions.row_sum(pixels, width), expected);
  });
}

TEST_P(RowScanVariantsTest, ColumnSumsEqualAPlainLoop) {
  for_all([]<class Input, class Sum>(const RowFunctions<Input, Sum>& functions, const Input* pixels, int width, int offset) {
    for (int rows = 0; rows <= max_rows; ++rows) {
      auto column = guarded<Sum>(table_stride), expected = guarded<Sum>(table_stride);
      const auto at = guard + static_cast<std::size_t>(offset);
      for (int x = 0; x < width; ++x) {
        column.data()[at + x] = expected.data()[at + x] = value<Sum>(x, 3);
        for (int y = 0; y < rows; ++y) expected.data()[at + x] += term<Sum>(pixels[y * stride + x]);
      }
      functions.add_columns(pixels, stride, rows, column.data() + at, width);
      ASSERT_TRUE(same_bytes(column, expected)) << rows << " rows";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Here, RowScanVariantsTest,
                         testing::Combine(testing::ValuesIn(row_scans_here()), testing::ValuesIn(all_sat_types)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)->name) + "_" +
                                  std::string(gpu::info(std::get<1>(info.param)).name);
                         });

}  // namespace
}  // namespace gpu::sat
