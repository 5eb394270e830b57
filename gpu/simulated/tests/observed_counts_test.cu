// Counts of kernels small enough to be counted by hand.
#include "gpu/cuda/intrinsics.cuh"

#include "gpu/effect.h"
#include "gpu/simulated/observed/simulate.h"
#include "gpu/simulated/tests/observed_support.cuh"
#include "gpu/tests/surface_array.h"

namespace gpu::simulated {
namespace {

using ObservedCountsTest = Observed;
constexpr unsigned lanes = 32, threads = 256, warps = threads / lanes;
constexpr Grid one_warp{dim3(1), dim3(lanes)};

__device__ unsigned global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// One load and one store per thread, `stride` elements apart, the loads from `shift` on.
template <class T>
__global__ void copy_strided(const T* from, T* to, unsigned stride, unsigned shift) {
  to[global_index()] = from[global_index() * stride + shift];
}

TEST_F(ObservedCountsTest, CoalescedCopy) {
  const auto from = zeros<float>(threads), to = zeros<float>(threads);
  const auto seen = run(copy_strided<float>, {dim3(2), dim3(threads / 2)}, from.data(), to.data(), 1u, 0u);
  EXPECT_EQ(seen.launches, 1);
  EXPECT_EQ(seen.counts.read.bytes, 4 * threads);
  EXPECT_EQ(seen.counts.written.bytes, 4 * threads);
  EXPECT_EQ(seen.counts.read.sectors, 4 * threads / 32);  // every byte of each is requested
  EXPECT_EQ(seen.counts.written.sectors, 4 * threads / 32);
  EXPECT_EQ(seen.umm_units, 2 * warps);  // one stage per request
  EXPECT_EQ(seen.counts.shared_stages, 0u);
  EXPECT_EQ(text(seen), "");
}

// Whatever was observed before, and also after a launch that has failed.
__global__ void store_inside_and_outside(float* to) {
  to[threadIdx.x] = 1;
  to[1000 + threadIdx.x] = 1;
}

TEST_F(ObservedCountsTest, EachObservationBeginsAnew) {
  const auto from = zeros<float>(threads), to = zeros<float>(threads);
  const auto observe = [&] {
    return run(copy_strided<float>, {dim3(2), dim3(threads / 2)}, from.data(), to.data(), 1u, 0u);
  };
  const auto first = observe();
  EXPECT_EQ(observer_.max_resident_threads(), threads);
  EXPECT_NE(fault(store_inside_and_outside, one_warp, to.data()), "no fault");
  EXPECT_EQ(run(copy_strided<float>, one_warp, from.data(), to.data(), 1u, 0u).counts.written.bytes, 4 * lanes);
  EXPECT_EQ(observer_.max_resident_threads(), lanes);
  const auto again = observe();
  EXPECT_EQ(again.launches, 1);
  EXPECT_EQ(again.counts.read.bytes, first.counts.read.bytes);
  EXPECT_EQ(again.counts.written.bytes, first.counts.written.bytes);
  EXPECT_EQ(again.counts.written.sectors, first.counts.written.sectors);
  EXPECT_EQ(again.umm_units, first.umm_units);
  EXPECT_EQ(text(again), "");
}

TEST_F(ObservedCountsTest, CopiesOfOneWarp) {
  // Sectors read, those of them read in part, and time units.
  const auto expect_counts = [&]<class T>(const char* what, T, unsigned stride, unsigned shift, std::uint64_t sectors,
                                          std::uint64_t in_part, std::uint64_t units) {
    SCOPED_TRACE(what);
    const auto from = zeros<T>(lanes * stride + shift + 1), to = zeros<T>(lanes);
    const auto seen = run(copy_strided<T>, one_warp, from.data(), to.data(), stride, shift);
    EXPECT_EQ(seen.counts.read.bytes, sizeof(T) * lanes);
    EXPECT_EQ(seen.counts.read.sectors, sectors);
    EXPECT_EQ(seen.counts.read.in_part, in_part);
    EXPECT_EQ(seen.counts.written.sectors, sizeof(T) * lanes / 32);
    EXPECT_EQ(seen.counts.written.in_part, 0u);
    EXPECT_EQ(seen.umm_units, units);
  };
  expect_counts("strided: one sector each", float(), 32, 0, lanes, lanes, lanes + 1);
  expect_counts("shifted: one sector more", float(), 1, 1, 5, 2, 2 + 1);
  expect_counts("one word for all", float(), 0, 0, 1, 1, 2);
  expect_counts("bytes", std::uint8_t(), 1, 0, 1, 0, 2);
  expect_counts("doubles", double(), 1, 0, 8, 0, 4);
  expect_counts("vectors", uint4(), 1, 0, 16, 0, 8);
  latency_ = 100;
  expect_counts("each request waits for the latency", float(), 1, 0, 4, 0, 200);
  latency_ = 1, width_ = 4;
  expect_counts("narrow memory", float(), 1, 0, 4, 0, 2 * 32 / 4);
}

struct Words {
  unsigned word[lanes * lanes];
};

__global__ void read_shared(unsigned stride, unsigned* to) {
  auto& shared = static_shared<Words>();
  for (unsigned i = 0; i < lanes; ++i) shared.word[i * lanes + threadIdx.x] = i;
  __syncwarp();
  to[threadIdx.x] = shared.word[threadIdx.x * stride];
}

TEST_F(ObservedCountsTest, BankConflicts) {
  const auto to = zeros<unsigned>(lanes);
  for (const auto& [stride, stages] : {std::pair{0u, 1u}, {1u, 1u}, {2u, 2u}, {3u, 1u}, {4u, 4u}, {31u, 1u}}) {
    const auto seen = run(read_shared, one_warp, stride, to.data());
    EXPECT_EQ(seen.counts.shared_writes, lanes);
    EXPECT_EQ(seen.counts.shared_reads, 1u);
    EXPECT_EQ(seen.counts.shared_stages, lanes + stages) << stride;
    EXPECT_EQ(seen.counts.shared_stages_without_conflicts, lanes + 1);
    EXPECT_EQ(seen.umm_units, 1u);  // its store
    EXPECT_EQ(seen.dmm_umm_units, lanes + stages + 1);
    EXPECT_EQ(text(seen), "");
  }
}

__global__ void read_column(unsigned* to) {
  auto& shared = static_shared<Words>();
  shared.word[threadIdx.x * lanes] = threadIdx.x;
  __syncwarp();
  to[threadIdx.x] = shared.word[threadIdx.x * lanes];
}

TEST_F(ObservedCountsTest, AColumnConflictsInAllLanes) {
  const auto to = zeros<unsigned>(lanes);
  EXPECT_EQ(run(read_column, one_warp, to.data()).counts.shared_stages, 2 * lanes);
}

__global__ void wide_shared(const uint4* from, uint4* to) {
  auto& shared = *reinterpret_cast<uint4(*)[lanes]>(dynamic_shared());
  shared[threadIdx.x] = from[threadIdx.x];
  __syncwarp();
  to[threadIdx.x] = shared[threadIdx.x];
}

TEST_F(ObservedCountsTest, WideSharedAccessesTakeFourStages) {
  const auto from = zeros<uint4>(lanes), to = zeros<uint4>(lanes);
  const auto seen = run(wide_shared, {dim3(1), dim3(lanes), lanes * sizeof(uint4)}, from.data(), to.data());
  EXPECT_EQ(seen.counts.shared_stages, 8u);
  EXPECT_EQ(seen.counts.shared_stages_without_conflicts, 8u);
}

__global__ void meet(unsigned* to) {
  unsigned value = threadIdx.x;
  for (int i = 0; i < 3; ++i) value += __shfl_xor_sync(0xffffffffu, value, 1);
  value += __ballot_sync(0xffffffffu, value & 1);
  __syncwarp();
  __syncthreads();
  __syncthreads();
  atomicAdd(to, value);
}

TEST_F(ObservedCountsTest, RendezvousAndAtomicsCountPerThread) {
  const auto to = zeros<unsigned>(1);
  const auto seen = run(meet, {dim3(2), dim3(64)}, to.data());
  EXPECT_EQ(seen.counts.shuffles, 3u * 128);
  EXPECT_EQ(seen.counts.ballots, 128u);
  EXPECT_EQ(seen.counts.warp_barriers, 128u);
  EXPECT_EQ(seen.counts.barriers, 2u * 128);
  EXPECT_EQ(seen.counts.atomics, 128u);
  EXPECT_EQ(seen.counts.read.bytes, 4u * 128);  // an atomic is a load and a store
  EXPECT_EQ(seen.counts.written.bytes, 4u * 128);
  EXPECT_EQ(seen.counts.read.sectors, 4u);
  EXPECT_EQ(seen.umm_units, 4u);  // and one request
}

// Block 0 waits for block 1.
__global__ void wait_for_word(std::uint64_t* word) {
  std::uint64_t seen = 0;
  if (blockIdx.x == 1)
    store_word(word, std::uint64_t{1});
  else
    while (seen == 0) load_word(word, seen);
}

TEST_F(ObservedCountsTest, PollsCountSeparately) {
  const auto word = zeros<std::uint64_t>(1);
  const auto seen = run(wait_for_word, {dim3(2), dim3(1)}, word.data());
  EXPECT_EQ(seen.counts.read.bytes, 16u);  // the first load, and the one that returned a new value
  EXPECT_EQ(seen.counts.read.sectors, 2u);
  EXPECT_EQ(seen.counts.written.bytes, 8u);
  EXPECT_GT(seen.counts.polls, 0u);
  EXPECT_EQ(seen.counts.poll_bytes, 8 * seen.counts.polls);
  EXPECT_EQ(seen.umm_units, 3u);
}

// Each thread makes more accesses than a log holds.
__global__ void walk(const float* from, float* to, unsigned steps) {
  float sum = 0;
  for (unsigned i = 0; i < steps + threadIdx.x % 2; ++i) sum += from[i * lanes + threadIdx.x];
  to[threadIdx.x] = sum;
}

TEST_F(ObservedCountsTest, LanesStayTogetherBeyondTheLog) {
  constexpr unsigned steps = 5000;
  const auto from = zeros<float>((steps + 1) * lanes), to = zeros<float>(lanes);
  const auto seen = run(walk, one_warp, from.data(), to.data(), steps);
  EXPECT_EQ(seen.counts.read.bytes, 4 * (lanes * steps + lanes / 2));
  EXPECT_EQ(seen.counts.read.sectors, 4 * (steps + 1));
  EXPECT_EQ(seen.umm_units, steps + 1 + 1);
}

// Lanes that diverge in each round of a loop.
__global__ void walk_and_skip(const float* from, float* to) {
  float sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (threadIdx.x >= lanes / 2) sum += from[threadIdx.x];
    sum += from[i * lanes + threadIdx.x];
  }
  to[threadIdx.x] = sum;
}

TEST_F(ObservedCountsTest, DivergedLanesRejoin) {
  const auto from = zeros<float>(4 * lanes), to = zeros<float>(lanes);
  const auto seen = run(walk_and_skip, one_warp, from.data(), to.data());
  EXPECT_EQ(seen.counts.read.sectors, 4 * 4u + 4 * 2u);
}

__global__ void copy_asynchronously(const float* from, float* to) {
  auto& shared = static_shared<Words>();
  gpu::copy_async(reinterpret_cast<float*>(&shared.word[threadIdx.x]), from + threadIdx.x);
  gpu::commit_async_copies();
  gpu::wait_for_async_copies<0>();
  to[threadIdx.x] = *reinterpret_cast<float*>(&shared.word[threadIdx.x]);
}

TEST_F(ObservedCountsTest, AsynchronousCopiesReadAndWrite) {
  const auto from = zeros<float>(lanes), to = zeros<float>(lanes);
  const auto seen = run(copy_asynchronously, one_warp, from.data(), to.data());
  EXPECT_EQ(seen.counts.read.bytes, 4 * lanes);
  EXPECT_EQ(seen.counts.read.sectors, 4u);
  EXPECT_EQ(seen.counts.shared_writes, 1u);
  EXPECT_EQ(seen.counts.shared_reads, 1u);
  EXPECT_EQ(text(seen), "");
}

// Words before and behind those that are being copied can be read meanwhile.
__global__ void read_beside_a_copy(const float* from, float* to) {
  auto& shared = static_shared<Words>();
  for (unsigned i = 0; i < 3; ++i) shared.word[i * lanes + threadIdx.x] = i;
  __syncwarp();
  gpu::copy_async(reinterpret_cast<float*>(&shared.word[lanes + threadIdx.x]), from + threadIdx.x);
  gpu::commit_async_copies();
  to[threadIdx.x] = static_cast<float>(shared.word[threadIdx.x] + shared.word[2 * lanes + threadIdx.x]);
  gpu::wait_for_async_copies<0>();
}

TEST_F(ObservedCountsTest, WhatLiesBesideACopyMayBeRead) {
  const auto from = zeros<float>(lanes), to = zeros<float>(lanes);
  EXPECT_EQ(text(run(read_beside_a_copy, one_warp, from.data(), to.data())), "");
  EXPECT_EQ(to.data()[5], 2);
}

__global__ void draw(cudaSurfaceObject_t surface) { surf2Dwrite(uchar4{}, surface, static_cast<int>(threadIdx.x) * 4, 0); }

TEST_F(ObservedCountsTest, SurfaceBytes) {
  const test::SurfaceArray array({int{lanes}, 1});
  const auto seen = run(draw, one_warp, array.object());
  EXPECT_EQ(seen.counts.surface_bytes, 4 * lanes);
  EXPECT_EQ(seen.counts.written.bytes, 0u);
}

// Kernels move no more data than necessary: regression tests of what observation found.
using ObservedEfficiencyTest = Observed;
constexpr Size size{256, 64};
constexpr std::uint64_t sector_bytes = 32;

// Three bytes per pixel, each sector once: one pixel per thread would touch each sector three times.
TEST_F(ObservedEfficiencyTest, ColoursAreReadOnce) {
  const Image<Bgr> colour(size, Device::cuda);
  const Image<std::uint8_t> gray(size, Device::cuda);
  const Image<Rgba> rgba(size, Device::cuda);
  auto context = Context::on_stream(nullptr, {});
  observer_.reset(32, 1, 264);
  const EffectInput input{colour.view(), gray.view(), {}, nullptr, nullptr};
  find_effect("none")->run(context, input, Canvas{{}, rgba.view()}, Arguments());
  EXPECT_EQ(observer_.results().counts.read.sectors, size.pixels() * 3 / sector_bytes);
  EXPECT_EQ(observer_.results().counts.written.sectors, size.pixels() * 4 / sector_bytes);
}

// With 16 pixels per thread, the first of a thread's three loads leaves half a sector to the next: the L1 cache has it.
TEST_F(ObservedEfficiencyTest, LumaTouchesEachSectorTwice) {
  const Image<Bgr> colour(size, Device::cuda);
  const Image<std::uint8_t> gray(size, Device::cuda);
  auto context = Context::on_stream(nullptr, {});
  observer_.reset(32, 1, 264);
  luma(context, colour.view(), gray.view());
  EXPECT_EQ(observer_.results().counts.read.sectors, 2 * size.pixels() * 3 / sector_bytes);
  EXPECT_EQ(observer_.results().counts.written.sectors, size.pixels() / sector_bytes);
}

TEST_F(ObservedEfficiencyTest, LanesOf1R1WHaveNoBankConflicts) {
  for (const auto type : {SatType::u8_u32, SatType::f32_f32}) {
    SimulationRequest request;
    request.algorithm = "1r1w";
    request.type = type;
    request.size = {256, 192};
    const auto counts = simulate(request).counts;
    EXPECT_GT(counts.shared_stages, 0u);
    EXPECT_EQ(counts.shared_stages, counts.shared_stages_without_conflicts);
  }
}

}  // namespace
}  // namespace gpu::simulated
