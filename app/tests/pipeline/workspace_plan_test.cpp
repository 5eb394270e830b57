// How much memory is planned ahead.
#include "app/pipeline/workspace_plan.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(WorkspacePlanTest, BeyondTheBudgetNothingIsAllocatedAhead) {
  gpu::PersistentMemory persistent(gpu::Device::host);
  const gpu::Size size{640, 480};
  const auto bytes = [&](std::size_t budget) {
    return WorkspacePlan(gpu::Device::cuda, 0, size, persistent, budget).bytes();
  };
  const auto all = bytes(std::size_t{1} << 40);
  EXPECT_GT(all, size.pixels() * 16);  // the tables of three channels, and more
  EXPECT_EQ(bytes(all), all);
  EXPECT_LT(bytes(all - 1), all);
  EXPECT_EQ(bytes(0), 0u);

  // Likewise memory that persists.
  constexpr std::size_t budget = 100'000;
  EXPECT_GT(persistent.noted_bytes(), budget);
  gpu::PersistentMemory little(gpu::Device::host);
  EXPECT_LE(WorkspacePlan(gpu::Device::cuda, 0, size, little, budget).bytes(), budget);
  EXPECT_GT(little.noted_bytes(), 0u);
  EXPECT_LE(little.noted_bytes(), budget);
}

// Algorithms share some of it: counted for each of them, the last ones would seem to have no room.
TEST(WorkspacePlanTest, MemoryThatPersistsIsCountedOnce) {
  constexpr gpu::Size size{640, 480};
  gpu::PersistentMemory all(gpu::Device::host), exact(gpu::Device::host);
  WorkspacePlan(gpu::Device::cuda, 0, size, all, std::size_t{1} << 40);
  WorkspacePlan(gpu::Device::cuda, 0, size, exact, all.noted_bytes());
  EXPECT_EQ(exact.noted_bytes(), all.noted_bytes());
}

}  // namespace
}  // namespace app
