// Tile of tile.cuh: the prefix sums that it writes, of rows, of columns and of both, and that it writes nothing else.
#include "gpu/shared_memory.cuh"
#include "gpu/tests/sat/block/tile_cases.cuh"

namespace gpu::sat {
namespace {

// `above`: one carry per column of each band, [tile][group][W]; `left`: one per row, [tile][W]. `reported`: the entries
// that store_table passes to its callback, [tile][W][W].
template <class TileType, class Input, class Sum>
__global__ void __launch_bounds__(TileType::threads)
    store(ImageView<const Input> image, bool image_aligned, const Sum* above, const Sum* left, ImageView<Sum> row_sums,
          ImageView<Sum> column_sums, ImageView<Sum> table, bool aligned, Sum* reported) {
  constexpr int W = Of<TileType>::W;
  auto& left_of = static_shared<Sum[W]>();
  const int x0 = static_cast<int>(blockIdx.x) * W, y0 = static_cast<int>(blockIdx.y) * W;
  const int number = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x), thread = static_cast<int>(threadIdx.x);
  if (thread < W) left_of[thread] = left[number * W + thread];
  __syncthreads();
  TileType tile;
  tile.load(image, x0, y0, image_aligned);
  Four<Sum> band;
  for (int c = 0; c < TileType::columns; ++c)
    band.at[c] = above[(number * TileType::groups + tile.group()) * W + tile.first_column() + c];

  tile.store_row_sums(row_sums, x0, y0, aligned, left_of);
  tile.store_column_sums(column_sums, x0, y0, aligned, band);
  tile.store_table(table, x0, y0, aligned, band, left_of, [&](int r, const Four<Sum>& row) {
    for (int c = 0; c < TileType::columns; ++c)
      reported[(number * W + tile.first_row() + r) * W + tile.first_column() + c] = row.at[c];
  });
}

template <class TileType>
class TileStore : public NeedsGpu<testing::Test> {};
TYPED_TEST_SUITE(TileStore, Tiles);

TYPED_TEST(TileStore, AddsPrefixSumsToTheCarries) {
  using Tiled = TiledImage<TypeParam>;
  using Sum = typename Tiled::Sum;
  constexpr int W = Tiled::W, groups = TypeParam::groups, band_rows = TypeParam::rows;
  for (const auto& lie : tile_cases(W)) {
    const Tiled tiled(lie);
    SCOPED_TRACE(tiled.text());
    const auto tiles = static_cast<std::size_t>(tiled.tiles());
    const auto above = numbers<Sum>(tiles * groups * W, 2), left = numbers<Sum>(tiles * W, 3);
    // Around the tables, and between their rows, everything stays unchanged.
    auto row_sums = numbers<Sum>(lie.elements(), 4), column_sums = row_sums, table = row_sums;
    std::vector<Sum> reported(tiles * W * W);
    const OnDevice<Sum> seen_rows(row_sums), seen_columns(row_sums), seen_table(row_sums), seen_reported(reported.size());
    const OnDevice<Sum> there_above(above), there_left(left);

    for (int t = 0; t < tiled.tiles(); ++t)
      for (int g = 0; g < groups; ++g) {
        std::vector<Sum> columns(W);
        for (int j = 0; j < W; ++j) columns[j] = above[static_cast<std::size_t>((t * groups + g) * W + j)];
        for (int i = g * band_rows; i < (g + 1) * band_rows; ++i) {
          Sum row = left[static_cast<std::size_t>(t * W + i)], both = row;
          for (int j = 0; j < W; ++j) {
            row += tiled.term_at(t, i, j);
            columns[j] += tiled.term_at(t, i, j);
            both += columns[j];
            reported[static_cast<std::size_t>((t * W + i) * W + j)] = both;
            const int x = t % tiled.columns * W + j, y = t / tiled.columns * W + i;
            if (x >= lie.size.width || y >= lie.size.height) continue;
            lie.view(row_sums.data())(x, y) = row;
            lie.view(column_sums.data())(x, y) = columns[j];
            lie.view(table.data())(x, y) = both;
          }
        }
      }
    const auto view = [&](const OnDevice<Sum>& there) { return lie.view(there.data()); };
    start(store<TypeParam, typename Tiled::Input, Sum>, tiled.grid(), tiled.image(), tiled.aligned(), there_above.data(),
          there_left.data(), view(seen_rows), view(seen_columns), view(seen_table), aligned_to_four(view(seen_rows)),
          seen_reported.data());
    EXPECT_TRUE(same(seen_rows.back(), row_sums));
    EXPECT_TRUE(same(seen_columns.back(), column_sums));
    EXPECT_TRUE(same(seen_table.back(), table));
    EXPECT_TRUE(same(seen_reported.back(), reported));
  }
}

}  // namespace
}  // namespace gpu::sat
