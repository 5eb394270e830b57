// Launches: coordinates, shared memory, barriers, and the messages about kernels that cannot continue.
#include <algorithm>
#include <array>
#include <numeric>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/simulated/tests/kernels.cuh"

namespace gpu::simulated {
namespace {

__global__ void note_coordinates(unsigned* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

TEST(LaunchSimulatedTest, EveryThreadKnowsItsCoordinates) {
  const dim3 grid(3, 2, 2), block(5, 4, 3);
  Zeroed<unsigned> out(12 * 60);
  launch_kernel(nullptr, note_coordinates, {grid, block}, out.data());
  for (unsigned b = 0; b < 12; ++b)
    for (unsigned t = 0; t < 60; ++t) ASSERT_EQ(out[b * 60 + t], b * 1000 + t);
}

struct Pair {
  int first[64];
  double second;
};

// Every thread reads what the last one wrote, in static and in dynamic shared memory.
__global__ void exchange(int* out) {
  auto& pair = static_shared<Pair>();
  auto* dynamic = reinterpret_cast<int*>(dynamic_shared());
  const int i = static_cast<int>(threadIdx.x), count = static_cast<int>(blockDim.x);
  pair.first[i] = i;
  dynamic[i] = 100 + i;
  if (i == 0) pair.second = 0.5;
  __syncthreads();
  out[i] = pair.first[count - 1 - i] + dynamic[count - 1 - i] + static_cast<int>(pair.second * 2000);
}

TEST(LaunchSimulatedTest, BlocksShareStaticAndDynamicMemory) {
  Zeroed<int> out(64);
  launch_kernel(nullptr, exchange, {dim3(1), dim3(64), 64 * sizeof(int)}, out.data());
  for (int i = 0; i < 64; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], 2 * (63 - i) + 100 + 1000);
}

__global__ void add_lanes(int* out) {
  int value = static_cast<int>(threadIdx.x);
  for (int distance = 1; distance < 32; distance *= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  const unsigned odd = __ballot_sync(0xffffffffu, threadIdx.x % 2);
  out[threadIdx.x] = value + (odd == 0xaaaaaaaau ? 0 : 1'000'000);
}

TEST(LaunchSimulatedTest, WarpsShuffleAndVote) {
  Zeroed<int> out(96);
  launch_kernel(nullptr, add_lanes, {dim3(1), dim3(96)}, out.data());
  for (std::size_t i = 0; i < 96; ++i) ASSERT_EQ(out[i], static_cast<int>(i / 32 * 32 * 32) + 31 * 16);
}

__global__ void wait_for_half() {
  if (threadIdx.x < 7)
    __syncthreads();
  else
    __syncwarp();
}
TEST(LaunchSimulatedTest, ADivergentBarrierIsReported) {
  const auto fault = fault_of([] { launch_kernel(nullptr, wait_for_half, {dim3(2), dim3(64)}); });
  EXPECT_TRUE(says(fault, "deadlock"));
  EXPECT_TRUE(says(fault, "threads 0 to 6 wait at __syncthreads(), launch_test.cu:"));
  EXPECT_TRUE(says(fault, "7 to 31 wait for their warp at launch_test.cu:"));
  EXPECT_TRUE(says(fault, "wait_for_half"));
}

__global__ void two_barriers() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
}
TEST(LaunchSimulatedTest, DifferentBarriersAreDivergent) {
  EXPECT_TRUE(says(fault_of([] { launch_kernel(nullptr, two_barriers, {dim3(1), dim3(64)}); }), "divergent barrier"));
}

// Thread r votes in round r; those who are behind still read the result of their own round.
__global__ void vote_at_barriers(unsigned* out, unsigned rounds) {
  for (unsigned r = 0; r < rounds; ++r) {
    const int voted = __syncthreads_or(threadIdx.x == r && r % 2 == 0);
    out[r * blockDim.x + threadIdx.x] = static_cast<unsigned>(voted != 0);
  }
}
TEST(LaunchSimulatedTest, BarriersCarryVotes) {
  constexpr unsigned threads = 70, rounds = 75;  // nobody votes in the last ones
  for (const auto& settings : {one_core, GpuSettings{.schedule = {Schedule::Kind::random, 3}}}) {
    const WithSettings set(settings);
    Zeroed<unsigned> out(rounds * threads);
    launch_kernel(nullptr, vote_at_barriers, {dim3(1), dim3(threads)}, out.data(), rounds);
    for (unsigned i = 0; i < rounds * threads; ++i)
      ASSERT_EQ(out[i], i / threads % 2 == 0 && i / threads < threads ? 1u : 0u) << "entry " << i;
  }
}

// Each block, and each launch, begins without votes.
__global__ void vote_once(unsigned* out, bool vote) {
  const int voted = __syncthreads_or(vote && blockIdx.x % 2 == 0);
  if (threadIdx.x == 0) out[blockIdx.x] = voted != 0;
}
TEST(LaunchSimulatedTest, VotesAreOfTheirOwnBlock) {
  const WithSettings set(one_core);
  for (const bool vote : {true, false, true, false}) {
    Zeroed<unsigned> out(4);
    launch_kernel(nullptr, vote_once, {dim3(4), dim3(40)}, out.data(), vote);
    EXPECT_EQ(out.values(), (vote ? std::vector<unsigned>{1, 0, 1, 0} : std::vector<unsigned>(4)));
  }
}

__global__ void two_meetings() {
  if (threadIdx.x < 16)
    __syncwarp();
  else
    __syncwarp();
}
TEST(LaunchSimulatedTest, LanesOfAWarpMeetInOnePlace) {
  EXPECT_TRUE(says(fault_of([] {
                     launch_kernel(nullptr, two_meetings, {dim3(1), dim3(32)});
                   }),
                   "divergent warp: lanes wait at"));
}

// Copies arrive when their group is waited for, once, and those that nobody waited for end with their thread.
struct Copied {
  unsigned first[32], second[32];
};
__global__ void copy_in_groups(const unsigned* from, unsigned* out) {
  auto& shared = static_shared<Copied>();
  const auto i = threadIdx.x;
  shared.first[i] = shared.second[i] = 1;
  gpu::copy_async(&shared.first[i], from + i);
  gpu::commit_async_copies();
  gpu::copy_async(&shared.second[i], from + i);
  gpu::commit_async_copies();
  gpu::wait_for_async_copies<1>();
  out[i] = shared.first[i];
  out[32 + i] = shared.second[i];
  shared.first[i] = 2;
  gpu::wait_for_async_copies<0>();
  out[64 + i] = shared.first[i];
  out[96 + i] = shared.second[i];
}
__global__ void leave_copies(const unsigned* from) {
  gpu::copy_async(&static_shared<Copied>().first[threadIdx.x], from + threadIdx.x);
  gpu::commit_async_copies();
}
__global__ void wait_for_nothing(unsigned* out) {
  auto& shared = static_shared<Copied>();
  shared.first[threadIdx.x] = 3;
  gpu::wait_for_async_copies<0>();
  out[threadIdx.x] = shared.first[threadIdx.x];
}
TEST(LaunchSimulatedTest, CopiesArriveWithTheirGroup) {
  const WithSettings set(one_core);
  const Zeroed<unsigned> from(32), out(128);
  std::fill_n(from.data(), 32, 7u);
  constexpr Grid one_warp{dim3(1), dim3(32)};
  launch_kernel(nullptr, copy_in_groups, one_warp, from.data(), out.data());
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(out[i], (std::array{7u, 1u, 2u, 7u})[i / 32]) << i;
  launch_kernel(nullptr, leave_copies, one_warp, from.data());
  launch_kernel(nullptr, wait_for_nothing, one_warp, out.data());
  for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(out[i], 3u);
}

template <int Bytes>
struct Large {
  char at[Bytes];
};
template <int First, int Second>
__global__ void ask_for() {
  static_shared<Large<First * 1024>>().at[0] = static_shared<Large<Second * 1024 + 1>>().at[0];
}
template <int First, int Second>
bool refused_with(std::size_t dynamic_bytes) {
  const auto fault = fault_of([&] { launch_kernel(nullptr, ask_for<First, Second>, {dim3(1), dim3(32), dynamic_bytes}); });
  EXPECT_TRUE(fault.empty() || says(fault, "more shared memory"));
  return !fault.empty();
}
TEST(LaunchSimulatedTest, SharedMemoryIsLimited) {
  constexpr std::size_t kib = 1024;
  EXPECT_FALSE((refused_with<24, 23>(0)));
  EXPECT_TRUE((refused_with<24, 24>(0)));  // one byte more than 48 KB, all static
  EXPECT_FALSE((refused_with<8, 7>(32 * kib)));
  EXPECT_TRUE((refused_with<8, 7>(33 * kib)));  // static and dynamic together
  check(cudaFuncSetAttribute(kernel_address(ask_for<8, 7>), cudaFuncAttributeMaxDynamicSharedMemorySize, 220 * kib));
  EXPECT_FALSE((refused_with<8, 7>(211 * kib)));
  EXPECT_TRUE((refused_with<8, 7>(212 * kib)));  // more than any block may have
}

// As on a GPU: more than 48 KB needs permission, per kernel.
__global__ void take_shared() {}
TEST(LaunchSimulatedTest, MuchSharedMemoryNeedsPermission) {
  constexpr std::size_t much = 49 * 1024;
  const auto launch = [] { launch_kernel(nullptr, take_shared, {dim3(1), dim3(1), much}); };
  EXPECT_THROW(launch(), CudaError);
  check(cudaFuncSetAttribute(kernel_address(take_shared), cudaFuncAttributeMaxDynamicSharedMemorySize, much));
  EXPECT_NO_THROW(launch());
  for (const int bytes : {-1, 227 * 1024 + 1})
    EXPECT_EQ(cudaFuncSetAttribute(kernel_address(take_shared), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
              cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "it is said once";
  EXPECT_NO_THROW(launch()) << "what was permitted still is";
}

__global__ void nothing() {}
TEST(LaunchSimulatedTest, ImpossibleShapesAreRefused) {
  const auto code = [](const Grid& shape) {
    try {
      launch_kernel(nullptr, nothing, shape);
    } catch (const CudaError& error) {
      return error.code();
    }
    return cudaSuccess;
  };
  EXPECT_EQ(code({dim3(1), dim3(1024)}), cudaSuccess);
  EXPECT_EQ(code({dim3(1), dim3(1025)}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(code({dim3(0), dim3(1)}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(code({dim3(1, 65536), dim3(1)}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(code({dim3(1), dim3(1), 229 * 1024}), cudaErrorInvalidConfiguration);
}

// The launch after a fault works again.
TEST(LaunchSimulatedTest, AFaultEndsItsOwnLaunchOnly) {
  EXPECT_FALSE(fault_of([] { launch_kernel(nullptr, wait_for_half, {dim3(2), dim3(64)}); }).empty());
  Zeroed<int> out(64);
  launch_kernel(nullptr, exchange, {dim3(1), dim3(64), 64 * sizeof(int)}, out.data());
  EXPECT_EQ(out[0], 2 * 63 + 100 + 1000);
}

// Ends the simulation in its third block.
__global__ void stop_in_third(int* out) {
  out[blockIdx.x] = 1;
  if (blockIdx.x == 2) the_gpu().stop(true);
}

TEST(LaunchSimulatedTest, WhatIsStoppedBeginsNoOtherBlock) {
  const WithSettings set(one_core);
  Zeroed<int> out(64);
  const auto fault = fault_of([&] { launch_kernel(nullptr, stop_in_third, {dim3(64), dim3(1)}, out.data()); });
  EXPECT_TRUE(fault.starts_with("stopped")) << fault;
  EXPECT_FALSE(fault_of([] { launch_kernel(nullptr, nothing, {dim3(1), dim3(1)}); }).empty()) << "it still is";
  the_gpu().stop(false);
  EXPECT_EQ(std::accumulate(out.data(), out.data() + 64, 0), 3);
  launch_kernel(nullptr, nothing, {dim3(1), dim3(1)});
}

}  // namespace
}  // namespace gpu::simulated
