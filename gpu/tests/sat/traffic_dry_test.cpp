// The traffic that descriptors state, as far as it can be tested without running.
#include <gtest/gtest.h>

#include "gpu/tests/sat/dry_replay.h"

#include <algorithm>

namespace gpu {
namespace {

constexpr Size frame{1920, 1080};

TEST(TrafficDryTest, LaunchesAreThoseOfADryReplay) {
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->traffic) continue;
    for (const auto& arguments : all_arguments(*algorithm))
      for (const auto type : {SatType::u8_u32, SatType::f64_f64})
        for (const Size size : {Size{1, 1}, Size{33, 1}, Size{1, 130}, Size{129, 65}, Size{300, 1021}, frame}) {
          PersistentMemory persistent(Device::cuda);
          auto dry = Context::dry(Device::cuda, 0, GpuLimits{});
          dry.set_persistent(&persistent);
          compute_sat(dry, *algorithm, view_without_memory(size, info(type).input),
                      view_without_memory(size, info(type).sum), arguments);
          const auto launches = std::ranges::count_if(dry.launches(),
                                                      [](const auto& launch) { return !launch.first_run_only; });
          EXPECT_EQ(algorithm->traffic(size, type, arguments, GpuLimits{}).launches, launches)
              << algorithm->name << text(arguments) << ", " << size.width << " x " << size.height;
        }
  }
}

// Every algorithm reads the image and writes the table at least once.
TEST(TrafficDryTest, IsNoLessThanImageAndTable) {
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->traffic) continue;
    for (const Size size : {Size{1, 1}, Size{1, 130}, Size{129, 65}, frame}) {
      const auto traffic = algorithm->traffic(size, SatType::u8_u32, Arguments(algorithm->parameters), GpuLimits{});
      EXPECT_GE(traffic.read_bytes, size.pixels()) << algorithm->name;
      EXPECT_GE(traffic.written_bytes, 4 * size.pixels()) << algorithm->name;
      EXPECT_LT(traffic.written_bytes, std::uint64_t{1} << 40) << algorithm->name << ": a negative difference?";
    }
  }
}

}  // namespace
}  // namespace gpu
