// What the command line changes of the settings.
#include "app/commands/overrides.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "app/support/exit_code.h"

namespace app {
namespace {

Options parsed(std::vector<std::string> words) { return parse_options(words); }

TEST(OverridesTest, AnAlgorithmChoosesTheDevice) {
  Settings settings;
  override_settings(parsed({"--algorithm", "host_serial"}), settings);
  EXPECT_EQ(settings.device, DeviceChoice::host);
  EXPECT_EQ(settings.host_algorithm, "host_serial");
  settings.device = DeviceChoice::host;  // as saved before
  override_settings(parsed({"--algorithm", "2r2w"}), settings);
  EXPECT_EQ(settings.device, DeviceChoice::cuda);
  EXPECT_EQ(settings.cuda_algorithm, "2r2w");
}

TEST(OverridesTest, TheSimulatedGpuRunsCudaAlgorithms) {
  Settings settings;
  override_settings(parsed({"--algorithm", "2r2w", "--device", "simulated"}), settings);
  EXPECT_EQ(settings.device, DeviceChoice::simulated);
  EXPECT_EQ(settings.cuda_algorithm, "2r2w");
  EXPECT_EQ(chosen_algorithm(settings, gpu::Device::simulated).name, "2r2w");
  const auto selection = make_selection(settings, gpu::Device::simulated);
  EXPECT_EQ(selection.algorithm->device, gpu::Device::cuda);
  EXPECT_EQ(selection.device, gpu::Device::simulated);
  settings.cuda_algorithm = "cub";
  EXPECT_THROW(chosen_algorithm(settings, gpu::Device::simulated), std::invalid_argument);
}

TEST(OverridesTest, WithoutAGpuBothSidesOfAComparisonDecideWhereItRuns) {
  const gpu::GpuProbe none{{}, "no driver is loaded"};
  for (const char* sides : {"cub,original", "original,cub"}) try {
      device_without_gpu(parsed({"--compare", sides}), none);
      ADD_FAILURE() << sides;
    } catch (const ExitError& error) {
      EXPECT_EQ(error.code(), ExitCode::no_gpu);
      EXPECT_NE(std::string(error.what()).find("not on the simulated GPU either: cub"), std::string::npos) << error.what();
    }
  EXPECT_FALSE(device_without_gpu(parsed({"--compare", "original,host_serial"}), none));
}

TEST(OverridesTest, ParametersGoToTheirAlgorithmOrEffect) {
  Settings settings;
  settings.device = DeviceChoice::host;
  const auto options = parsed({"--effect", "box_blur", "--set", "window=9x3", "algorithm.threads=1", "effect.passes=2"});
  override_settings(options, settings);
  assign_parameters(options, gpu::Device::host, settings);
  EXPECT_EQ(settings.effect_values["box_blur"]["window"], "9x3");
  EXPECT_EQ(settings.effect_values["box_blur"]["passes"], "2");
  EXPECT_EQ(settings.algorithm_values["host_parallel"]["threads"], "1");
}

}  // namespace
}  // namespace app
