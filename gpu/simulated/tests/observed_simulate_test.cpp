// Whole algorithms under observation: correct tables, no races, and the counts that the papers state.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "gpu/simulated/gpu.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/observed/simulate.h"

namespace gpu::simulated {
namespace {

SimulationRequest request(std::string_view algorithm, Size size = {128, 96}) {
  SimulationRequest request;
  request.algorithm = algorithm;
  request.size = size;
  return request;
}

TEST(ObservedSimulateTest, EveryAlgorithmIsCorrectAndHasNoRaces) {
  for (const auto* algorithm : sat_algorithms()) {
    if (algorithm->device != Device::cuda || !algorithm->not_simulated.empty()) continue;
    for (const auto type : {SatType::u8_u32, SatType::f32_f32}) {
      if (std::ranges::find(algorithm->types, type) == algorithm->types.end()) continue;
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

// 2r2w: one pass along rows and one along columns; each reads and writes every number.
TEST(ObservedSimulateTest, TwoReadsTwoWrites) {
  const Size size{128, 96};
  const auto seen = simulate(request("2r2w", size));
  EXPECT_EQ(seen.counts.read.bytes, 2 * 4 * size.pixels());
  EXPECT_EQ(seen.counts.written.bytes, 2 * 4 * size.pixels());
  EXPECT_EQ(seen.counts.shared_reads, 0u);
  EXPECT_EQ(seen.counts.polls, 0u);
  EXPECT_FALSE(seen.formula_units);
}

TEST(ObservedSimulateTest, LatencyAndWidthLengthenTimes) {
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

TEST(ObservedSimulateTest, BoundsAreThoseOfThePapers) {
  // n = 64 * 64 numbers, log n = 12; w = 32, l = 400. Launches have one block per row, transposes fewer threads.
  const auto bound = [](std::string_view algorithm, int resident_blocks) {
    auto asked = request(algorithm, {64, 64});
    asked.gpu.resident_blocks = resident_blocks;
    return simulate(asked).formula_units;
  };
  // (n/w + nl/p) log n + l log n. 64 blocks of 256 threads: (128 + 100) * 12 + 4800; 16 at once: 528 * 12 + 4800
  EXPECT_EQ(bound("prefix_doubling", 264), 7536.0);
  EXPECT_EQ(bound("prefix_doubling", 16), 11136.0);
  // n/w + nl/p + l log n, one thread per pair in 64 rows of 64: 128 + 800 + 4800
  EXPECT_EQ(bound("prefix_tree", 264), 5728.0);
}

TEST(ObservedSimulateTest, PaddingThatWasWrittenIsFound) {
  for (const int row : {0, 1})
    for (const int column : {2, 3, 7, 8}) {
      const PoisonedImage image({3, 3}, ElementType::u8, 8);
      EXPECT_TRUE(image.padding_is_untouched());
      image.view().as<std::uint8_t>().data[row * 8 + column] = 1;
      EXPECT_EQ(image.padding_is_untouched(), column == 2 || column == 8) << row << ": " << column;
    }
}

TEST(ObservedSimulateTest, RestoresSettings) {
  GpuSettings settings;
  settings.resident_blocks = 7;
  the_gpu().set(settings);
  const auto expect_as_before = [] {
    EXPECT_EQ(the_gpu().settings().resident_blocks, 7);
    EXPECT_EQ(the_gpu().observer(), nullptr);
  };
  simulate(request("1r1w_skss_lb"));
  expect_as_before();
  auto broken = *find_sat_algorithm("2r2w");
  broken.run = [](Context& context, AnyConstImageView, AnyImageView, const Arguments&) {
    if (context.is_dry()) return;
    EXPECT_NE(the_gpu().observer(), nullptr);
    EXPECT_NE(the_gpu().settings().resident_blocks, 7);
    throw Fault("in the middle");
  };
  EXPECT_THROW(simulate(broken, request("2r2w")), Fault);
  expect_as_before();
  the_gpu().set({});
}

// Fresh memory from the system is zero, and would hide that an algorithm does not clear its counters or its table.
TEST(ObservedSimulateTest, MissingClearsAreFound) {
  auto unclean = *find_sat_algorithm("2r2w");
  EXPECT_TRUE(simulate(unclean, request("2r2w")).equal);
  // The correct table plus the old content of the workspace. The host can access the simulated GPU's memory.
  unclean.run = [](Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
    const auto* counter = context.scratch<float>(1);
    find_sat_algorithm("2r2w")->run(context, image, sat, arguments);
    if (!context.is_dry()) sat.as<float>()(0, 0) += *counter;
  };
  EXPECT_FALSE(simulate(unclean, request("2r2w")).equal);
  unclean.run = [](Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
    const float held = context.is_dry() ? 0 : sat.as<float>()(1, 1);
    find_sat_algorithm("2r2w")->run(context, image, sat, arguments);
    if (!context.is_dry()) sat.as<float>()(1, 1) += held;
  };
  EXPECT_FALSE(simulate(unclean, request("2r2w")).equal);
}

TEST(ObservedSimulateTest, RefusesImpossibleRequests) {
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
