// The cases themselves: the few for sanitizers start every kernel, tables from formulas equal added-up ones, and a
// changed byte is detected.
#include "gpu/checks/sat_cases.h"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/sat.h"
#include "gpu/tests/sat/sat_matrix.h"

namespace gpu {
namespace {

class SatCasesReducedLayoutsTest : public testing::TestWithParam<SatTestCase> {};

TEST_P(SatCasesReducedLayoutsTest, StartEveryKernel) {
  const auto more = reduced_long_layouts(GetParam());
  auto reduced = reduced_layouts(*GetParam().algorithm);
  reduced.insert(reduced.end(), more.begin(), more.end());
  EXPECT_EQ(kernels(GetParam(), reduced), kernels(GetParam(), layouts(*GetParam().algorithm, ~std::size_t{0})));
}

// Without the types that others represent.
std::vector<SatTestCase> reduced_cases() {
  auto cases = sat_test_cases(Device::cuda);
  std::erase_if(cases, [](const SatTestCase& test) {
    return has_long_layouts(*test.algorithm) && reduced_long_layouts(test).empty();
  });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Every, SatCasesReducedLayoutsTest, testing::ValuesIn(reduced_cases()),
                         [](const auto& info) { return name(info.param); });

TEST(SatCasesContentsTest, FormulasEqualAddedUpTables) {
  using Kind = Content::Kind;
  constexpr int width = 19, height = 7;
  for (const Content content : {Content{Kind::ones}, Content{Kind::all_max}, Content{Kind::impulse, 0, 0},
                                Content{Kind::impulse, 5, 3}, Content{Kind::impulse, width - 1, height - 1}})
    for (const auto& type : sat_types)
      with_types(type.type, [&]<class Input, class Sum>() {
        using Ref = Reference<Sum>;
        ASSERT_TRUE(content.has_formula());
        std::vector<Input> pixels(width * height);
        std::vector<Ref> sums(pixels.size());
        const ImageView<Input> image{pixels.data(), width, height, width};
        const ImageView<Ref> table{sums.data(), width, height, width};
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x) image(x, y) = pixel<Input>(content, x, y);
        sat::reference<Input, Ref>(image, table);
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x)
            ASSERT_EQ((table_entry<Input, Ref>(content, x, y)), table(x, y)) << type.name << ", " << content.text();
      });
}

TEST(SatCasesHostSpaceTest, DetectsEveryChangedByte) {
  HostSpace space;
  expect_every_changed_byte_is_seen(space, Device::host);
}

}  // namespace
}  // namespace gpu
