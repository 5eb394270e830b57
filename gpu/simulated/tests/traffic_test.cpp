// The traffic that descriptors state equals, to the byte, what threads of the simulated GPU request.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/simulated/observed/simulate.h"

namespace gpu::simulated {
namespace {

// The algorithms that know theirs, with sums of integers and of floating-point numbers; those that have all types, also with
// pixels of 16 bits, and sums of 64.
std::vector<std::tuple<const SatAlgorithm*, SatType>> known() {
  std::vector<std::tuple<const SatAlgorithm*, SatType>> all;
  for (const auto* algorithm : sat_algorithms())
    for (const auto type : {SatType::u8_u32, SatType::f32_f32, SatType::u16_u32, SatType::u16_u64_squares})
      if (algorithm->traffic && std::ranges::find(algorithm->types, type) != algorithm->types.end())
        all.emplace_back(algorithm, type);
  return all;
}

class TrafficIsCountedTest : public testing::TestWithParam<std::tuple<const SatAlgorithm*, SatType>> {
 protected:
  void check(Size size) {
    const auto [algorithm, type] = GetParam();
    SimulationRequest request;
    request.algorithm = algorithm->name;
    request.arguments = Arguments(algorithm->parameters);
    request.type = type;
    request.size = size;
    request.gpu.resident_blocks = 1024;  // as many as any kernel is compiled for on an H200: launches are as large
    const auto simulation = simulate(request);
    const auto traffic = algorithm->traffic(size, type, request.arguments, GpuLimits{});
    EXPECT_TRUE(simulation.equal) << simulation.mismatch;
    EXPECT_EQ(simulation.counts.read.bytes, traffic.read_bytes);
    EXPECT_EQ(simulation.counts.written.bytes, traffic.written_bytes);
    EXPECT_EQ(simulation.launches, traffic.launches);
  }
};

// So wide that scan_transpose has several sections per row, row_waves several groups of tiles, and one_wave high tiles, whose sums
// share words: terms of the formulas that are 0 for smaller images.
TEST_P(TrafficIsCountedTest, OfWholeTiles) { check({2304, 256}); }
TEST_P(TrafficIsCountedTest, OfPartialTiles) { check({1000, 133}); }
TEST_P(TrafficIsCountedTest, OfTallImages) { check({133, 1021}); }

// For app/test --full.
using TrafficIsCountedLargeTest = TrafficIsCountedTest;
TEST_P(TrafficIsCountedLargeTest, Of2048x2048) { check({2048, 2048}); }
TEST_P(TrafficIsCountedLargeTest, OfPartialTiles) { check({1000, 1021}); }

std::string test_name(const testing::TestParamInfo<TrafficIsCountedTest::ParamType>& test) {
  const auto [algorithm, type] = test.param;
  return std::string(algorithm->name) + "_" + std::string(info(type).name);
}

INSTANTIATE_TEST_SUITE_P(Every, TrafficIsCountedTest, testing::ValuesIn(known()), test_name);
INSTANTIATE_TEST_SUITE_P(Every, TrafficIsCountedLargeTest, testing::ValuesIn(known()), test_name);

// All CUDA algorithms state their traffic, except those of libraries.
TEST(TrafficTest, IsMissingForLibraries) {
  for (const auto* algorithm : sat_algorithms())
    EXPECT_EQ(algorithm->traffic != nullptr, algorithm->device == Device::cuda && algorithm->not_simulated.empty())
        << algorithm->name;
}

}  // namespace
}  // namespace gpu::simulated
