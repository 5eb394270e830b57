// The groups of cooperative_groups.h, against the same by hand.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <vector>

#include "gpu/simulated/tests/kernels.cuh"

namespace cg = cooperative_groups;

namespace gpu::simulated {
namespace {

constexpr GpuSettings at_random{.cores = 1, .schedule = {Schedule::Kind::random, 9}};

// How many of a thread's statements were wrong, per thread.
template <class Kernel>
void expect_right(Kernel kernel, const Grid& grid) {
  for (const auto& settings : {one_core, at_random}) {
    const WithSettings set(settings);
    const auto count = grid.grid.x * grid.grid.y * grid.block.x * grid.block.y;
    const Zeroed<int> wrong(count);
    std::fill_n(wrong.data(), count, -1);
    launch_kernel(nullptr, kernel, grid, wrong.data());
    EXPECT_EQ(wrong.values(), std::vector<int>(count, 0));
  }
}

__global__ void check_block_and_grid(int* wrong) {
  const auto block = cg::this_thread_block();
  const auto grid = cg::this_grid();
  const unsigned rank = threadIdx.y * blockDim.x + threadIdx.x, number = blockIdx.y * gridDim.x + blockIdx.x;
  int bad = block.thread_rank() != rank || block.size() != 40 || block.num_threads() != 40;
  bad += block.group_index().y != blockIdx.y || block.thread_index().x != threadIdx.x || block.dim_threads().y != 4;
  bad += grid.thread_rank() != number * 40 + rank || grid.size() != 240 || grid.num_blocks() != 6;
  auto& shared = *reinterpret_cast<unsigned(*)[40]>(dynamic_shared());
  shared[rank] = rank;
  block.sync();
  bad += shared[39 - rank] != 39 - rank;
  cg::sync(block);
  wrong[number * 40 + rank] = bad;
}
TEST(CooperativeGroupsTest, BlocksAndGridsKnowTheirThreads) {
  expect_right(check_block_and_grid, {dim3(3, 2), dim3(10, 4), 40 * sizeof(unsigned)});
}

struct Pair {
  double first;
  char second;
};

template <unsigned size>
__global__ void check_tile(int* wrong) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<size>(block);
  const unsigned rank = threadIdx.x % size, first = threadIdx.x / size * size, after = first + size;
  const unsigned i = threadIdx.x, others = size == 32 ? ~0u : (1u << size % 32) - 1;
  int bad = tile.thread_rank() != rank || tile.size() != size || tile.meta_group_rank() != i / size ||
            tile.meta_group_size() != 96 / size;
  bad += tile.shfl(i, size - 1) != after - 1;
  bad += tile.shfl_up(i, 1) != (rank == 0 ? i : i - 1);
  bad += tile.shfl_down(i, 2) != (i + 2 < after ? i + 2 : i);
  bad += tile.shfl_xor(i, size / 2) != (i ^ (size / 2));
  const auto pair = tile.shfl(Pair{i + 0.5, static_cast<char>(i)}, 0);
  bad += pair.first != first + 0.5 || pair.second != static_cast<char>(first);
  bad += tile.any(rank == 0) != true || tile.any(0) || tile.all(rank == 0) != (size == 1) || !tile.all(1);
  bad += tile.ballot(rank == size - 1) != 1u << (size - 1) || tile.match_any(3) != others;
  int same = 7;
  bad += tile.match_all(rank, same) != (size == 1) || same != (size == 1);
  bad += cg::reduce(tile, i, cg::plus<unsigned>()) != size * first + size * (size - 1) / 2;
  bad += cg::reduce(tile, i, cg::less<unsigned>()) != first || cg::reduce(tile, i, cg::greater<unsigned>()) != after - 1;
  bad += cg::inclusive_scan(tile, 2) != static_cast<int>(2 * rank + 2) ||
         cg::exclusive_scan(tile, 2) != static_cast<int>(2 * rank);
  tile.sync();
  wrong[i] = bad;
}
TEST(CooperativeGroupsTest, TilesDoWhatTheirLanesDo) {
  expect_right(check_tile<1>, {dim3(1), dim3(96)});
  expect_right(check_tile<4>, {dim3(1), dim3(96)});
  expect_right(check_tile<16>, {dim3(1), dim3(96)});
  expect_right(check_tile<32>, {dim3(1), dim3(96)});
}

__global__ void check_tile_of_tile(int* wrong) {
  const auto half = cg::tiled_partition<16>(cg::this_thread_block());
  const auto part = cg::tiled_partition<4>(half);
  int bad = part.meta_group_rank() != threadIdx.x % 16 / 4 || part.meta_group_size() != 4;
  // Each part goes through its loop as often as it likes.
  unsigned sum = 0;
  for (unsigned round = 0; round <= part.meta_group_rank(); ++round) sum = part.shfl(sum + 1, part.thread_rank());
  bad += sum != part.meta_group_rank() + 1;
  half.sync();
  wrong[threadIdx.x] = bad;
}
TEST(CooperativeGroupsTest, TilesAreDivided) { expect_right(check_tile_of_tile, {dim3(1), dim3(64)}); }

// In order, lanes of a branch are together.
__global__ void check_coalesced(int* wrong) {
  const unsigned lane = threadIdx.x;
  wrong[lane] = 0;
  if (lane % 3 != 1) return;
  const auto group = cg::coalesced_threads();
  const unsigned rank = lane / 3;
  int bad = group.size() != 11 || group.thread_rank() != rank;
  bad += group.shfl(lane, 4) != 13 || group.shfl_up(lane, 1) != (rank == 0 ? lane : lane - 3);
  bad += group.shfl_down(lane, 1) != (rank == 10 ? lane : lane + 3);
  bad += group.ballot(rank < 2) != 3 || group.any(rank == 3) != true || group.all(rank == 3);
  bad += cg::reduce(group, rank, cg::plus<unsigned>()) != 55;
  group.sync();
  wrong[lane] = bad;
}
TEST(CooperativeGroupsTest, LanesThatRunTogetherAreAGroup) {
  const WithSettings set(one_core);
  const Zeroed<int> wrong(32);
  launch_kernel(nullptr, check_coalesced, {dim3(1), dim3(32)}, wrong.data());
  EXPECT_EQ(wrong.values(), std::vector<int>(32, 0));
}

// One atomic for all lanes that add, whichever are together.
__global__ void add_for_all(unsigned* sum, unsigned* places) {
  if (threadIdx.x % 5 == 0) return;
  const auto group = cg::coalesced_threads();
  unsigned first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(sum, group.size());
  places[group.shfl(first, 0) + group.thread_rank()] += 1;
}
TEST(CooperativeGroupsTest, LanesAddTogetherInEveryOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const WithSettings set({.cores = 1, .schedule = {Schedule::Kind::random, seed}});
    const Zeroed<unsigned> sum(1), places(80);
    launch_kernel(nullptr, add_for_all, {dim3(1), dim3(100)}, sum.data(), places.data());
    EXPECT_EQ(sum[0], 80u);
    EXPECT_EQ(places.values(), std::vector<unsigned>(80, 1));
  }
}

constexpr unsigned divergent_line = __LINE__ + 3;
__global__ void leave_tile() {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (threadIdx.x != 2) tile.sync();
  if (threadIdx.x == 2) __syncthreads();
}
TEST(CooperativeGroupsTest, AFaultNamesTheCallersLine) {
  const auto fault = fault_of([] { launch_kernel(nullptr, leave_tile, {dim3(1), dim3(32)}); });
  EXPECT_TRUE(says(fault, "cooperative_groups_test.cu:" + std::to_string(divergent_line) + " with mask 0x000000ff"));
}

}  // namespace
}  // namespace gpu::simulated
