// The figures of the performance model (sec. V of the paper), and its results for other counts.
#include "gpu/simulated/latency_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gpu::simulated {
namespace {

const MatrixWork transposing = transpose_work() + scan_column_work();
const MatrixWork kogge_stone = scan_row_work(WarpScan::kogge_stone);
const MatrixWork ladner_fischer = scan_row_work(WarpScan::ladner_fischer);

TEST(LatencyModelTest, CountsOfThePaper) {
  EXPECT_EQ(transpose_work().shared_requests, 64);
  EXPECT_EQ(transpose_work().shared_stages, 64);
  EXPECT_EQ(transpose_work(8).shared_stages, 128);
  EXPECT_EQ(kogge_stone.shuffles, 160);
  EXPECT_EQ(kogge_stone.additions, 4128);
  EXPECT_EQ(ladner_fischer.additions, 2560);
  EXPECT_EQ(ladner_fischer.ands, 5120);
  EXPECT_EQ(scan_column_work().addition_stages, 31);
  EXPECT_EQ(scan_column_work().additions, 992);
}

TEST(LatencyModelTest, LatenciesOnP100) {
  EXPECT_DOUBLE_EQ(latency(transpose_work(), paper_p100()), 2304);   // eq. 3
  EXPECT_DOUBLE_EQ(latency(kogge_stone, paper_p100()), 6240);        // eq. 4
  EXPECT_DOUBLE_EQ(latency(scan_column_work(), paper_p100()), 186);  // eq. 5
}

TEST(LatencyModelTest, LatenciesOnV100) {
  EXPECT_DOUBLE_EQ(latency(transpose_work(), paper_v100()), 64 * 27);
  EXPECT_DOUBLE_EQ(latency(kogge_stone, paper_v100()), 160 * 43);
  EXPECT_DOUBLE_EQ(latency(scan_column_work(), paper_v100()), 31 * 4);
}

TEST(LatencyModelTest, EquationSix) {
  const auto p100 = latency_inequality(transposing, kogge_stone, paper_p100());
  EXPECT_TRUE(p100.holds());
  EXPECT_DOUBLE_EQ(p100.less, 2490);
  EXPECT_NEAR(p100.more / p100.less, 2.506, 0.001);
  const auto v100 = latency_inequality(transposing, kogge_stone, paper_v100());
  EXPECT_TRUE(v100.holds());
  EXPECT_NEAR(v100.more / v100.less, 3.715, 0.001);
}

TEST(LatencyModelTest, TimesOfThroughputOnP100) {
  const auto transposed = throughput(transposing, paper_p100());
  EXPECT_NEAR(transposed.shared_memory, 64, 0.01);  // eq. 10: 2048 words of 4 bytes, 128 bytes per clock
  EXPECT_DOUBLE_EQ(transposed.additions, 15.5);     // eq. 11: 992 / 64
  EXPECT_EQ(transposed.shuffles, 0);
  const auto shuffled = throughput(kogge_stone, paper_p100());
  EXPECT_DOUBLE_EQ(shuffled.shuffles, 160);    // eq. 12, of 32 lanes each
  EXPECT_DOUBLE_EQ(shuffled.additions, 64.5);  // eq. 13: 4128 / 64
  EXPECT_EQ(shuffled.shared_memory, 0);
}

TEST(LatencyModelTest, EquationsFourteenAndFifteen) {
  for (const auto& gpu : {paper_p100(), paper_v100()}) {
    const auto fourteen = throughput_inequality(transposing, kogge_stone, gpu);
    EXPECT_TRUE(fourteen.holds()) << gpu.name;
    EXPECT_DOUBLE_EQ(fourteen.more, 224.5) << gpu.name;
    const auto fifteen = throughput_inequality(transposing, ladner_fischer, gpu);
    EXPECT_TRUE(fifteen.holds()) << gpu.name;
    EXPECT_DOUBLE_EQ(fifteen.more, 40 + 80 + 160) << gpu.name;
  }
  EXPECT_NEAR(throughput_inequality(transposing, kogge_stone, paper_p100()).less, 79.5, 0.01);
  EXPECT_NEAR(throughput_inequality(transposing, kogge_stone, paper_v100()).less, 65.536 + 15.5, 0.01);
}

// A GPU that shuffles 32 whole warps per clock: equivalent to dividing instructions by the throughput of lanes.
TEST(LatencyModelTest, EquationFourteenFailsWithUnitsMixed) {
  auto gpu = paper_p100();
  gpu.shuffle.per_clock *= 32;
  const auto inequality = throughput_inequality(transposing, kogge_stone, gpu);
  EXPECT_FALSE(inequality.holds());
  EXPECT_DOUBLE_EQ(inequality.more, 69.5);
}

TEST(LatencyModelTest, OtherGpusMayShuffleFaster) {
  const GpuLatencies gpu{"quick shuffles", {1, 1024}, {100, 32}, {1, 64}, {1, 128}};
  EXPECT_FALSE(latency_inequality(transposing, kogge_stone, gpu).holds());
  EXPECT_FALSE(throughput_inequality(transposing, kogge_stone, gpu).holds());
}

TEST(LatencyModelTest, IntegersAndFloatsHaveTheirOwnAdditions) {
  const GpuLatencies gpu{"", {10, 32}, {20, 32}, {3, 16}, {7, 64}};
  EXPECT_DOUBLE_EQ(latency(scan_column_work(), gpu, false), 31 * 3);
  EXPECT_DOUBLE_EQ(latency(scan_column_work(), gpu, true), 31 * 7);
  EXPECT_DOUBLE_EQ(throughput(ladner_fischer, gpu, false).additions, 160);
  EXPECT_DOUBLE_EQ(throughput(ladner_fischer, gpu, true).additions, 40);
  EXPECT_DOUBLE_EQ(throughput(ladner_fischer, gpu, true).ands, 320);  // always integers
}

TEST(LatencyModelTest, KernelsOfTheThreeAlgorithms) {
  const auto p100 = paper_p100();
  const auto clocks = [&](const char* name) {
    const auto work = kernel_work(name, WarpScan::kogge_stone);
    return std::pair{latency(work->at(0), p100), latency(work->at(1), p100)};
  };
  EXPECT_EQ(clocks("scanrow_brlt"), (std::pair{8544.0, 8544.0}));
  EXPECT_EQ(clocks("brlt_scanrow"), (std::pair{2490.0, 2490.0}));
  EXPECT_EQ(clocks("scanrow_column"), (std::pair{6240.0, 186.0}));
  EXPECT_FALSE(kernel_work("2r1w", WarpScan::kogge_stone));
}

TEST(LatencyModelTest, CountsReplaceTheFormulas) {
  // Four matrices, each with 70 requests, one of them a two-way conflict, and 5 shuffles.
  const KernelCounts counts{.shuffles = 20, .shared_requests = 280, .shared_stages = 284, .pixels = 4096, .additions = {}};
  const auto work = counted_work(counts, transposing);
  EXPECT_DOUBLE_EQ(work.shuffles, 5);
  EXPECT_DOUBLE_EQ(work.additions, 992);
  EXPECT_DOUBLE_EQ(latency(work, paper_p100()), 70 * 36 + 5 * 33 + 186);
  EXPECT_NEAR(throughput(work, paper_p100()).shared_memory, 71, 0.01);
  const auto added = counted_work({.pixels = 2048, .additions = 4000}, transposing);
  EXPECT_DOUBLE_EQ(added.additions, 2000);
  EXPECT_DOUBLE_EQ(added.addition_stages, 31);
}

// 65536 registers, 64 KiB of shared memory and 32 blocks per multiprocessor, 56 of them.
TEST(LatencyModelTest, ActiveWarpsAreLimitedByTheScarcestResource) {
  Occupancy kernel{56, 65536, 65536, 32, 1024, 32, 16384};
  EXPECT_EQ(warps_per_block(kernel), 32);    // eq. 7
  EXPECT_EQ(active_warps(kernel), 56 * 64);  // registers: 65536 / (32 * 32)
  kernel.registers_per_thread = 64;
  EXPECT_EQ(active_warps(kernel), 56 * 32);
  EXPECT_DOUBLE_EQ(bandwidth_per_warp(9519, kernel), 9519.0 / (56 * 32));  // eq. 9
  kernel.shared_bytes_per_block = 40000;                                   // one block
  kernel.threads_per_block = 256;
  EXPECT_EQ(active_warps(kernel), 56 * 8);
  kernel.shared_bytes_per_block = 0;
  kernel.max_blocks = 2;
  EXPECT_EQ(active_warps(kernel), 56 * 16);
  kernel.shared_bytes_per_block = 65537;
  EXPECT_TRUE(std::isinf(bandwidth_per_warp(9519, kernel)));
}

// 33 KiB of buffers and 4 KiB of partial sums per block, for every size of sum.
TEST(LatencyModelTest, KernelOfThePaper) {
  const auto p100 = paper_kernel(paper_p100().name);
  ASSERT_TRUE(p100);
  EXPECT_EQ(p100->shared_bytes_per_block, 33792 + 4096);
  EXPECT_EQ(warps_per_block(*p100), 32);
  EXPECT_EQ(active_warps(*p100), 56 * 32);  // one block: shared memory
  EXPECT_EQ(active_warps(*paper_kernel(paper_v100().name)), 80 * 64);
  EXPECT_EQ(active_warps(*paper_kernel("NVIDIA H200")), 132 * 64);  // registers
  const auto doubles = paper_kernel(paper_p100().name, 8);
  EXPECT_EQ(doubles->shared_bytes_per_block, 33792 + 4096);
  EXPECT_EQ(warps_per_block(*doubles), 16);
  EXPECT_EQ(active_warps(*doubles), 56 * 16);
  EXPECT_FALSE(paper_kernel("another GPU"));
}

}  // namespace
}  // namespace gpu::simulated
