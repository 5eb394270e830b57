// transpose.cuh: a whole matrix transposed.
#include "gpu/sat/block/transpose.cuh"

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

template <class T>
class TransposeTest : public NeedsGpu<testing::Test> {};
using Words = testing::Types<std::uint32_t, double>;  // a transpose moves bits: one type of each length
TYPED_TEST_SUITE(TransposeTest, Words);

// Memory around the target must stay unchanged.
template <int Side, BlockOrder order, class T>
void check_transpose(const Lie& from, const Lie& to, int rows) {
  SCOPED_TRACE(std::to_string(from.size.width) + "x" + std::to_string(from.size.height) + ", " + std::to_string(Side) +
               " x " + std::to_string(rows) + " threads");
  const auto source = numbers<T>(from.elements());
  auto expected = numbers<T>(to.elements(), 2);
  const OnDevice<T> there(source), target(expected);
  for (int y = 0; y < from.size.height; ++y)
    for (int x = 0; x < from.size.width; ++x) to.view(expected.data())(y, x) = from.view(source.data())(x, y);
  auto context = Context::on_stream(nullptr, {});
  launch_transpose<Side, order>(context, from.view(there.data()), to.view(target.data()), rows);
  EXPECT_TRUE(same(target.back(), expected));
}

template <BlockOrder order, class T>
void check_sizes() {
  for (const Size size :
       {Size{1, 1}, Size{1, 70}, Size{70, 1}, Size{31, 33}, Size{32, 32}, Size{96, 64}, Size{100, 37}, Size{37, 200}}) {
    const Size turned{size.height, size.width};
    check_transpose<16, order, T>(Lie::aligned(size), Lie::aligned(turned), 16);
    check_transpose<32, order, T>(Lie::odd(size), Lie::odd(turned), 8);
    check_transpose<32, order, T>(Lie::odd(size), Lie::aligned(turned), 16);
  }
  // More rows of tiles than a grid can have blocks in y, before or after. So many threads take seconds where they are simulated.
  const Size tall{1, 65536 * 16 + 1}, wide{tall.height, 1};
  if constexpr (sizeof(T) == 4 && order == BlockOrder::plain)
    check_transpose<16, order, T>(Lie::odd(tall), Lie::odd(wide), 16);
  if constexpr (sizeof(T) == 4 && order != BlockOrder::plain)
    check_transpose<16, order, T>(Lie::odd(wide), Lie::odd(tall), 16);
}

TYPED_TEST(TransposeTest, SwapsRowsAndColumns) { check_sizes<BlockOrder::plain, TypeParam>(); }
TYPED_TEST(TransposeTest, SwapsThemInDiagonalOrder) { check_sizes<BlockOrder::diagonal, TypeParam>(); }

}  // namespace
}  // namespace gpu::sat
