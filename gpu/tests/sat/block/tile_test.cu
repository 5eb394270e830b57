// Tile of tile.cuh: its content after loading or staging, and the sums computed from it.
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
