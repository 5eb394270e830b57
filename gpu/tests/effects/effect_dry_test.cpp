// Every effect replayed dry: what it would start, and how much memory it requests, for images that do not exist.
#include <gtest/gtest.h>

#include "gpu/tests/effects/effect_replay.h"

namespace gpu::test {
namespace {

std::vector<std::string> names(const Context& context) {
  std::vector<std::string> all;
  for (const auto& launch : context.launches()) all.push_back(launch.name);
  return all;
}

TEST(EffectDry, EveryCaseStartsSomethingAndReadsNothing) {
  for (const auto& effect_case : effect_cases())
    for (const auto device : {Device::host, Device::cuda}) {
      const auto context = replay_effect(device, effect_case, {640, 480});
      EXPECT_FALSE(context.launches().empty()) << effect_case.text();
    }
}

TEST(EffectDry, EveryEffectHasCases) {
  for (const auto* effect : all_effects())
    EXPECT_TRUE(std::any_of(effect_cases().begin(), effect_cases().end(), [&](const EffectCase& c) {
      return c.effect == effect->name;
    })) << effect->name;
}

// More rows than a grid can have blocks in y.
TEST(EffectDry, TallFramesFitTheGrid) {
  for (const int height : {1, 524280, 524281, 3000000}) {
    const auto context = replay_effect(Device::cuda, {"box_blur", {}}, {3, height});
    for (const auto& launch : context.launches()) {
      const auto& grid = launch.shape.grid;
      EXPECT_LE(grid.y, 65535u);
      EXPECT_LE(grid.z, 65535u);
      EXPECT_GE(std::size_t{grid.y} * grid.z * launch.shape.block.y, static_cast<std::size_t>(height)) << launch.name;
    }
  }
}

TEST(EffectDry, OneLaunchCoversTheFrame) {
  const auto context = replay_effect(Device::cuda, {"box_blur", {}}, {1921, 1080});
  ASSERT_EQ(names(context), std::vector<std::string>{"box blur"});
  const auto& shape = context.launches()[0].shape;
  EXPECT_EQ(shape.grid.x, 61u);   // 32 columns per block
  EXPECT_EQ(shape.grid.y, 135u);  // 8 rows per block
  EXPECT_EQ(context.workspace_bytes(), 0u);
}

TEST(EffectDry, PassesComputeTablesBetween) {
  const auto context = replay_effect(Device::host, {"box_blur", {{"passes", "3"}}}, {640, 480});
  EXPECT_EQ(names(context), (std::vector<std::string>{"box blur", "serial pass", "box blur", "serial pass", "box blur"}));
  EXPECT_GE(context.workspace_bytes(), 640u * 480 * 5);
}

TEST(EffectDry, ColourHasOneTablePerChannel) {
  const auto context = replay_effect(Device::host, {"box_blur", {{"colour", "on"}}}, {640, 480});
  EXPECT_EQ(names(context), (std::vector<std::string>{"split channels", "serial pass", "serial pass", "serial pass",
                                                      "box blur", "box blur", "box blur", "join channels"}));
}

}  // namespace
}  // namespace gpu::test
