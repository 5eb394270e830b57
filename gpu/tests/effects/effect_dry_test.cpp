// Every effect replayed dry: what it would start, and how much memory it requests, for images that do not exist.
#include <gtest/gtest.h>

#include "gpu/tests/effects/effect_cases.h"

#include <algorithm>

namespace gpu::test {
namespace {

std::vector<std::string> names(const Context& context) {
  std::vector<std::string> all;
  for (const auto& launch : context.launches()) all.push_back(launch.name);
  return all;
}

TEST(EffectDryTest, EveryCaseStartsSomethingAndReadsNothing) {
  for (const auto& effect_case : effect_cases())
    for (const auto device : {Device::host, Device::cuda}) {
      const auto context = replay_effect(device, effect_case, {640, 480});
      EXPECT_FALSE(context.launches().empty()) << effect_case.text();
    }
}

TEST(EffectDryTest, EveryEffectHasCases) {
  for (const auto* effect : all_effects())
    EXPECT_TRUE(std::any_of(effect_cases().begin(), effect_cases().end(), [&](const EffectCase& c) {
      return c.effect == effect->name;
    })) << effect->name;
}

// More rows than a grid can have blocks in y: by tiles, by a thread per pixel, and where every pixel is at the edge.
TEST(EffectDryTest, TallFramesFitTheGrid) {
  const EffectCase tiles{"box_blur", {{"window", "1x1"}, {"colour", "off"}}}, pixels{"sat_view", {}},
      edges{"box_blur", {{"window", "129x1"}, {"colour", "off"}}};
  constexpr std::size_t width = 40, most_of_thread = 4;  // pixels
  for (const auto& effect_case : {tiles, pixels, edges})
    for (const int height : {1, 524280, 524281, 3000000}) {
      const auto context = replay_effect(Device::cuda, effect_case, {int{width}, height});
      ASSERT_EQ(context.launches().size(), 1u);
      const auto& shape = context.launches()[0].shape;
      const auto &grid = shape.grid, &block = shape.block;
      EXPECT_LE(grid.y, 65535u);
      EXPECT_LE(grid.z, 65535u);
      EXPECT_LE(grid.x, 0x7fffffffu);
      const auto threads = std::size_t{grid.x} * grid.y * grid.z * block.x * block.y;
      EXPECT_GE(threads * most_of_thread, width * static_cast<std::size_t>(height)) << effect_case.text();
      EXPECT_EQ(grid.z > 1, height > 524280 && effect_case.text() != edges.text()) << effect_case.text() << ' ' << height;
    }
}

TEST(EffectDryTest, OneLaunchCoversTheFrame) {
  const auto context = replay_effect(Device::cuda, {"box_blur", {{"colour", "off"}}}, {1921, 1080});
  ASSERT_EQ(names(context), std::vector<std::string>{"box blur"});
  const auto& shape = context.launches()[0].shape;
  constexpr unsigned edge = 15 * 1921 + 1065 * 15;  // pixels of windows that reach the edge, one per thread
  constexpr unsigned across = (1906 + 127) / 128, down = (1065 + 7) / 8;
  EXPECT_EQ(shape.grid.x, across + (edge + down * 256 - 1) / (down * 256)) << "each row of blocks has its share of the edge";
  EXPECT_EQ(shape.grid.y, down);
  EXPECT_EQ(context.workspace_bytes(), 0u);
}

TEST(EffectDryTest, PassesComputeTablesBetween) {
  const auto context = replay_effect(Device::host, {"box_blur", {{"passes", "3"}, {"colour", "off"}}}, {640, 480});
  EXPECT_EQ(names(context), (std::vector<std::string>{"box blur", "serial pass", "box blur", "serial pass", "box blur"}));
  EXPECT_GE(context.workspace_bytes(), 640u * 480 * 5);
}

TEST(EffectDryTest, ColourIsTheDefaultAndHasOneTablePerChannel) {
  auto launches = names(replay_effect(Device::cuda, {"box_blur", {}}, {640, 480}));
  ASSERT_GE(launches.size(), 8u);
  EXPECT_EQ(launches.front(), "split channels");
  launches.erase(launches.begin(), launches.end() - 4);
  EXPECT_EQ(launches, (std::vector<std::string>{"box blur", "box blur", "box blur", "join channels"}));
}

// The colours are read as they lie, and only pictures between passes take memory.
TEST(EffectDryTest, OnTheHostColoursAreBlurredWithoutTables) {
  const auto once = replay_effect(Device::host, {"box_blur", {}}, {640, 480});
  EXPECT_EQ(names(once), std::vector<std::string>{"box blur"});
  EXPECT_EQ(once.workspace_bytes(), 0u);
  const auto often = replay_effect(Device::host, {"box_blur", {{"passes", "4"}}}, {640, 480});
  EXPECT_EQ(names(often), std::vector<std::string>(4, "box blur"));
  EXPECT_LT(often.workspace_bytes(), 640u * 480 * 7);
}

// The same picture without the gray frame and its table; other effects say that it is missing.
TEST(EffectDryTest, OnlyEffectsThatSayItDoWithoutGray) {
  const auto frame = HostFrame::noise({33, 21}, 4);
  auto colour_alone = HostFrame::noise({33, 21}, 4);
  colour_alone.gray = {};
  colour_alone.sat = {};
  int without = 0;
  for (const auto& effect_case : effect_cases()) {
    SCOPED_TRACE(effect_case.text());
    const auto& effect = effect_named(effect_case.effect);
    const auto arguments = effect_case.arguments();
    if (effect.needs_gray(arguments)) {
      EXPECT_THROW(run_on_host(effect, arguments, colour_alone), std::invalid_argument);
      continue;
    }
    ++without;
    EXPECT_EQ(run_on_host(effect, arguments, colour_alone), run_on_host(effect, arguments, frame));
  }
  EXPECT_GE(without, 2);
}

}  // namespace
}  // namespace gpu::test
