// Tile of tile.cuh: its content after loading or staging, the sums computed from it, and the prefix sums that it writes, of rows, of
// columns and of both, and that it writes nothing else.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/tests/sat/block/tile_cases.cuh"

namespace gpu::sat {
namespace {

template <class TileType>
__device__ void copy_out(const TileType& tile, int number, typename Of<TileType>::Input* pixels) {
  constexpr int W = Of<TileType>::W, H = Of<TileType>::H;
  for (int r = 0; r < TileType::rows; ++r)
    for (int c = 0; c < TileType::columns; ++c)
      pixels[(number * H + tile.first_row() + r) * W + tile.first_column() + c] = tile.at[r].at[c];
}

// For each tile: its pixels, row_sum() of each thread, the column sums of its bands.
template <class TileType, class Input, class Sum>
__global__ void __launch_bounds__(TileType::threads)
    local_sums(ImageView<const Input> image, bool aligned, Input* pixels, Sum* row_sums, Sum* band_sums) {
  constexpr int W = Of<TileType>::W, H = Of<TileType>::H;
  const int number = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x);
  TileType tile;
  tile.load(image, static_cast<int>(blockIdx.x) * W, static_cast<int>(blockIdx.y) * H, aligned);
  copy_out(tile, number, pixels);
  tile.keep_packed();
  row_sums[number * TileType::threads + static_cast<int>(threadIdx.x)] = tile.row_sum();
  const Four<Sum> sums = tile.band_column_sums();
  for (int c = 0; c < TileType::columns; ++c)
    band_sums[(number * TileType::groups + tile.group()) * W + tile.first_column() + c] = sums.at[c];
}

// As in 1r1w_skss: a block walks down a column of tiles, with Depth of them in flight; the last ones lie below the
// image.
template <class TileType, int Depth, class Input>
__global__ void __launch_bounds__(TileType::threads)
    walk_down(ImageView<const Input> image, bool aligned, Input* pixels, int tile_rows) {
  constexpr int W = Of<TileType>::W, H = Of<TileType>::H;
  unsigned char* const dynamic = dynamic_shared();
  auto* staging = reinterpret_cast<Four<Input>*>(dynamic);
  const auto stage = [&](int I) {
    TileType::stage(staging + I % Depth * (W * H / 4), image, static_cast<int>(blockIdx.x) * W, I * H, aligned);
  };
  for (int I = 0; I < Depth; ++I) stage(I);
  for (int I = 0; I < tile_rows; ++I) {
    TileType tile;
    tile.template unstage<Depth - 1>(staging + I % Depth * (W * H / 4));
    __syncthreads();
    copy_out(tile, I * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x), pixels);
    stage(I + Depth);
  }
}

template <class TileType>
class TileTest : public NeedsGpu<testing::Test> {
 protected:
  using Tiled = TiledImage<TileType>;
  static constexpr int W = Of<TileType>::W, H = Of<TileType>::H;

  static auto pixels_of(const Tiled& tiled) {
    std::vector<typename Tiled::Input> pixels;
    for (int t = 0; t < tiled.tiles(); ++t)
      for (int i = 0; i < H; ++i)
        for (int j = 0; j < W; ++j) pixels.push_back(tiled.at(t, i, j));
    return pixels;
  }
  // By thread: the row that summed_row() returns.
  static auto row_sums_of(const Tiled& tiled) {
    std::vector<typename Tiled::Sum> sums;
    for (int t = 0; t < tiled.tiles(); ++t)
      for (int thread = 0; thread < TileType::threads; ++thread) {
        const int group = thread / TileType::lanes, lane = thread % TileType::lanes;
        const int row = group * TileType::rows + lane / (TileType::lanes / TileType::rows);
        typename Tiled::Sum sum = 0;
        for (int j = 0; j < W; ++j) sum += tiled.term_at(t, row, j);
        sums.push_back(sum);
      }
    return sums;
  }
  static auto band_sums_of(const Tiled& tiled) {
    std::vector<typename Tiled::Sum> sums;
    for (int t = 0; t < tiled.tiles(); ++t)
      for (int g = 0; g < TileType::groups; ++g)
        for (int j = 0; j < W; ++j) {
          typename Tiled::Sum sum = 0;
          for (int r = 0; r < TileType::rows; ++r) sum += tiled.term_at(t, g * TileType::rows + r, j);
          sums.push_back(sum);
        }
    return sums;
  }
};
TYPED_TEST_SUITE(TileTest, Tiles);

TYPED_TEST(TileTest, HoldsItsPixelsAndTheirSums) {
  using Tiled = TiledImage<TypeParam>;
  for (const auto& lie : tile_cases(Tiled::W, Tiled::H)) {
    const Tiled tiled(lie);
    SCOPED_TRACE(tiled.text());
    ASSERT_EQ(tiled.aligned(), lie.offset == 0);
    const auto pixels = this->pixels_of(tiled);
    const auto row_sums = this->row_sums_of(tiled), band_sums = this->band_sums_of(tiled);
    const OnDevice<typename Tiled::Input> seen(pixels.size());
    const OnDevice<typename Tiled::Sum> seen_rows(row_sums.size()), seen_bands(band_sums.size());
    start(local_sums<TypeParam, typename Tiled::Input, typename Tiled::Sum>, tiled.grid(), tiled.image(), tiled.aligned(),
          seen.data(), seen_rows.data(), seen_bands.data());
    EXPECT_TRUE(same(seen.back(), pixels));
    EXPECT_TRUE(same(seen_rows.back(), row_sums));
    EXPECT_TRUE(same(seen_bands.back(), band_sums));
  }
}

TYPED_TEST(TileTest, ComesThroughSharedMemory) {
  using Tiled = TiledImage<TypeParam>;
  constexpr std::size_t tile_bytes = sizeof(typename Tiled::Input) * Tiled::W * Tiled::H;
  constexpr int depth = tile_bytes > 64 * 1024 ? 1 : 3;
  const auto most = current_gpu_limits().shared_bytes;
  if (most < depth * tile_bytes) GTEST_SKIP() << "blocks of this GPU have " << most << " bytes of shared memory";
  for (const auto& lie : tile_cases(Tiled::W, Tiled::H)) {
    const Tiled tiled(lie);
    SCOPED_TRACE(tiled.text());
    const auto pixels = this->pixels_of(tiled);
    const OnDevice<typename Tiled::Input> seen(pixels.size());
    start(walk_down<TypeParam, depth, typename Tiled::Input>,
          {dim3(static_cast<unsigned>(tiled.columns)), dim3(TypeParam::threads), depth * tile_bytes}, tiled.image(),
          tiled.aligned(), seen.data(), tiled.rows);
    EXPECT_TRUE(same(seen.back(), pixels));
  }
}

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

TEST(TileAlignedToFourTest, MeansEveryRow) {
  alignas(16) static float memory[64];
  EXPECT_TRUE(aligned_to_four(ImageView<float>{memory, 5, 3, 8}));
  EXPECT_FALSE(aligned_to_four(ImageView<float>{memory + 1, 5, 3, 8}));
  EXPECT_FALSE(aligned_to_four(ImageView<float>{memory + 2, 5, 3, 8}));
  EXPECT_FALSE(aligned_to_four(ImageView<float>{memory, 5, 3, 6}));
  EXPECT_TRUE(aligned_to_four(ImageView<float>{memory + 4, 5, 3, 12}));
  auto* bytes = reinterpret_cast<std::uint8_t*>(memory);
  EXPECT_TRUE(aligned_to_four(ImageView<std::uint8_t>{bytes + 4, 5, 3, 20}));
  EXPECT_FALSE(aligned_to_four(ImageView<std::uint8_t>{bytes + 2, 5, 3, 20}));
  EXPECT_FALSE(aligned_to_four(ImageView<std::uint8_t>{bytes, 5, 3, 18}));
  auto* doubles = reinterpret_cast<double*>(memory);  // a Four of them is two 16-byte pieces
  EXPECT_TRUE(aligned_to_four(ImageView<double>{doubles + 2, 3, 3, 6}));
  EXPECT_FALSE(aligned_to_four(ImageView<double>{doubles + 1, 3, 3, 6}));
  EXPECT_FALSE(aligned_to_four(ImageView<double>{doubles, 3, 3, 5}));
}

}  // namespace
}  // namespace gpu::sat
