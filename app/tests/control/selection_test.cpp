// The choice of the device: what was requested against what is available.
#include "app/control/selection.h"

#include <gtest/gtest.h>

#include "app/support/exit_code.h"

namespace app {
namespace {

TEST(DeviceChoice, AMissingGpuEndsTheProgramOnlyIfItWasRequested) {
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

}  // namespace
}  // namespace app
