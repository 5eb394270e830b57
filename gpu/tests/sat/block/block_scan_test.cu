// BlockScan: prefix sums and sums over the threads of a block.
#include "gpu/sat/block/warp.cuh"

#include <numeric>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

template <class Sum, int Warps>
struct Shared {
  BlockScan<Sum, Warps> scan, sum;
};

template <class Sum, int Warps>
__global__ void scan_block(const Sum* values, Sum* prefixes, Sum* alls, Sum* sums) {
  auto& shared = static_shared<Shared<Sum, Warps>>();
  const int thread = static_cast<int>(threadIdx.x), warp = thread / warp_lanes;
  const Sum prefix = shared.scan.put(warp, values[thread]);
  shared.sum.put_sum(warp, values[thread]);
  __syncthreads();
  prefixes[thread] = prefix + shared.scan.before(warp);
  alls[thread] = shared.scan.all();
  sums[thread] = shared.sum.all();
}

template <class Sum, int Warps>
void check_block() {
  constexpr int threads = Warps * warp_lanes;
  const auto values = numbers<Sum>(threads);
  std::vector<Sum> expected(values.size());
  std::partial_sum(values.begin(), values.end(), expected.begin());
  const OnDevice<Sum> there(values), prefixes(values.size()), alls(values.size()), sums(values.size());
  start(scan_block<Sum, Warps>, {dim3(1), dim3(threads)}, there.data(), prefixes.data(), alls.data(), sums.data());
  EXPECT_TRUE(same(prefixes.back(), expected));
  const std::vector<Sum> all(values.size(), expected.back());
  EXPECT_TRUE(same(alls.back(), all));
  EXPECT_TRUE(same(sums.back(), all));
}

template <class T>
class BlockScanTest : public PerSum<T> {};
TYPED_TEST_SUITE(BlockScanTest, Sums);

TYPED_TEST(BlockScanTest, OfAnyNumberOfWarps) {
  check_block<TypeParam, 1>();
  check_block<TypeParam, 2>();
  check_block<TypeParam, 8>();
  check_block<TypeParam, 32>();
}

}  // namespace
}  // namespace gpu::sat
