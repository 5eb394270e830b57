// The choice of the device: what was requested against what is available.
#include "app/control/selection.h"

#include <gtest/gtest.h>

#include "app/support/exit_code.h"

namespace app {
namespace {

TEST(SelectionDeviceChoiceTest, AMissingGpuEndsTheProgramOnlyIfItWasRequested) {
  const gpu::GpuProbe none{{}, "no NVIDIA driver is installed"};
  Settings settings;
  EXPECT_EQ(choose_device(settings, none, false).device, gpu::Device::host);
  EXPECT_EQ(choose_device(settings, none, false).warning, "");
  settings.device = DeviceChoice::cuda;
  const auto fallback = choose_device(settings, none, false);
  EXPECT_EQ(fallback.device, gpu::Device::host);
  EXPECT_NE(fallback.warning.find(none.reason), std::string::npos);
  try {
    choose_device(settings, none, true);
    FAIL();
  } catch (const ExitError& error) {
    EXPECT_EQ(error.code(), ExitCode::no_gpu);
    for (const auto& part : {none.reason, std::string("--device simulated"), std::string("--device host")})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  const gpu::GpuProbe some{gpu::GpuInfo{}, {}};
  EXPECT_EQ(choose_device(settings, some, true).device, gpu::Device::cuda);
  settings.device = DeviceChoice::automatic;
  EXPECT_EQ(choose_device(settings, some, false).device, gpu::Device::cuda);
}

// The table of what was measured is tested beside it.
TEST(SelectionTest, TheFirstAlgorithmIsTheFastestForLaunchedFrames) {
  gpu::GpuInfo h100;
  h100.major = 9;
  const auto fastest = gpu::fastest_algorithm({1920, 1080}, gpu::SatType::u8_u32, h100, gpu::RunBy::launches);
  EXPECT_EQ(first_cuda_algorithm(h100), fastest.algorithm->name);
  gpu::GpuInfo unknown;
  unknown.major = 8, unknown.minor = 6;
  EXPECT_EQ(first_cuda_algorithm(unknown), gpu::usual_sat_algorithm(gpu::Device::cuda));
}

// Else the next run would begin with it, and might end at once.
TEST(SelectionTest, WhatWasRefusedIsNotRemembered) {
  Settings worked;
  worked.effect = "haar";
  worked.effect_values["haar"] = {{"width", "100"}, {"type", "type-2-y"}};
  worked.effect_values["box_blur"] = {{"window", "31x31"}};
  const auto used = make_selection(worked, gpu::Device::host);
  auto refused = worked;
  refused.effect_values["haar"] = {{"width", "2048"}, {"height", "3"}};
  EXPECT_EQ(without_refused(refused, used, {}), worked);
  auto initial = worked;
  initial.effect_values.erase("haar");
  EXPECT_EQ(without_refused(refused, make_selection(initial, gpu::Device::host), {}), initial);
  EXPECT_EQ(without_refused(refused, without_effect(used), worked), worked) << "it was never in use: as before";

  refused.compare = {true, "original", "haar"};
  refused.effect = "box_blur";
  auto expected = worked;
  expected.compare = refused.compare;
  expected.effect = "box_blur";
  EXPECT_EQ(without_refused(refused, make_selection(expected, gpu::Device::host), worked), expected) << "a side";
}

TEST(SelectionTest, ThePlaceOfTheMouseIsNotRemembered) {
  Settings worked;
  worked.effect = "haar";
  worked.pointer = Pointer{7, 8};
  worked.effect_values["haar"] = {{"x", "3"}};
  const auto used = make_selection(worked, gpu::Device::host);
  auto refused = worked;
  refused.effect_values["haar"]["width"] = "2048";
  EXPECT_EQ(without_refused(refused, used, {}), worked);
}

}  // namespace
}  // namespace app
