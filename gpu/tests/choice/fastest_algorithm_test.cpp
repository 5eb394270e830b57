// fastest_algorithm(): the measured one at the nearest size, one that supports the table, and the usual one where nothing is known.
// fastest_algorithm_test.py shows that the sizes are those of assets/benchmark-*.md.
#include "gpu/choice/fastest_algorithm.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gpu {
namespace {

GpuInfo gpu_of(int major, int minor, const char* name = "") {
  GpuInfo info;
  info.name = name;
  info.major = major;
  info.minor = minor;
  info.multiprocessors = 40, info.l2_bytes = 32 << 20;
  return info;
}

TEST(FastestAlgorithmTest, TheMeasuredOneAtTheNearestSize) {
  const auto h100 = gpu_of(9, 0, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(fastest_algorithm({1900, 1000}, SatType::f32_f32, h100).algorithm->name, "one_wave");
  EXPECT_EQ(fastest_algorithm({4000, 4100}, SatType::f32_f32, h100).algorithm->name, "decoupled_fallback");
  EXPECT_EQ(fastest_algorithm({1, 1}, SatType::f32_f32, h100).algorithm->name, "one_wave");
  EXPECT_EQ(fastest_algorithm({8000, 8000}, SatType::u8_u32, h100).algorithm->name, "row_waves");
  EXPECT_EQ(fastest_algorithm({4000, 4100}, SatType::u8_u32, h100).origin, "the fastest at 4096x4096 on an NVIDIA H100");
}

TEST(FastestAlgorithmTest, TheOneOfTheGpuItselfOrOfItsArchitecture) {
  const auto origin = [](const char* name) {
    return fastest_algorithm({256, 256}, SatType::u8_u32, gpu_of(9, 0, name)).origin;
  };
  EXPECT_EQ(origin("NVIDIA H100 PCIe"), "the fastest at 256x256 on an NVIDIA H100");
  EXPECT_EQ(origin("NVIDIA H200"), "the fastest at 256x256 on an NVIDIA H200");
  EXPECT_EQ(origin("NVIDIA GH200 480GB"), "the fastest at 256x256 on an NVIDIA H200");
}

TEST(FastestAlgorithmTest, LaunchesHaveATableOfTheirOwn) {
  const auto h100 = gpu_of(9, 0, "NVIDIA H100 80GB HBM3");
  const auto differs = [&](int side) {
    return fastest_algorithm({side, side}, SatType::u8_u32, h100, RunBy::launches).algorithm !=
           fastest_algorithm({side, side}, SatType::u8_u32, h100, RunBy::graph).algorithm;
  };
  EXPECT_TRUE(differs(256) || differs(512) || differs(1024)) << "a cooperative launch costs more than its replay";
  EXPECT_EQ(fastest_algorithm({8192, 8192}, SatType::u8_u32, h100, RunBy::launches).algorithm->name, "row_waves");
}

TEST(FastestAlgorithmTest, ItSupportsTheTable) {
  for (const auto type : all_sat_types)
    for (const Size size : {Size{1, 1}, {640, 480}, {8192, 8192}, {1, 1 << 30}, {1 << 30, 1}})
      for (const auto& gpu : {std::optional<GpuInfo>(), std::optional(gpu_of(9, 0)), std::optional(gpu_of(7, 5))}) {
        const auto found = fastest_algorithm(size, type, gpu);
        EXPECT_TRUE(std::ranges::count(found.algorithm->types, type)) << found.algorithm->name;
        EXPECT_GE(found.algorithm->most_rows, size.height) << found.algorithm->name;
        EXPECT_EQ(found.algorithm->device, gpu ? Device::cuda : Device::host);
        EXPECT_FALSE(found.origin.empty());
      }
}

// 40 multiprocessors hold 160 tiles of 128 x 128 bytes, 80 of float, and 80 of 128 x 64 doubles.
TEST(FastestAlgorithmTest, WithoutMeasurementsWhatTheGpuHoldsAtOnce) {
  const auto chosen = [](Size size, SatType type, const GpuInfo& gpu) {
    return fastest_algorithm(size, type, gpu).algorithm->name;
  };
  const auto gpu = gpu_of(8, 6);
  EXPECT_EQ(chosen({1920, 1080}, SatType::u8_u32, gpu), "one_wave");
  EXPECT_EQ(chosen({1920, 1408}, SatType::u8_u32, gpu), "row_waves") << "165 tiles";
  EXPECT_EQ(chosen({1920, 1408}, SatType::u8_u32, gpu_of(7, 5)), "decoupled_fallback")
      << "one large tile per multiprocessor";
  EXPECT_EQ(chosen({1280, 1024}, SatType::f32_f32, gpu), "one_wave");
  EXPECT_EQ(chosen({1280, 1025}, SatType::f32_f32, gpu), "decoupled_fallback");
  EXPECT_EQ(chosen({640, 1024}, SatType::f64_f64, gpu), "one_wave");
  EXPECT_EQ(chosen({641, 1024}, SatType::f64_f64, gpu), "decoupled_fallback");
  EXPECT_EQ(chosen({896, 704}, SatType::f64_f64, gpu), "one_wave") << "77 tiles of 128 x 64, two per multiprocessor";
  EXPECT_EQ(chosen({8192, 8192}, SatType::u8_f32, gpu), "row_waves");
  EXPECT_EQ(chosen({8192, 8192}, SatType::u8_u64, gpu_of(9, 0, "NVIDIA H200")), "decoupled_fallback");

  auto small_cache = gpu;
  small_cache.l2_bytes = 5 * 1920 * 1080;
  EXPECT_EQ(chosen({1920, 1080}, SatType::u8_u32, small_cache), "one_wave");
  --small_cache.l2_bytes;
  EXPECT_EQ(chosen({1920, 1080}, SatType::u8_u32, small_cache), "row_waves");

  EXPECT_EQ(chosen({1, 1}, SatType::u8_u32, GpuInfo{}), "decoupled_fallback") << "nothing is known";
  EXPECT_EQ(fastest_algorithm({8192, 8192}, SatType::f32_f32, {}).algorithm->name, usual_sat_algorithm(Device::host));
  for (const auto& [major, minor] : {std::pair(9, 1), {8, 0}, {10, 0}})
    EXPECT_NE(fastest_algorithm({8192, 8192}, SatType::u8_u32, gpu_of(major, minor, "NVIDIA H200"))
                  .origin.find("there is no measurement"),
              std::string::npos);
}

// What this user measured counts before what was measured elsewhere, for a GPU of that name alone.
TEST(FastestAlgorithmTest, WhatTheUserMeasuredCountsFirst) {
  const Tuned tuned{{{"NVIDIA H100 PCIe",
                      "2026-05-31",
                      {{"32f32f", {1024, 1024}, {"2r1w", 8}, {"1r1w_skss_lb", 9}},
                       {"32f32f", {4096, 4096}, {"row_waves", 50}, {"2r1w", 50}},
                       {"8u32u", {512, 512}, {"host_parallel", 1}, {"of_another_version", 1}},
                       {"16x99y", {1024, 1024}, {"2r1w", 8}, {"2r1w", 8}}}},
                     {"Another", "2026-01-01", {}}}};
  const auto gpu = gpu_of(9, 0, "NVIDIA H100 PCIe");
  const auto chosen = [&](Size size, SatType type, RunBy run_by, const GpuInfo& on) {
    return fastest_algorithm(size, type, on, run_by, tuned);
  };
  const auto small = chosen({1100, 1100}, SatType::f32_f32, RunBy::graph, gpu);
  EXPECT_EQ(small.algorithm->name, "2r1w");
  EXPECT_EQ(small.origin, "the fastest at 1024x1024 on this GPU (satscope tune, 2026-05-31)");
  EXPECT_EQ(chosen({1100, 1100}, SatType::f32_f32, RunBy::launches, gpu).algorithm->name, "1r1w_skss_lb");
  EXPECT_EQ(chosen({16384, 16384}, SatType::f32_f32, RunBy::graph, gpu).algorithm->name, "row_waves");
  EXPECT_EQ(chosen({16384, 16384}, SatType::u32_u32, RunBy::launches, gpu).algorithm->name, "2r1w") << "as many bytes";
  const auto unknown = chosen({512, 512}, SatType::u8_u32, RunBy::launches, gpu);
  EXPECT_EQ(unknown.origin, fastest_algorithm({512, 512}, SatType::u8_u32, gpu, RunBy::launches).origin);
  EXPECT_EQ(chosen({512, 512}, SatType::u8_u32, RunBy::graph, gpu).algorithm->device, Device::cuda);
  for (const auto* other : {"NVIDIA H100", "NVIDIA H100 PCIe 80GB", "Another"}) {
    const auto on = gpu_of(9, 0, other);
    EXPECT_EQ(chosen({1024, 1024}, SatType::f32_f32, RunBy::graph, on).origin,
              fastest_algorithm({1024, 1024}, SatType::f32_f32, on).origin);
  }
  EXPECT_EQ(fastest_algorithm({1024, 1024}, SatType::f32_f32, {}, RunBy::graph, tuned).algorithm->device, Device::host);
}

// Where a type was measured itself, the others do not count, whatever their sizes and their order.
TEST(FastestAlgorithmTest, TheTypeItselfBeforeOneOfAsManyBytes) {
  const TunedSize same{"32f32f", {256, 256}, {"2r1w", 8}, {"2r1w", 9}},
      bytes{"32u32u", {4096, 4096}, {"row_waves", 8}, {"row_waves", 9}};
  for (const auto& sizes : {std::vector{same, bytes}, {bytes, same}}) {
    const auto chosen = [&](SatType type) {
      return fastest_algorithm({4096, 4096}, type, gpu_of(7, 5, "Mine"), RunBy::graph, {{{"Mine", "2026-05-31", sizes}}})
          .algorithm->name;
    };
    EXPECT_EQ(chosen(SatType::f32_f32), "2r1w");
    EXPECT_EQ(chosen(SatType::u32_u32), "row_waves");
  }
}

TEST(FastestAlgorithmTest, SmallImagesOfABatchAreTakenAtOnce) {
  for (const Size size : {Size{1, 1}, {512, 512}, {4096, 64}, {1920, 1080}, {2048, 2048}}) {
    const auto* const batch = fastest_batch(size);
    ASSERT_NE(batch, nullptr);
    EXPECT_NE(batch->run_batch, nullptr);
    EXPECT_GE(batch->types.size(), usual_sat_types.size());
  }
  EXPECT_EQ(fastest_batch({2049, 2048}), nullptr);
  EXPECT_EQ(fastest_batch({1, 2048 * 2048}), nullptr) << "a tile has few of its pixels";
}

TEST(FastestAlgorithmTest, ChannelsOfEverySizeAreTakenAtOnce) {
  for (const Size size : {Size{1, 1}, {1920, 1080}, {8192, 4096}, {16384, 16384}, {1 << 30, 1 << 30}}) {
    EXPECT_NE(fastest_of_channels(size).run_batch, nullptr);
    EXPECT_GE(fastest_of_channels(size).types.size(), usual_sat_types.size());
  }
  EXPECT_NE(fastest_of_channels({8192, 4096}).name, fastest_of_channels({8193, 4096}).name)
      << "too many tiles exchange sums";
}

}  // namespace
}  // namespace gpu
