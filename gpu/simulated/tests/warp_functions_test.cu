// Operations of a warp: shuffles, votes, matches, reductions and __syncwarp(), of all lanes and of those that a mask names.
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/simulated/tests/kernels.cuh"

namespace gpu::simulated {
namespace {

constexpr unsigned all_lanes = 0xffffffffu;
constexpr Grid one_warp{dim3(1), dim3(32)};
constexpr GpuSettings in_order = one_core, at_random{.cores = 1, .schedule = {Schedule::Kind::random, 5}};

// One value per lane, in order and at random.
template <class T, class Kernel, class... Args>
void expect_lanes(Kernel kernel, const std::vector<T>& expected, Args... args) {
  for (const auto& settings : {in_order, at_random}) {
    const WithSettings set(settings);
    const Zeroed<T> out(expected.size());
    launch_kernel(nullptr, kernel, {dim3(1), dim3(static_cast<unsigned>(expected.size()))}, out.data(), args...);
    EXPECT_EQ(out.values(), expected);
  }
}
template <class T, class Of>
std::vector<T> by_lane(Of of, int lanes = 32) {
  std::vector<T> values;
  for (int lane = 0; lane < lanes; ++lane) values.push_back(static_cast<T>(of(lane)));
  return values;
}

enum class Shuffle { index, up, down, exclusive_or };
template <class T>
__global__ void shuffle_values(T* out, Shuffle shuffle, int by, int width) {
  const auto value = static_cast<T>(threadIdx.x + 100);
  out[threadIdx.x] = shuffle == Shuffle::index  ? __shfl_sync(all_lanes, value, by, width)
                     : shuffle == Shuffle::up   ? __shfl_up_sync(all_lanes, value, static_cast<unsigned>(by), width)
                     : shuffle == Shuffle::down ? __shfl_down_sync(all_lanes, value, static_cast<unsigned>(by), width)
                                                : __shfl_xor_sync(all_lanes, value, by, width);
}

template <class T>
void expect_shuffles() {
  const auto expect = [](Shuffle shuffle, int by, int width, auto from) {
    expect_lanes(shuffle_values<T>, by_lane<T>([&](int lane) { return from(lane) + 100; }), shuffle, by, width);
  };
  expect(Shuffle::index, 5, 32, [](int) { return 5; });
  expect(Shuffle::index, 5, 4, [](int lane) { return lane / 4 * 4 + 1; });
  expect(Shuffle::up, 3, 32, [](int lane) { return lane < 3 ? lane : lane - 3; });
  expect(Shuffle::up, 3, 8, [](int lane) { return lane % 8 < 3 ? lane : lane - 3; });
  expect(Shuffle::down, 3, 32, [](int lane) { return lane > 28 ? lane : lane + 3; });
  expect(Shuffle::down, 3, 8, [](int lane) { return lane % 8 > 4 ? lane : lane + 3; });
  expect(Shuffle::exclusive_or, 6, 32, [](int lane) { return lane ^ 6; });
  expect(Shuffle::exclusive_or, 6, 4, [](int lane) { return (lane ^ 6) >= lane / 4 * 4 + 4 ? lane : lane ^ 6; });
}

TEST(WarpFunctionsTest, ShufflesMoveAllTypes) {
  expect_shuffles<int>();
  expect_shuffles<unsigned>();
  expect_shuffles<long>();
  expect_shuffles<unsigned long>();
  expect_shuffles<long long>();
  expect_shuffles<unsigned long long>();
  expect_shuffles<float>();
  expect_shuffles<double>();
}

// 0 and 31: all bits of a vote of some lanes, of none, and of all.
__global__ void vote(unsigned* out, unsigned voters) {
  const int mine = voters >> threadIdx.x & 1;
  const bool any = __any_sync(all_lanes, mine), all = __all_sync(all_lanes, mine);
  out[threadIdx.x] = __ballot_sync(all_lanes, mine) + 2u * any + all;
}
TEST(WarpFunctionsTest, LanesVote) {
  for (const unsigned voters : {0u, 0x80000000u, 0x00ff00f0u, all_lanes})
    expect_lanes(vote, std::vector<unsigned>(32, voters + 2u * (voters != 0) + (voters == all_lanes)), voters);
}

__global__ void match(unsigned* out) {
  int same = 7, differ = 7;
  const unsigned all = __match_all_sync(all_lanes, 3.5, &same);
  const unsigned none = __match_all_sync(all_lanes, threadIdx.x, &differ);
  out[threadIdx.x] = __match_any_sync(all_lanes, threadIdx.x % 3) +
                     (all == all_lanes && same == 1 && none == 0 && differ == 0);
}
TEST(WarpFunctionsTest, LanesMatch) {
  expect_lanes(match, by_lane<unsigned>([](int lane) {
                 unsigned same = 0;
                 for (int other = lane % 3; other < 32; other += 3) same |= 1u << other;
                 return same + 1;
               }));
}

__global__ void reduce(unsigned* out) {
  const unsigned i = threadIdx.x, mask = i < 10 ? 0x3ffu : ~0x3ffu;
  const int down = 5 - static_cast<int>(i);
  unsigned right = 0;
  if (i < 10) {
    right += __reduce_add_sync(mask, i) == 45;
    right += __reduce_min_sync(mask, down) == -4;
    right += __reduce_max_sync(mask, down) == 5;
    right += __reduce_max_sync(mask, static_cast<unsigned>(down)) == static_cast<unsigned>(-1);
  } else {
    right += __reduce_and_sync(mask, i | 64u) == 64;
    right += __reduce_or_sync(mask, i) == 31;
    right += __reduce_xor_sync(mask, i) == 1;
    right += __reduce_min_sync(mask, i) == 10;
  }
  out[i] = right;
}
TEST(WarpFunctionsTest, LanesReduce) { expect_lanes(reduce, std::vector<unsigned>(32, 4)); }

// Parts of a warp, in branches of their own and in different numbers of rounds, then the whole warp.
__global__ void sum_parts(unsigned* out) {
  const unsigned lane = threadIdx.x % 32, first = lane / 8 * 8, mask = 0xffu << first;
  unsigned sum = lane;
  for (unsigned round = 0; round <= lane / 8; ++round) sum = lane;
  if (lane < 16) {
    for (unsigned round = 0; round <= lane / 8; ++round)
      for (int by = 4; by > 0; by /= 2) sum += __shfl_xor_sync(mask, sum, by);
  } else {
    for (int by = 4; by > 0; by /= 2) sum += __shfl_down_sync(mask, sum, static_cast<unsigned>(by), 8);
    sum = __shfl_sync(mask, sum, 0, 8);
  }
  __syncwarp();
  out[threadIdx.x] = sum + __shfl_sync(all_lanes, sum, 31);
}
TEST(WarpFunctionsTest, PartsOfAWarpShuffleOnTheirOwn) {
  const auto part = [](int lane) { return lane / 8 * 64 + 28; };
  expect_lanes(sum_parts, by_lane<unsigned>([&](int i) { return part(i % 32) * (i % 32 / 8 == 1 ? 8 : 1) + part(31); }, 96));
}

// Masks that overlap: lane 0 meets each other lane in turn, and none waits for a third.
__global__ void meet_in_pairs(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned met = 0;
  for (unsigned other = 1; other < 32; ++other)
    if (lane == 0 || lane == other) met += __shfl_sync(1u | 1u << other, lane, lane == 0 ? static_cast<int>(other) : 0) + 1;
  out[lane] = met;
}
TEST(WarpFunctionsTest, ALaneMeetsOthersInTurn) {
  expect_lanes(meet_in_pairs, by_lane<unsigned>([](int lane) { return lane == 0 ? 31 * 32 / 2 + 31 : 1; }));
}

// Values of one meeting are read before the next, by lanes that go on at different times.
__global__ void pass_around(unsigned* out, unsigned rounds) {
  const unsigned lane = threadIdx.x, mask = lane % 2 ? 0xaaaaaaaau : 0x55555555u;
  unsigned value = lane;
  for (unsigned round = 0; round < rounds; ++round) value = __shfl_sync(mask, value, static_cast<int>(lane + 2) % 32);
  out[lane] = value;
}
TEST(WarpFunctionsTest, OddAndEvenLanesPassValuesOn) {
  for (const unsigned rounds : {1u, 2u, 3u, 17u})
    expect_lanes(pass_around, by_lane<unsigned>([&](unsigned lane) { return (lane + 2 * rounds) % 32; }), rounds);
}

__global__ void return_some(unsigned* out, unsigned mask) {
  if (threadIdx.x % 4 == 3) return;
  unsigned sum = __ballot_sync(mask, 1);
  __syncwarp(mask);
  sum += __all_sync(mask, 1) != 0;
  out[threadIdx.x] = sum;
}
TEST(WarpFunctionsTest, LanesThatHaveReturnedAreNotWaitedFor) {
  for (const unsigned mask : {all_lanes, 0x77777777u})
    expect_lanes(return_some, by_lane<unsigned>([](int lane) { return lane % 4 == 3 ? 0u : 0x77777778u; }), mask);
}

// The last lane returns while the others wait.
__global__ void return_last(unsigned* out, unsigned mask) {
  if (threadIdx.x == 31) return;
  out[threadIdx.x] = __ballot_sync(mask, 1);
}
TEST(WarpFunctionsTest, ALaneThatReturnsLetsOthersGoOn) {
  expect_lanes(return_last, by_lane<unsigned>([](int lane) { return lane == 31 ? 0u : 0x7fffffffu; }), all_lanes);
  expect_lanes(return_last, by_lane<unsigned>([](int lane) { return lane == 31  ? 0u
                                                                    : lane < 16 ? 0xffffu
                                                                                : 0u; }, 16),
               0xffffu);
}

__global__ void read_outside(unsigned* out) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __shfl_down_sync(0xffffu, threadIdx.x, 8);
}
TEST(WarpFunctionsTest, WhatALaneOutsideBringsIsVisiblyNothing) {
  expect_lanes(read_outside, by_lane<unsigned>([](int lane) {
                 return lane < 8 ? lane + 8u : lane < 16 ? 0xdeadbeefu : 0u;
               }));
}

// In order, all that can come are together.
__global__ void find_active(unsigned* out) {
  out[threadIdx.x] = __activemask();
  if (threadIdx.x % 2)
    out[threadIdx.x] += __activemask();
  else
    out[threadIdx.x] += 2 * __activemask();
}
TEST(WarpFunctionsTest, LanesThatRunTogetherAreFound) {
  const WithSettings set(in_order);
  const Zeroed<unsigned> out(32);
  launch_kernel(nullptr, find_active, one_warp, out.data());
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], lane % 2 ? all_lanes + 0xaaaaaaaau : all_lanes + 2 * 0x55555555u) << lane;
}

// Whatever lanes are together, all of them know it.
__global__ void add_together(unsigned* sum, unsigned* groups) {
  const unsigned together = __activemask();
  if (__ballot_sync(together, 1) != together) atomicAdd(groups, 1000u);
  if (threadIdx.x % 32 != static_cast<unsigned>(__ffs(static_cast<int>(together)) - 1)) return;
  atomicAdd(sum, static_cast<unsigned>(__popc(together)));
  atomicAdd(groups, 1u);
}
TEST(WarpFunctionsTest, RandomSchedulesSplitLanesThatCouldRunTogether) {
  unsigned most = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const WithSettings set({.cores = 1, .schedule = {Schedule::Kind::random, seed}});
    const Zeroed<unsigned> sum(1), groups(1);
    launch_kernel(nullptr, add_together, {dim3(1), dim3(64)}, sum.data(), groups.data());
    EXPECT_EQ(sum[0], 64u);
    EXPECT_LT(groups[0], 1000u);
    most = std::max(most, groups[0]);
  }
  EXPECT_GT(most, 2u);
}

// Faults, by line.

std::string here(unsigned line) { return "warp_functions_test.cu:" + std::to_string(line); }
template <class Kernel>
std::string fault_of_warp(Kernel kernel, unsigned mask) {
  return fault_of([&] { launch_kernel(nullptr, kernel, one_warp, mask); });
}

constexpr unsigned own_line = __LINE__ + 1;
__global__ void lack_own_lane(unsigned mask) { __syncwarp(mask); }
TEST(WarpFunctionsTest, AMaskThatLacksItsOwnLaneIsAFault) {
  const auto fault = fault_of_warp(lack_own_lane, ~(1u << 7));
  EXPECT_TRUE(says(fault, "a mask that lacks the lane that executes it, at " + here(own_line)));
}

constexpr unsigned missing_line = __LINE__ + 3;
__global__ void never_arrive(unsigned mask) {
  if (threadIdx.x == 3) __syncthreads();
  if (threadIdx.x != 3 && mask >> threadIdx.x & 1) __any_sync(mask, 1);
}
TEST(WarpFunctionsTest, ALaneThatNeverArrivesIsAFault) {
  const auto fault = fault_of_warp(never_arrive, 0xffu);
  EXPECT_TRUE(says(fault, "deadlock"));
  EXPECT_TRUE(says(fault, "0 to 2 wait for their warp at " + here(missing_line) + " with mask 0x000000ff"));
  EXPECT_TRUE(says(fault, "3 wait at __syncthreads(), " + here(missing_line - 1)));
}

__global__ void different_masks(unsigned mask) {
  if (threadIdx.x < 4) __syncwarp(threadIdx.x < 2 ? mask : mask & 0xeu);
}
TEST(WarpFunctionsTest, DifferentMasksNeverMeet) {
  const auto fault = fault_of_warp(different_masks, 0xfu);
  EXPECT_TRUE(says(fault, "with mask 0x0000000f"));
  EXPECT_TRUE(says(fault, "with mask 0x0000000e"));
}

__global__ void different_places(unsigned mask) {
  if (threadIdx.x < 4)
    __syncwarp(mask);
  else if (threadIdx.x < 8)
    __syncwarp(mask);
}
TEST(WarpFunctionsTest, LanesOfAMaskMeetInOnePlace) {
  EXPECT_TRUE(says(fault_of_warp(different_places, 0xffu), "divergent warp: lanes wait at"));
}

// The whole block.

__global__ void count_at_barrier(int* out, int voters) {
  const int mine = static_cast<int>(threadIdx.x) < voters;
  const int count = __syncthreads_count(mine), all = __syncthreads_and(mine), any = __syncthreads_or(mine);
  out[threadIdx.x] = 4 * count + 2 * (all != 0) + (any != 0);
}
TEST(WarpFunctionsTest, BarriersCountVotes) {
  for (const int voters : {0, 1, 69, 70})
    expect_lanes(count_at_barrier, std::vector<int>(70, 4 * voters + 2 * (voters == 70) + (voters > 0)), voters);
}

// A lane's relaxed store is known to those with which it meets.
__global__ void tell_half(std::uint64_t* word, unsigned* out) {
  if (threadIdx.x >= 16) return;
  if (threadIdx.x == 0) store_word(word, std::uint64_t{1});
  __syncwarp(0xffffu);
  std::uint64_t seen;
  load_word(word, seen);
  out[threadIdx.x] = static_cast<unsigned>(seen);
}
TEST(WarpFunctionsTest, PartsOfAWarpSeeTheirRelaxedStores) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const WithSettings set({.cores = 1, .schedule = {Schedule::Kind::random, seed}});
    const Zeroed<std::uint64_t> word(1);
    const Zeroed<unsigned> out(16);
    launch_kernel(nullptr, tell_half, one_warp, word.data(), out.data());
    ASSERT_EQ(out.values(), std::vector<unsigned>(16, 1u));
  }
}

}  // namespace
}  // namespace gpu::simulated
