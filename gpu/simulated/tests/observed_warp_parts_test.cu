// What the observer makes of operations of a part of a warp, of atomics and of volatile accesses: counts and races.
#include <cooperative_groups.h>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/simulated/tests/observed_support.cuh"

namespace gpu::simulated {
namespace {

class ObservedWarpPartsTest : public Observed {};

constexpr Grid one_warp{dim3(1), dim3(32)};

struct Words {
  unsigned word[32];
};

// Both halves of a warp load together, whatever they do in between.
template <class Operation>
__global__ void halves(const unsigned* from, unsigned* to, Operation operation) {
  const unsigned lane = threadIdx.x, mask = lane < 16 ? 0xffffu : 0xffff0000u;
  const unsigned mine = from[lane];
  to[lane] = mine + operation(mask, mine);
}
struct ShuffleHalf {
  unsigned operator()(unsigned mask, unsigned value) const { return __shfl_xor_sync(mask, value, 1); }
};
struct VoteOfHalf {
  unsigned operator()(unsigned mask, unsigned value) const {
    return __any_sync(mask, value > 3) + __match_any_sync(mask, value);
  }
};
struct ReduceHalf {
  unsigned operator()(unsigned mask, unsigned value) const { return __reduce_add_sync(mask, value); }
};
struct SyncHalf {
  unsigned operator()(unsigned mask, unsigned) const { return __syncwarp(mask), 0; }
};

TEST_F(ObservedWarpPartsTest, PartsCountPerLaneAndAccessTogether) {
  const auto from = zeros<unsigned>(32), to = zeros<unsigned>(32);
  const auto counts = [&](auto operation) {
    const auto seen = run(halves<decltype(operation)>, one_warp, static_cast<const unsigned*>(from.data()), to.data(),
                          operation);
    EXPECT_EQ(text(seen), "");
    EXPECT_EQ(seen.counts.read.sectors, 4u);
    EXPECT_EQ(seen.counts.written.sectors, 4u);
    EXPECT_EQ(seen.umm_units, 2u) << "one request each";
    return seen.counts;
  };
  EXPECT_EQ(counts(ShuffleHalf{}).shuffles, 32u);
  EXPECT_EQ(counts(ReduceHalf{}).shuffles, 32u);
  EXPECT_EQ(counts(VoteOfHalf{}).ballots, 64u);
  EXPECT_EQ(counts(SyncHalf{}).warp_barriers, 32u);
}

// Each lane reads what another one of its part has written; __syncwarp() of the part, or of another.
enum class Order { part, smaller_part, shuffle, in_two_steps };
__global__ void exchange_in_part(unsigned* to, Order order) {
  auto& shared = static_shared<Words>();
  const unsigned lane = threadIdx.x;
  if (lane >= 8) return;
  shared.word[lane] = lane;
  if (order == Order::part) __syncwarp(0xffu);
  if (order == Order::smaller_part) __syncwarp(lane < 4 ? 0xfu : 0xf0u);
  if (order == Order::shuffle) __shfl_sync(0xffu, lane, 0);
  if (order == Order::in_two_steps) {  // what lane 0 knows, the others learn of it
    if (lane == 0 || lane > 3) __syncwarp(0xf1u);
    if (lane < 4) __syncwarp(0xfu);
    if (lane > 3) __syncwarp(0xf0u);
  }
  if (order != Order::in_two_steps || lane < 4) to[lane] = shared.word[lane < 4 ? lane + 4 : lane - 4];
}
TEST_F(ObservedWarpPartsTest, SyncwarpOrdersTheLanesOfItsMask) {
  const auto to = zeros<unsigned>(32);
  EXPECT_EQ(text(run(exchange_in_part, one_warp, to.data(), Order::part)), "");
  EXPECT_EQ(text(run(exchange_in_part, one_warp, to.data(), Order::in_two_steps)), "");
  EXPECT_TRUE(has_race(run(exchange_in_part, one_warp, to.data(), Order::smaller_part), "shared read after write"));
  EXPECT_TRUE(has_race(run(exchange_in_part, one_warp, to.data(), Order::shuffle), "shared read after write"));
}

// All lanes read a word; one writes it when its part has synchronised.
template <bool whole>
__global__ void read_all_write_one(unsigned* to) {
  auto& shared = static_shared<Words>();
  const unsigned lane = threadIdx.x;
  shared.word[lane] = lane;
  __syncwarp();
  if (whole || lane < 16) to[lane] = shared.word[3];
  __syncwarp(lane < 16 ? 0xffffu : 0xffff0000u);
  if (lane == 2) shared.word[3] = 7;
}
TEST_F(ObservedWarpPartsTest, ReadersOfAnotherPartAreNotOrdered) {
  const auto to = zeros<unsigned>(32);
  EXPECT_EQ(text(run(read_all_write_one<false>, one_warp, to.data())), "");
  const auto seen = run(read_all_write_one<true>, one_warp, to.data());
  EXPECT_TRUE(has_race(seen, "shared write after read") || has_race(seen, "shared read after write")) << text(seen);
}

// After the whole warp, or the block, has synchronised, parts are forgotten.
__global__ void parts_then_all(unsigned* to, bool block) {
  auto& shared = static_shared<Words>();
  const unsigned lane = threadIdx.x;
  for (unsigned round = 0; round < 3; ++round) {
    __syncwarp(lane < 16 ? 0xffffu : 0xffff0000u);
    shared.word[lane] = lane + round;
    if (block)
      __syncthreads();
    else
      __syncwarp();
    to[lane] = shared.word[31 - lane];
    if (block)
      __syncthreads();
    else
      __syncwarp();
  }
}
TEST_F(ObservedWarpPartsTest, TheWholeWarpIsOrderedAfterItsParts) {
  const auto to = zeros<unsigned>(32);
  for (const bool block : {false, true}) EXPECT_EQ(text(run(parts_then_all, one_warp, to.data(), block)), "");
}

// Tiles of a cooperative group are such parts.
__global__ void sum_in_tiles(const float* from, float* to, bool sync) {
  namespace cg = cooperative_groups;
  auto& shared = static_shared<Words>();
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  shared.word[threadIdx.x] = static_cast<unsigned>(from[threadIdx.x]);
  if (sync) tile.sync();
  to[threadIdx.x] = static_cast<float>(shared.word[threadIdx.x / 8 * 8 + 7 - tile.thread_rank()]) + tile.shfl_down(1.0f, 4);
}
TEST_F(ObservedWarpPartsTest, TilesSynchroniseAndShuffle) {
  const auto from = zeros<float>(32), to = zeros<float>(32);
  const auto right = run(sum_in_tiles, one_warp, static_cast<const float*>(from.data()), to.data(), true);
  EXPECT_EQ(text(right), "");
  EXPECT_EQ(right.counts.shuffles, 32u);
  EXPECT_EQ(right.counts.warp_barriers, 32u);
  EXPECT_TRUE(has_race(run(sum_in_tiles, one_warp, static_cast<const float*>(from.data()), to.data(), false),
                       "shared read after write"));
}

// Atomics do not race with one another, but with plain accesses, in global and in shared memory.
__global__ void change_words(unsigned* words, float* sum, bool plain) {
  auto& shared = static_shared<Words>();
  if (threadIdx.x == 0) shared.word[0] = 5;
  __syncthreads();
  atomicMax(&words[0], threadIdx.x);
  atomicAdd(sum, 0.5f);
  atomicInc(&shared.word[0], 100);
  if (plain && threadIdx.x == 40) words[0] = shared.word[0];
}
TEST_F(ObservedWarpPartsTest, AtomicsOfAllKindsAreCountedAndChecked) {
  const auto words = zeros<unsigned>(1);
  const auto sum = zeros<float>(1);
  const auto seen = run(change_words, {dim3(1), dim3(64)}, words.data(), sum.data(), false);
  EXPECT_EQ(text(seen), "");
  EXPECT_EQ(seen.counts.atomics, 3 * 64u);
  EXPECT_EQ(seen.counts.read.bytes, 2 * 64 * 4u);
  EXPECT_EQ(seen.counts.written.bytes, 2 * 64 * 4u);
  const auto mixed = run(change_words, {dim3(1), dim3(64)}, words.data(), sum.data(), true);
  EXPECT_TRUE(has_race(mixed, "global write after write")) << text(mixed);
  EXPECT_TRUE(has_race(mixed, "shared read after write") || has_race(mixed, "shared write after read")) << text(mixed);
}
__global__ void add_outside(float* sum, std::size_t at) { atomicAdd(sum + at, 1.0f); }
TEST_F(ObservedWarpPartsTest, AtomicsOutsideMemoryAreFaults) {
  const auto sum = zeros<float>(8);
  EXPECT_NE(fault(add_outside, one_warp, sum.data(), std::size_t{8}).find("out of bounds: an atomic of 4 bytes"),
            std::string::npos);
}

// A thread that waits by volatile loads, or by atomics that change nothing, polls.
enum class Poll { plainly, by_volatile, by_atomic };
__global__ void wait_for_word(unsigned* word, unsigned* out, Poll poll) {
  if (blockIdx.x == 1) {
    if (poll == Poll::by_atomic)
      atomicExch(word, 7u);
    else if (poll == Poll::by_volatile)
      *static_cast<volatile unsigned*>(word) = 7;
    else
      *word = 7;
    return;
  }
  unsigned seen = 0;
  while (seen == 0 && poll != Poll::plainly)
    seen = poll == Poll::by_atomic ? atomicAdd(word, 0u) : *static_cast<volatile unsigned*>(word);
  out[0] = poll == Poll::plainly ? *word : seen;
}
TEST_F(ObservedWarpPartsTest, VolatileLoadsAndAtomicsPoll) {
  for (const auto poll : {Poll::by_volatile, Poll::by_atomic}) {
    const auto word = zeros<unsigned>(1), out = zeros<unsigned>(1);
    const auto seen = run(wait_for_word, {dim3(2), dim3(1)}, word.data(), out.data(), poll);
    EXPECT_EQ(out.data()[0], 7u);
    EXPECT_EQ(text(seen), "");
    EXPECT_GT(seen.counts.polls, 0u);
    EXPECT_LE(seen.counts.read.bytes, 12u);
  }
  const auto word = zeros<unsigned>(1), out = zeros<unsigned>(1);
  EXPECT_TRUE(
      has_race(run(wait_for_word, {dim3(2), dim3(1)}, word.data(), out.data(), Poll::plainly), "global write after read"));
}

// Constants are no memory traffic.
__constant__ const float weights[4] = {1, 2, 3, 4};
__global__ void weigh(float* out) { out[threadIdx.x] = weights[threadIdx.x % 4]; }
TEST_F(ObservedWarpPartsTest, ConstantMemoryIsNotCounted) {
  const auto out = zeros<float>(32);
  const auto seen = run(weigh, one_warp, out.data());
  EXPECT_EQ(out.data()[3], 4);
  EXPECT_EQ(text(seen), "");
  EXPECT_EQ(seen.counts.read.bytes, 0u);
  EXPECT_EQ(seen.counts.written.bytes, 128u);
}

}  // namespace
}  // namespace gpu::simulated
