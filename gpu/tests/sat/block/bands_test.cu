// Bands and Prefix: the data that threads of a tile exchange through shared memory.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

// [group][W], the layout of the bands.
template <class TileType, class Sum>
__device__ Sum* own_columns(Sum* values, int W) {
  return values + TileType::group() * W + TileType::first_column();
}

template <int W, int Groups, class Sum>
__global__ void __launch_bounds__(Tile<Sum, Sum, W, Groups>::threads)
    use_bands(const Sum* sums, const Sum* carries, Sum* columns, Sum* above, Sum* scanned_columns, Sum* scanned) {
  using TileType = Tile<Sum, Sum, W, Groups>;
  auto& bands = static_shared<Bands<Sum, W, Groups>>();
  const int thread = static_cast<int>(threadIdx.x);
  Four<Sum> own, first, second;
  for (int c = 0; c < 4; ++c) {
    own.at[c] = own_columns<TileType>(sums, W)[c];
    first.at[c] = second.at[c] = own_columns<TileType>(carries, W)[c];
  }
  bands.put(own);
  __syncthreads();
  if (thread < W) columns[thread] = bands.column(thread);
  bands.add_above(first);
  __syncthreads();
  if (thread < W) scanned_columns[thread] = bands.scan_column(thread);
  __syncthreads();
  bands.add_scanned(second);
  for (int c = 0; c < 4; ++c) {
    own_columns<TileType>(above, W)[c] = first.at[c];
    own_columns<TileType>(scanned, W)[c] = second.at[c];
  }
}

template <int W, int Groups, class Sum>
void check_bands() {
  SCOPED_TRACE(std::to_string(W) + " columns, " + std::to_string(Groups) + " bands");
  const auto sums = numbers<Sum>(Groups * W), carries = numbers<Sum>(Groups * W, 2);
  std::vector<Sum> columns(W), above = carries;
  for (std::size_t g = 0; g < Groups; ++g)
    for (std::size_t j = 0; j < W; ++j) {
      above[g * W + j] += columns[j];
      columns[j] += sums[g * W + j];
    }
  const OnDevice<Sum> there(sums), there_carries(carries), seen_columns(W), seen_above(above.size()), seen_scan(W),
      seen_scanned(above.size());
  start(use_bands<W, Groups, Sum>, {dim3(1), dim3(Tile<Sum, Sum, W, Groups>::threads)}, there.data(), there_carries.data(),
        seen_columns.data(), seen_above.data(), seen_scan.data(), seen_scanned.data());
  EXPECT_TRUE(same(seen_columns.back(), columns));
  EXPECT_TRUE(same(seen_above.back(), above));
  EXPECT_TRUE(same(seen_scan.back(), columns));
  EXPECT_TRUE(same(seen_scanned.back(), above));
}

// The second half of the block writes the values, as in 1r1w_skss_lb; all threads read.
template <int W, class Sum>
__global__ void use_prefix(const Sum* values, Sum* prefix_sums, Sum* alls) {
  auto& prefix = static_shared<Prefix<Sum, W>>();
  const int thread = static_cast<int>(threadIdx.x), index = thread % W;
  if (thread >= W) prefix.put(index, values[index]);
  __syncthreads();
  prefix_sums[thread] = prefix.at[index] + prefix.before(index);
  alls[thread] = prefix.all();
}

template <int W, class Sum>
void check_prefix() {
  const auto values = numbers<Sum>(W);
  std::vector<Sum> prefix_sums;
  Sum sum = 0;
  for (int i = 0; i < 2 * W; ++i) {
    if (i == W) sum = 0;
    prefix_sums.push_back(sum += values[static_cast<std::size_t>(i % W)]);
  }
  const OnDevice<Sum> there(values), seen(2 * W), seen_all(2 * W);
  start(use_prefix<W, Sum>, {dim3(1), dim3(2 * W)}, there.data(), seen.data(), seen_all.data());
  EXPECT_TRUE(same(seen.back(), prefix_sums)) << W;
  EXPECT_TRUE(same(seen_all.back(), std::vector<Sum>(2 * W, sum))) << W;
}

template <class Sum>
class BandsTest : public PerSum<Sum> {};
TYPED_TEST_SUITE(BandsTest, Sums);

TYPED_TEST(BandsTest, BandsAddAndScanColumns) {
  constexpr int groups = usual_groups<TypeParam>;
  check_bands<32, groups, TypeParam>();
  check_bands<64, groups, TypeParam>();
  check_bands<128, groups, TypeParam>();
  check_bands<32, 2 * groups, TypeParam>();
  check_bands<128, 2 * groups, TypeParam>();
}

TYPED_TEST(BandsTest, PrefixAddsUpWarps) {
  check_prefix<32, TypeParam>();
  check_prefix<64, TypeParam>();
  check_prefix<128, TypeParam>();
}

}  // namespace
}  // namespace gpu::sat
