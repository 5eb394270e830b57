#include "app/session/table_bound.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace app {
namespace {

using namespace std::chrono_literals;

std::optional<TableBound::Figure> awaited(TableBound& bound, gpu::Device device, gpu::Size size) {
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (std::chrono::steady_clock::now() < end) {
    if (auto figure = bound.of(device, size, 0)) return figure;
    std::this_thread::sleep_for(1ms);
  }
  return {};
}

TEST(TableBoundTest, IsMeasuredInTheBackgroundOncePerSize) {
  TableBound bound;
  EXPECT_FALSE(bound.of(gpu::Device::host, {640, 480}, 0)) << "it waits for nothing";
  const auto small = awaited(bound, gpu::Device::host, {640, 480});
  ASSERT_TRUE(small);
  EXPECT_GT(small->us, 0);
  EXPECT_EQ(small->name, "memset") << "as the race has it";
  const auto again = bound.of(gpu::Device::host, {640, 480}, 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->us, small->us);
  EXPECT_FALSE(bound.of(gpu::Device::host, {641, 480}, 0)) << "another size has another bound";
  EXPECT_TRUE(awaited(bound, gpu::Device::host, {641, 480}));
  EXPECT_TRUE(awaited(bound, gpu::Device::host, {1, 1}));
}

TEST(TableBoundTest, WhatHasNoMemoryBandwidthHasNone) {
  TableBound bound;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(bound.of(gpu::Device::simulated, {640, 480}, 0));
    EXPECT_FALSE(bound.of(gpu::Device::host, {0, 0}, 0));
  }
}

}  // namespace
}  // namespace app
