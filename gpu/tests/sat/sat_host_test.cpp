// Every host algorithm, type, parameter, size and content compared with the reference; and the reference with its
// definition.
#include <gtest/gtest.h>

#include "gpu/sat.h"
#include "gpu/tests/sat/sat_matrix.h"

namespace gpu {
namespace {

class SatHostTest : public testing::TestWithParam<SatTestCase> {};

TEST_P(SatHostTest, EqualsReference) {
  constexpr std::size_t most_pixels = 1920 * 1080;
  SatMatrix<HostSpace>(GetParam()).check(layouts(*GetParam().algorithm, most_pixels));
}

TEST_P(SatHostTest, RowsOfEveryAlignment) {
  constexpr std::size_t random_only = 1;
  SatMatrix<HostSpace>(GetParam()).check(aligned_layouts(GetParam().type, {290, 37}), random_only);
}

INSTANTIATE_TEST_SUITE_P(Every, SatHostTest, testing::ValuesIn(sat_test_cases(Device::host)), case_name);

// Rounding errors grow most visibly in sums of numbers of one sign.
using SatHostFloatTest = SatHostTest;
TEST_P(SatHostFloatTest, KeepsToTheErrorBound) {
  SatMatrix<HostSpace>(GetParam()).check({{1500, 1300}, 1500, 1500}, {Content::Kind::positive});
}

INSTANTIATE_TEST_SUITE_P(Every, SatHostFloatTest,
                         testing::ValuesIn(sat_test_cases(Device::host,
                                                          {SatType::f32_f32, SatType::f64_f64, SatType::f32_f64_squares})),
                         case_name);

using SatHostThinTest = SatHostTest;
TEST_P(SatHostThinTest, EqualsReference) {
  for (const auto& layout : thin_layouts(*GetParam().algorithm))
    SatMatrix<HostSpace>(GetParam()).check(layout, {Content::Kind::random});
}

INSTANTIATE_TEST_SUITE_P(Every, SatHostThinTest, testing::ValuesIn(sat_test_cases(Device::host, {SatType::u8_u32})),
                         case_name);

// 4112² pixels of 255 sum to more than 2^32.
class SatHostWrapTest : public testing::TestWithParam<SatTestCase> {};

TEST_P(SatHostWrapTest, EqualsReference) {
  constexpr std::size_t random_and_all_max = 2;
  SatMatrix<HostSpace>(GetParam()).check({{{4112, 4112}, 4112, 4112}}, random_and_all_max);
}

INSTANTIATE_TEST_SUITE_P(Every, SatHostWrapTest, testing::ValuesIn(sat_test_cases(Device::host, {SatType::u8_u32})),
                         case_name);

// The reference itself: every entry from its definition, by four loops.
template <class Input, class Sum>
void check_oracle(Term term) {
  constexpr int width = 13, height = 9;
  std::vector<Input> pixels(width * height);
  std::vector<Sum> sums(pixels.size());
  const ImageView<Input> image{pixels.data(), width, height, width};
  const ImageView<Sum> table{sums.data(), width, height, width};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image(x, y) = pixel<Input>({Content::Kind::ramp}, x, y);
  sat::reference<Input, Sum>(image, table);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Sum sum = 0;
      for (int j = 0; j <= y; ++j)
        for (int i = 0; i <= x; ++i) {
          const auto value = static_cast<Sum>(value_of(image(i, j)));
          sum += term == Term::square ? value * value : value;
        }
      ASSERT_EQ(table(x, y), sum) << x << ", " << y;
    }
}

TEST(SatHostReferenceTest, IsTheSumOfEverythingAboveAndLeft) {
  for (const auto& type : sat_types) {
    SCOPED_TRACE(type.name);
    with_types(type.type, [&]<class Input, class Sum>() { check_oracle<Input, Sum>(type.term); });
  }
}

// The comparison that all of these tests use must detect a single wrong entry: an integer by one bit, a float by more than
// the bound, and a NaN.
TEST(SatHostCompareTablesTest, DetectsOneWrongEntry) {
  std::vector<std::uint32_t> right{1, 2, 3, 4, 5, 6}, table = right;
  const auto compare = [&] {
    return compare_on_host<std::uint32_t>({{table.data(), 3, 2, 3}, {right.data(), 3, 2, 3}, {right.data(), 3, 2, 3}});
  };
  EXPECT_EQ(compare().count, 0u);
  table[4] ^= 0x80000000u;
  EXPECT_EQ(compare().count, 1u);
  EXPECT_EQ(compare().first, 4u);
}

TEST(SatHostCompareTablesTest, DetectsOneWrongFloat) {
  std::vector<double> right{0.1, 0.2, 0.3};
  const auto compare = [&](std::vector<float> table, bool whole) {
    return compare_on_host<float>({{table.data(), 3, 1, 3}, {right.data(), 3, 1, 3}, {right.data(), 3, 1, 3}, whole}).count;
  };
  EXPECT_EQ(compare({0.1f, 0.2f, 0.3f}, false), 0u);
  EXPECT_EQ(compare({0.1f, 0.2001f, 0.3f}, false), 1u);
  EXPECT_EQ(compare({0.1f, std::numeric_limits<float>::quiet_NaN(), 0.3f}, false), 1u);
  right = {1, 2, 3};
  EXPECT_EQ(compare({1, 2, 3}, true), 0u);
  EXPECT_EQ(compare({1, std::nextafter(2.0f, 3.0f), 3}, true), 1u) << "small integers must be exact";
}

}  // namespace
}  // namespace gpu
