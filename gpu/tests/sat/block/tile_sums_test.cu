// tile_sums.cuh: the local sums of every tile, the table made from tiles and the global sums of
// their neighbours, and both diagonal by diagonal.
#include "gpu/sat/block/tile_sums.cuh"

#include "gpu/tests/sat/block/tile_cases.cuh"

namespace gpu::sat {
namespace {

template <class Input, class Sum, int W>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    local_sums(ImageView<const Input> image, bool aligned, TileSums<Sum> sums) {
  write_local_sums<Input, Sum, W>(image, aligned, sums, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x));
}
template <class Input, class Sum, int W>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    global_sat(ImageView<const Input> image, bool aligned, ImageView<Sum> sat, TileSums<Sum> sums) {
  write_global_sat<Input, Sum, W>(image, sat, Alignment<bool, bool>{aligned, aligned}, sums, static_cast<int>(blockIdx.y),
                                  static_cast<int>(blockIdx.x));
}

// The three arrays of TileSums from their definition: sums of a tile's row (column) from the left (top) edge of the tile,
// or of the image; and sums of the tile, or of everything above and left.
template <class TileType>
struct SumsOf {
  using Tiled = TiledImage<TileType>;
  using Sum = typename Tiled::Sum;
  static constexpr int W = Tiled::W;
  std::vector<Sum> row, column, corner;

  SumsOf(const Tiled& tiled, bool global)
      : row(static_cast<std::size_t>(tiled.tiles() * W)),
        column(row.size()),
        corner(static_cast<std::size_t>(tiled.tiles())) {
    const auto at = [](auto& values, int i) -> Sum& { return values[static_cast<std::size_t>(i)]; };
    for (int I = 0; I < tiled.rows; ++I)
      for (int J = 0; J < tiled.columns; ++J)
        for (int i = 0; i < W; ++i)
          for (int j = 0; j < W; ++j) {
            const Sum pixel = tiled.term_at(I * tiled.columns + J, i, j);
            const int last_I = global ? tiled.rows - 1 : I, last_J = global ? tiled.columns - 1 : J;
            for (int J2 = J; J2 <= last_J; ++J2) at(row, (J2 * tiled.rows + I) * W + i) += pixel;
            for (int I2 = I; I2 <= last_I; ++I2) at(column, (I2 * tiled.columns + J) * W + j) += pixel;
            for (int I2 = I; I2 <= last_I; ++I2)
              for (int J2 = J; J2 <= last_J; ++J2) at(corner, I2 * tiled.columns + J2) += pixel;
          }
  }
};

// The table, and the unchanged memory around it.
template <class TileType>
struct TableOf {
  using Tiled = TiledImage<TileType>;
  std::vector<typename Tiled::Sum> before, table;

  explicit TableOf(const Tiled& tiled) : before(numbers<typename Tiled::Sum>(tiled.lie.elements(), 5)), table(before) {
    const auto image = tiled.lie.view(tiled.pixels.data());
    const auto sat = tiled.lie.view(table.data());
    for (int y = 0; y < image.height; ++y) {
      typename Tiled::Sum row = 0;
      for (int x = 0; x < image.width; ++x) {
        row += term<typename Tiled::Sum>(image(x, y));
        sat(x, y) = y > 0 ? row + sat(x, y - 1) : row;
      }
    }
  }
};

template <class TileType>
class TileSumsTest : public NeedsGpu<testing::Test> {};
using Some = testing::Types<OfBytes<std::uint32_t, 32>, OfBytes<std::uint32_t, 128>, OfSums<float, 64>, OfSums<double, 32>,
                            OfBytes<std::uint64_t, 64>>;
TYPED_TEST_SUITE(TileSumsTest, Some);

TYPED_TEST(TileSumsTest, LocalSumsOfEveryTile) {
  using Tiled = TiledImage<TypeParam>;
  for (const auto& lie : tile_cases(Tiled::W, Tiled::H)) {
    const Tiled tiled(lie);
    SCOPED_TRACE(tiled.text());
    const SumsOf<TypeParam> local(tiled, false), global(tiled, true);
    const TileSumsThere<typename Tiled::Sum> there(global, tiled.rows, tiled.columns);  // anything but the expected sums
    start(sat::local_sums<typename Tiled::Input, typename Tiled::Sum, Tiled::W>, tiled.grid(), tiled.image(),
          tiled.aligned(), there.view());
    there.expect(local);
  }
}

TYPED_TEST(TileSumsTest, TableOfTilesAndTheirNeighboursSums) {
  using Tiled = TiledImage<TypeParam>;
  for (const auto& lie : tile_cases(Tiled::W, Tiled::H)) {
    const Tiled tiled(lie);
    SCOPED_TRACE(tiled.text());
    const SumsOf<TypeParam> global(tiled, true);
    const TileSumsThere<typename Tiled::Sum> there(global, tiled.rows, tiled.columns);
    const TableOf<TypeParam> expected(tiled);
    const OnDevice<typename Tiled::Sum> table(expected.before);
    start(global_sat<typename Tiled::Input, typename Tiled::Sum, Tiled::W>, tiled.grid(), tiled.image(), tiled.aligned(),
          lie.view(table.data()), there.view());
    EXPECT_TRUE(same(table.back(), expected.table));
    there.expect(global);
  }
}

TYPED_TEST(TileSumsTest, BothDiagonalByDiagonal) {
  using Tiled = TiledImage<TypeParam>;
  for (const auto& lie : tile_cases(Tiled::W, Tiled::H)) {
    const Tiled tiled(lie);
    SCOPED_TRACE(tiled.text());
    const SumsOf<TypeParam> local(tiled, false), global(tiled, true);
    const TileSumsThere<typename Tiled::Sum> there(local, tiled.rows, tiled.columns);
    const TableOf<TypeParam> expected(tiled);
    const OnDevice<typename Tiled::Sum> table(expected.before);
    auto context = Context::on_stream(nullptr, {});
    const int diagonals = tiled.rows + tiled.columns - 1;
    for (const auto& [begin, end] : {std::pair{0, diagonals / 2}, {diagonals / 2, diagonals}})
      launch_diagonals<typename Tiled::Input, typename Tiled::Sum, Tiled::W>(
          context, UntracedPass(), tiled.image(), lie.view(table.data()), there.view(), begin, end);
    EXPECT_TRUE(same(table.back(), expected.table));
    there.expect(global);
  }
}

}  // namespace
}  // namespace gpu::sat
