// The memory machines, and the bounds that papers prove on them, compared with times computed by hand.
#include "gpu/simulated/memory_machine.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace gpu::simulated {
namespace {

WarpTrace repeated(Step step, std::size_t times) { return WarpTrace(times, step); }

std::uint64_t umm(const LaunchTrace& launch, unsigned latency, std::size_t resident = 100) {
  return umm_time(launch, {latency, resident});
}
std::uint64_t dmm_umm(const LaunchTrace& launch, unsigned latency, std::size_t resident = 100) {
  return dmm_umm_time(launch, {latency, resident});
}

std::vector<std::uint64_t> words(std::initializer_list<std::uint64_t> indices) {
  std::vector<std::uint64_t> addresses;
  for (const auto index : indices) addresses.push_back(4 * index);
  return addresses;
}
// 32 lanes, `stride` bytes apart.
std::array<std::uint64_t, 32> strided(std::uint64_t stride, std::uint64_t from = 0) {
  std::array<std::uint64_t, 32> addresses;
  for (std::size_t lane = 0; lane < 32; ++lane) addresses[lane] = from + lane * stride;
  return addresses;
}

// The paper's Fig. 3: w = 4, l = 5; W(0) accesses m[7], m[5], m[15], m[0], and W(1) m[10], m[11], m[12], m[9].
TEST(MemoryMachineTest, FigureThree) {
  const auto first = words({7, 5, 15, 0}), second = words({10, 11, 12, 9});
  EXPECT_EQ(dmm_stages(first, 4, 4), 2u);
  EXPECT_EQ(dmm_stages(second, 4, 4), 1u);
  EXPECT_EQ(umm_stages(first, 4, 4), 3u);
  EXPECT_EQ(umm_stages(second, 4, 4), 2u);
  const auto time = [](unsigned a, unsigned b) { return umm({{{Step::global(a)}, {Step::global(b)}}}, 5); };
  EXPECT_EQ(time(3, 2), 9u);
  EXPECT_EQ(time(2, 1), 7u);  // the same pipeline, with the DMM's stages
}

TEST(MemoryMachineTest, OneWarpWaitsForEveryRequest) {
  for (const unsigned latency : {1u, 7u, 400u})
    for (const unsigned stages : {1u, 5u})
      EXPECT_EQ(umm({{repeated(Step::global(stages), 10)}}, latency), 10 * (stages + latency - 1));
}

// Section 3: p threads in p/w warps, n/p accesses each.
TEST(MemoryMachineTest, ContiguousAccess) {
  constexpr std::uint64_t warps = 8, rounds = 16;
  const auto access = [&](bool barriers) {
    WarpTrace warp;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      warp.push_back(Step::global(1));
      if (barriers) warp.push_back(Step::barrier());
    }
    return LaunchTrace{BlockTrace(warps, warp)};
  };
  // One round after another, as the paper counts: n/p (p/w + l - 1).
  EXPECT_EQ(umm(access(true), 5), rounds * (warps + 5 - 1));
  EXPECT_EQ(umm(access(true), 100), rounds * (warps + 100 - 1));
  // Without barriers rounds overlap. Where p/w >= l, the pipeline is always full: n/w + l - 1.
  EXPECT_EQ(umm(access(false), 5), warps * rounds + 5 - 1);
  // Otherwise the first warp never waits for the others, and the last is p/w - 1 behind: n l / p + p/w - 1.
  EXPECT_EQ(umm(access(false), 100), rounds * 100 + warps - 1);
}

TEST(MemoryMachineTest, SharedMemoryCostsTheUmmNothing) {
  EXPECT_EQ(umm({{{Step::global(3), Step::shared(9), Step::global(2)}}}, 10, 1), 12 + 11u);
}

TEST(MemoryMachineTest, BlocksBeyondTheResidentWait) {
  const LaunchTrace launch(6, BlockTrace{repeated(Step::global(1), 4)});
  EXPECT_EQ(umm(launch, 10, 1), 6 * 40u);
  EXPECT_EQ(umm(launch, 10, 2), 3 * 40u + 1);  // the second of each pair is one unit behind
  EXPECT_EQ(umm(launch, 10, 6), 40u + 5);
  EXPECT_EQ(umm(launch, 10, 1000), 40u + 5);
}

// The third block takes the place of the short one while the long one still runs.
TEST(MemoryMachineTest, TheNextBlockStartsWhenOneEnds) {
  const LaunchTrace launch{{repeated(Step::global(1), 9)}, {repeated(Step::global(1), 2)}, {repeated(Step::global(1), 6)}};
  EXPECT_EQ(umm(launch, 10, 2), 90u);  // the third: from 21 to 81
  EXPECT_EQ(umm(launch, 10, 1), 170u);
}

TEST(MemoryMachineTest, ABarrierJoinsWarps) {
  const WarpTrace slow{Step::global(1), Step::global(1), Step::barrier(), Step::global(1)};
  const WarpTrace fast{Step::barrier(), Step::global(1)};
  EXPECT_EQ(umm({{slow, fast}}, 10), 20u + 2 + 9);
  const LaunchTrace apart{{slow}, {fast}};  // other blocks are not delayed
  EXPECT_EQ(umm(apart, 10), 30u);
}

TEST(MemoryMachineTest, ABarrierDoesNotWaitForWarpsThatEnded) {
  const WarpTrace early{Step::global(1)}, late{Step::barrier(), Step::global(1)};
  EXPECT_EQ(umm({{early, late}}, 10), 20u);
  EXPECT_EQ(umm({{WarpTrace{}, late}}, 10), 10u);
}

// The next block must not start before the second warp has ended.
TEST(MemoryMachineTest, AWarpEndsOnce) {
  const WarpTrace early{Step::barrier()}, late{Step::barrier(), Step::global(1), Step::barrier(), Step::global(1)};
  EXPECT_EQ(umm({{early, late}, {{Step::global(1)}}}, 10, 1), 30u);
}

TEST(MemoryMachineTest, NothingTakesNoTime) {
  EXPECT_EQ(umm({}, 10), 0u);
  EXPECT_EQ(umm({BlockTrace{}, {WarpTrace{}}, {{Step::barrier()}}}, 10, 1), 0u);
  EXPECT_EQ(umm({BlockTrace{}, {{Step::global(1)}}}, 10, 1), 10u);
}

TEST(MemoryMachineTest, SharedRequestsCostOnlyOnTheDmm) {
  const LaunchTrace launch{{{Step::shared(4), Step::global(1), Step::shared(3)}}};
  EXPECT_EQ(umm(launch, 10), 10u);
  EXPECT_EQ(dmm_umm(launch, 10), 4u + 10 + 3);
}

TEST(MemoryMachineTest, BlocksHaveTheirOwnDmm) {
  const WarpTrace warp = repeated(Step::shared(5), 3);
  EXPECT_EQ(dmm_umm({{warp, warp}}, 10), 30u);    // one pipeline
  EXPECT_EQ(dmm_umm({{warp}, {warp}}, 10), 15u);  // two
  EXPECT_EQ(dmm_umm({{warp}, {warp}}, 10, 1), 30u);
}

TEST(MemoryMachineTest, SharedAndGlobalRequestsOverlap) {
  EXPECT_EQ(dmm_umm({{repeated(Step::global(1), 5), repeated(Step::shared(10), 4)}}, 10), 50u);
  // A is in shared memory until 7, and then enters the UMM at once: B has entered it completely by then.
  EXPECT_EQ(dmm_umm({{{Step::shared(7), Step::global(1)}, {Step::global(4)}}}, 10), 17u);
  // Here B's stages occupy the entry until 20.
  EXPECT_EQ(dmm_umm({{{Step::shared(7), Step::global(1)}, {Step::global(20)}}}, 10), 20u + 1 + 9);
}

TEST(MemoryMachineTest, StepsHoldManyStages) {
  EXPECT_EQ(Step::global(Step::max_stages).stages(), Step::max_stages);
  EXPECT_EQ(Step::shared(100000).stages(), Step::max_stages);
  EXPECT_TRUE(Step::shared(1).is_shared());
  EXPECT_FALSE(Step::global(Step::max_stages).is_shared());
  EXPECT_FALSE(Step::global(0).is_barrier());
  EXPECT_EQ(sizeof(Step), 2u);
}

TEST(MemoryMachineTest, RefusesImpossibleMachines) {
  EXPECT_THROW(umm({}, 0), std::invalid_argument);
  EXPECT_THROW(dmm_umm({}, 1, 0), std::invalid_argument);
}

TEST(MemoryMachineUmmStagesTest, CountsAddressGroups) {
  EXPECT_EQ(umm_stages({}, 4, 32), 0u);
  EXPECT_EQ(umm_stages(strided(4), 4, 32), 1u);
  EXPECT_EQ(umm_stages(strided(4, 64), 4, 32), 2u);  // not aligned to a group
  EXPECT_EQ(umm_stages(strided(4096), 4, 32), 32u);  // a column
  EXPECT_EQ(umm_stages(strided(0), 4, 32), 1u);
  EXPECT_EQ(umm_stages(strided(1), 1, 32), 1u);
  EXPECT_EQ(umm_stages(strided(8), 8, 32), 2u);
  EXPECT_EQ(umm_stages(strided(16), 16, 32), 4u);
  EXPECT_EQ(umm_stages(words({0, 33, 1, 65, 32, 2, 64}), 4, 32), 3u);  // groups 0 1 0 2 1 0 2
  EXPECT_EQ(umm_stages(words({96, 64, 32, 0, 95}), 4, 32), 4u);        // descending
  const std::vector<std::uint64_t> straddling{126};
  EXPECT_EQ(umm_stages(straddling, 4, 32), 2u);
}

TEST(MemoryMachineUmmStagesTest, NarrowMachinesDispatchFewerLanes) {
  EXPECT_EQ(umm_stages(strided(4), 4, 16), 2u);
  EXPECT_EQ(umm_stages(strided(4), 4, 4), 8u);
  EXPECT_EQ(umm_stages(strided(0), 4, 8), 4u);  // one group, requested by each of four dispatches
  EXPECT_EQ(umm_stages(strided(16), 16, 4), 32u);
}

TEST(MemoryMachineDmmStagesTest, CountsBankConflicts) {
  EXPECT_EQ(dmm_stages({}, 4, 32), 0u);
  EXPECT_EQ(dmm_stages(strided(4), 4, 32), 1u);
  EXPECT_EQ(dmm_stages(strided(4, 68), 4, 32), 1u);  // banks, unlike groups, need no alignment
  EXPECT_EQ(dmm_stages(strided(8), 4, 32), 2u);
  EXPECT_EQ(dmm_stages(strided(32 * 4), 4, 32), 32u);                  // a column of a 32 x 32 matrix
  EXPECT_EQ(dmm_stages(strided(33 * 4), 4, 32), 1u);                   // a column of a padded one
  EXPECT_EQ(dmm_stages(strided(0), 4, 32), 1u);                        // one word
  EXPECT_EQ(dmm_stages(strided(1), 1, 32), 1u);                        // four lanes per word
  EXPECT_EQ(dmm_stages(words({0, 32, 0, 64, 32, 1, 33}), 4, 32), 3u);  // bank 0: words 0, 32, 64
}

TEST(MemoryMachineDmmStagesTest, WideAccessesGoInParts) {
  EXPECT_EQ(dmm_stages(strided(8), 8, 32), 2u);
  EXPECT_EQ(dmm_stages(strided(16), 16, 32), 4u);
  EXPECT_EQ(dmm_stages(strided(16), 8, 32), 4u);  // every other pair of banks, in each of two halves
  EXPECT_EQ(dmm_stages(strided(0), 16, 32), 4u);  // the same word, but in four quarters
}

TEST(MemoryMachineDmmStagesTest, NarrowMachinesHaveFewerBanks) {
  EXPECT_EQ(dmm_stages(strided(4), 4, 4), 8u);
  EXPECT_EQ(dmm_stages(strided(16), 4, 4), 32u);  // every word in bank 0
  EXPECT_EQ(dmm_stages(strided(16), 16, 4), 32u);
  EXPECT_EQ(dmm_stages(strided(16), 4, 16), 8u);  // two dispatches, four words in each of four banks
}

// The papers' running times, for values computed by hand.
// n = 2^20, w = 2^5, l = 2^8, p = 2^14: n/w = 2^15, nl/p = 2^14, log n = 20.
constexpr MemoryProblem square{
    .width = 1024, .height = 1024, .memory_width = 32, .latency = 256, .threads = 16384, .work_space = 4096};

// The tree is optimal, with little work space slower, and doubling slower by a logarithm.
TEST(MemoryMachineBoundTest, OfThePrefixAlgorithms) {
  struct Case {
    const char *algorithm, *source;
    double time_units;
  };
  for (const auto& [algorithm, source, time_units] :
       {Case{"prefix_tree", "Theorem 7", 32768 + 16384 + 256 * 20},
        {"prefix_tree_blocked", "Corollary 6", 32768 + 16384 + 256 * 256 * 12},  // n l / k = 2^16, log k = 12
        {"prefix_doubling", "Lemma 4", (32768 + 16384) * 20 + 256 * 20}}) {
    const auto bound = paper_bound(algorithm, square);
    ASSERT_TRUE(bound) << algorithm;
    EXPECT_DOUBLE_EQ(bound->time_units, time_units) << algorithm;
    EXPECT_EQ(bound->source, source);
  }
}

TEST(MemoryMachineBoundTest, CountsPixelsOfAnyShape) {
  auto wide = square;
  wide.width = 8192;
  wide.height = 128;
  for (const auto name : {"prefix_tree", "prefix_tree_blocked", "prefix_doubling"})
    EXPECT_DOUBLE_EQ(paper_bound(name, wide)->time_units, paper_bound(name, square)->time_units) << name;
  wide.height = 256;
  EXPECT_GT(paper_bound("prefix_tree", wide)->time_units, paper_bound("prefix_tree", square)->time_units);
}

TEST(MemoryMachineBoundTest, IsMissingWithoutAPublishedBound) {
  for (const auto name : {"2r2w", "2r2w_optimal", "2r1w", "1r1w", "1_plus_r_r1w", "1r1w_skss", "1r1w_skss_lb",
                          "scan_transpose", "transpose_harris", "ha_blocks", "brlt_scanrow", "cub", "npp", "prefix", ""})
    EXPECT_FALSE(paper_bound(name, square)) << name;
}

}  // namespace
}  // namespace gpu::simulated
