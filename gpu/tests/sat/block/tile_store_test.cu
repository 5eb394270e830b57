// Tile of tile.cuh: the prefix sums that it writes, of rows, of columns and of both, and that it writes nothing else.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/tests/sat/block/tile_cases.cuh"

namespace gpu::sat {
namespace {

// `above`: one carry per column of each band, [tile][group][W]; `left`: one per row, [tile][H]. `reported`: the entries
// that store_table passes to its callback, [tile][H][W]. `below`: the same table with `top`, [tile][W], added to each row.
template <class TileType, class Input, class Sum>
__global__ void __launch_bounds__(TileType::threads)
    store(ImageView<const Input> image, bool image_aligned, const Sum* above, const Sum* left, ImageView<Sum> row_sums,
          ImageView<Sum> column_sums, ImageView<Sum> table, bool aligned, Sum* reported, const Sum* top,
          ImageView<Sum> below) {
  constexpr int W = Of<TileType>::W, H = Of<TileType>::H;
  auto& left_of = static_shared<Sum[H]>();
  const int x0 = static_cast<int>(blockIdx.x) * W, y0 = static_cast<int>(blockIdx.y) * H;
  const int number = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x), thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < H; i += TileType::threads) left_of[i] = left[number * H + i];
  __syncthreads();
  TileType tile;
  tile.load(image, x0, y0, image_aligned);
  Four<Sum> band, top_of;
  for (int c = 0; c < TileType::columns; ++c) top_of.at[c] = top[number * W + tile.first_column() + c];
  for (int c = 0; c < TileType::columns; ++c)
    band.at[c] = above[(number * TileType::groups + tile.group()) * W + tile.first_column() + c];

  tile.store_row_sums(row_sums, x0, y0, aligned, left_of);
  tile.store_column_sums(column_sums, x0, y0, aligned, band);
  tile.store_table(table, x0, y0, aligned, band, left_of, [&](int r, const Four<Sum>& row) {
    for (int c = 0; c < TileType::columns; ++c)
      reported[(number * H + tile.first_row() + r) * W + tile.first_column() + c] = row.at[c];
  });
  tile.store_table_below(below, x0, y0, aligned, band, left_of, top_of);
}

template <class TileType>
class TileStoreTest : public NeedsGpu<testing::Test> {};
TYPED_TEST_SUITE(TileStoreTest, Tiles);

TYPED_TEST(TileStoreTest, AddsPrefixSumsToTheCarries) {
  using Tiled = TiledImage<TypeParam>;
  using Sum = typename Tiled::Sum;
  constexpr int W = Tiled::W, H = Tiled::H, groups = TypeParam::groups, band_rows = TypeParam::rows;
  for (const auto& lie : tile_cases(W, H)) {
    const Tiled tiled(lie);
    SCOPED_TRACE(tiled.text());
    const auto tiles = static_cast<std::size_t>(tiled.tiles());
    const auto above = numbers<Sum>(tiles * groups * W, 2), left = numbers<Sum>(tiles * H, 3),
               top = numbers<Sum>(tiles * W, 5);
    // Around the tables, and between their rows, everything stays unchanged.
    auto row_sums = numbers<Sum>(lie.elements(), 4), column_sums = row_sums, table = row_sums, below = row_sums;
    std::vector<Sum> reported(tiles * H * W);
    const OnDevice<Sum> seen_rows(row_sums), seen_columns(row_sums), seen_table(row_sums), seen_below(row_sums),
        seen_reported(reported.size());
    const OnDevice<Sum> there_above(above), there_left(left), there_top(top);

    for (int t = 0; t < tiled.tiles(); ++t)
      for (int g = 0; g < groups; ++g) {
        std::vector<Sum> columns(W);
        for (int j = 0; j < W; ++j) columns[j] = above[static_cast<std::size_t>((t * groups + g) * W + j)];
        for (int i = g * band_rows; i < (g + 1) * band_rows; ++i) {
          Sum row = left[static_cast<std::size_t>(t * H + i)], both = row;
          for (int j = 0; j < W; ++j) {
            row += tiled.term_at(t, i, j);
            columns[j] += tiled.term_at(t, i, j);
            both += columns[j];
            reported[static_cast<std::size_t>((t * H + i) * W + j)] = both;
            const int x = t % tiled.columns * W + j, y = t / tiled.columns * H + i;
            if (x >= lie.size.width || y >= lie.size.height) continue;
            lie.view(row_sums.data())(x, y) = row;
            lie.view(column_sums.data())(x, y) = columns[j];
            lie.view(table.data())(x, y) = both;
            lie.view(below.data())(x, y) = both + top[static_cast<std::size_t>(t * W + j)];
          }
        }
      }
    const auto view = [&](const OnDevice<Sum>& there) { return lie.view(there.data()); };
    start(store<TypeParam, typename Tiled::Input, Sum>, tiled.grid(), tiled.image(), tiled.aligned(), there_above.data(),
          there_left.data(), view(seen_rows), view(seen_columns), view(seen_table), aligned_to_four(view(seen_rows)),
          seen_reported.data(), there_top.data(), view(seen_below));
    EXPECT_TRUE(same(seen_rows.back(), row_sums));
    EXPECT_TRUE(same(seen_columns.back(), column_sums));
    EXPECT_TRUE(same(seen_table.back(), table));
    EXPECT_TRUE(same(seen_reported.back(), reported));
    EXPECT_TRUE(same(seen_below.back(), below));
  }
}

}  // namespace
}  // namespace gpu::sat
