// Whole algorithms under observation: right tables, no races, and counts that the papers state.
#include <gtest/gtest.h>

#include <stdexcept>

#include "gpu/simulated/gpu.h"
#include "gpu/simulated/observed/simulate.h"

namespace gpu::simulated {
namespace {

SimulationRequest request(std::string_view algorithm, Size size = {128, 96}) {
  SimulationRequest request;
  request.algorithm = algorithm;
  request.size = size;
  return request;
}

TEST(ObservedSimulate, EveryAlgorithmIsRightAndHasNoRaces) {
  for (const auto* algorithm : sat_algorithms()) {
    if (algorithm->device != Device::cuda || !algorithm->not_simulated.empty()) continue;
    for (const auto type : {SatType::u8_u32, SatType::f32_f32}) {
      auto asked = request(algorithm->name, {131, 77});
      asked.type = type;
      const auto seen = simulate(asked);
      EXPECT_TRUE(seen.equal) << algorithm->name << ": " << seen.mismatch;
      EXPECT_GT(seen.launches, 0) << algorithm->name;
      for (const auto& race : seen.races)
        ADD_FAILURE() << algorithm->name << ": " << race.what << ": " << race.first << " - " << race.second;
    }
  }
}

// 2r2w: a pass along rows and one along columns, each of which reads and writes every number.
TEST(ObservedSimulate, TwoReadsTwoWrites) {
  const Size size{128, 96};
  const auto seen = simulate(request("2r2w", size));
  EXPECT_EQ(seen.counts.read.bytes, 2 * 4 * size.pixels());
  EXPECT_EQ(seen.counts.written.bytes, 2 * 4 * size.pixels());
  EXPECT_EQ(seen.counts.shared_reads, 0u);
  EXPECT_EQ(seen.counts.polls, 0u);
  EXPECT_FALSE(seen.formula_units);
}

TEST(ObservedSimulate, LatencyAndWidthLengthenTimes) {
  auto asked = request("2r1w");
  asked.latency = 1;
  const auto fast = simulate(asked);
  asked.latency = 400;
  const auto slow = simulate(asked);
  EXPECT_GT(slow.umm_units, fast.umm_units);
  EXPECT_GE(fast.dmm_umm_units, fast.umm_units);
  asked.latency = 1;
  asked.width = 8;
  EXPECT_GT(simulate(asked).umm_units, fast.umm_units);
}

TEST(ObservedSimulate, BoundsAreHeldAgainstProofs) {
  const auto seen = simulate(request("prefix_doubling", {64, 64}));
  ASSERT_TRUE(seen.formula_units);
  EXPECT_GT(*seen.formula_units, 0);
}

TEST(ObservedSimulate, LeavesSettingsAsTheyWere) {
  GpuSettings settings;
  settings.resident_blocks = 7;
  the_gpu().set(settings);
  simulate(request("1r1w_skss_lb"));
  EXPECT_EQ(the_gpu().settings().resident_blocks, 7);
  EXPECT_EQ(the_gpu().observer(), nullptr);
  the_gpu().set({});
}

TEST(ObservedSimulate, RefusesWhatItCannotDo) {
  EXPECT_THROW(simulate(request("no_such_algorithm")), std::invalid_argument);
  EXPECT_THROW(simulate(request("2r2w", {0, 5})), std::invalid_argument);
  auto asked = request("2r2w");
  asked.width = 12;
  EXPECT_THROW(simulate(asked), std::invalid_argument);
  asked.width = 32;
  asked.latency = 0;
  EXPECT_THROW(simulate(asked), std::invalid_argument);
}

}  // namespace
}  // namespace gpu::simulated
