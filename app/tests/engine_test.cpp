// The engine: when it makes a picture, and what it does where it cannot.
#include "app/pipeline/engine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace app {
namespace {

Settings settings_for(const std::string& algorithm, const std::string& effect) {
  Settings settings;
  settings.device = DeviceChoice::host;
  settings.host_algorithm = algorithm;
  settings.effect = effect;
  return settings;
}

capture::Frame gray_frame(gpu::Size size) {
  capture::Frame frame;
  frame.resize(size, false);
  std::fill_n(frame.pixels.data(), size.pixels(), gpu::Bgr{80, 80, 80});
  return frame;
}

TEST(Engine, WantsAPictureOnlyWhereSettingsChangeWhatIsShown) {
  Engine engine({{}, "no driver"}, 10);
  auto settings = settings_for("host_serial", "none");
  EXPECT_TRUE(engine.wants(settings));
  EXPECT_TRUE(engine.process(gray_frame({8, 8}), settings));
  EXPECT_FALSE(engine.wants(settings));
  settings.zoom = 3;
  EXPECT_FALSE(engine.wants(settings));
  settings.effect = "box_blur";
  EXPECT_TRUE(engine.wants(settings));
}

TEST(Engine, KeepsThePictureAndSaysTheCauseOnce) {
  Engine engine({{}, "no driver"}, 10);
  ASSERT_TRUE(engine.process(gray_frame({64, 64}), settings_for("host_serial", "none")));
  auto too_wide = settings_for("host_serial", "haar");
  too_wide.effect_values["haar"]["width"] = "100";
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(engine.process(gray_frame({64, 64}), too_wide));
    const auto failure = engine.take_failure();
    ASSERT_EQ(failure.has_value(), i == 0);
    if (failure) {
      EXPECT_EQ(failure->code, ExitCode::usage);
    }
  }
  EXPECT_EQ(engine.recipe().effect->name, "none");
  EXPECT_EQ(engine.pipeline().picture()(3, 3).g, 80);
  EXPECT_TRUE(engine.process(gray_frame({64, 64}), settings_for("host_serial", "box_blur")));
  EXPECT_FALSE(engine.take_failure());
  EXPECT_FALSE(engine.process(gray_frame({64, 64}), too_wide));
  EXPECT_TRUE(engine.take_failure());  // again, since it worked in between
}

TEST(Engine, AGpuThatTheSettingsWantAndIsNotThereIsAWarning) {
  Engine engine({{}, "no driver"}, 10);
  auto settings = settings_for("host_serial", "none");
  settings.device = DeviceChoice::cuda;
  EXPECT_TRUE(engine.process(gray_frame({8, 8}), settings));
  EXPECT_EQ(engine.device(), gpu::Device::host);
  const auto warning = engine.take_failure();
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->code, ExitCode::ok);
  EXPECT_NE(warning->text.find("no driver"), std::string::npos);
  settings.zoom = 2;
  engine.wants(settings);
  EXPECT_FALSE(engine.take_failure());
}

}  // namespace
}  // namespace app
