// cards.json agrees with the algorithms, the effects and what the program times: all of it is explained, and nothing else.
#include "app/control/cards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "app/control/carry_scene.h"
#include "gpu/checks/verify.h"
#include "gpu/choice/tune.h"
#include "gpu/tests/effects/effect_cases.h"

namespace app {
namespace {

// The names of all launches, with every choice of every parameter, of images that are small, tall and wide.
std::set<std::string> launched_by(const gpu::SatAlgorithm& algorithm) {
  std::set<std::string> names;
  for (const auto& arguments : gpu::combinations(gpu::Arguments(algorithm.parameters), {}))
    for (const gpu::Size size : {gpu::Size{1, 1}, gpu::Size{64, 4000}, gpu::Size{1920, 1080}}) {
      auto dry = gpu::Context::dry(algorithm.device, 4);
      const auto type = gpu::info(algorithm.types.front());
      gpu::compute_sat(dry, algorithm, gpu::view_without_memory(size, type.input), gpu::view_without_memory(size, type.sum),
                       arguments);
      for (const auto& launch : dry.launches()) names.insert(launch.name);
    }
  return names;
}

TEST(CardsTest, EveryAlgorithmHasOneAndNoOtherNameHas) {
  EXPECT_EQ(sat_cards().size(), gpu::sat_algorithms().size());
  for (const auto* algorithm : gpu::sat_algorithms()) EXPECT_TRUE(find_sat_card(algorithm->name)) << algorithm->name;
  EXPECT_FALSE(find_sat_card("2r3w"));
}

TEST(CardsTest, FamiliesHaveNamesAndEveryCardHasSteps) {
  std::size_t all = 0;
  for (const auto& family : sat_families()) {
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(family.name.front()))) << family.name;
    EXPECT_TRUE(family.description.ends_with('.')) << family.name;
    EXPECT_TRUE(std::ranges::is_sorted(family.algorithms(), {}, &gpu::SatAlgorithm::year)) << family.name;
    all += family.algorithms().size();
  }
  EXPECT_EQ(all, gpu::sat_algorithms().size());
  for (const auto& card : sat_cards()) {
    EXPECT_FALSE(card.steps.empty()) << card.algorithm;
    for (const auto& step : card.steps) {
      EXPECT_TRUE(step.text.ends_with('.') || step.text.ends_with(',')) << step.text;
      EXPECT_NO_THROW(carry_scene(step.move)) << card.algorithm;
    }
    EXPECT_TRUE(card.doi.empty() || card.doi.starts_with("10.")) << card.doi;
  }
  // Its tiles are not chained: none waits for another's table.
  EXPECT_EQ(find_sat_card("one_wave")->steps.back().move, "sums_of_all");
}

TEST(CardsTest, EveryKernelOfAnAlgorithmIsExplainedAndNothingElseIs) {
  for (const auto* algorithm : gpu::sat_algorithms()) {
    EXPECT_EQ(explanation(algorithm->name), algorithm->idea);
    EXPECT_EQ(explanation("lane 2/" + std::string(algorithm->name)), algorithm->idea);
    const auto& card = *find_sat_card(algorithm->name);
    const auto names = launched_by(*algorithm);
    for (const auto& name : names) {
      const auto path = std::string(algorithm->name) + '/' + name;
      EXPECT_TRUE(name == "clear" || !note_of(card.kernels, name).empty()) << path;
      EXPECT_FALSE(explanation(path).empty()) << path;
      EXPECT_EQ(explanation("lane 1/" + path), explanation(path));
      EXPECT_FALSE(explanation("squares/" + name).empty()) << name << ", of no named algorithm";
    }
    for (const auto& note : card.kernels) {
      const auto stem = note.name.substr(0, note.name.find('*'));
      EXPECT_TRUE(std::ranges::any_of(names, [&](const auto& name) { return name.starts_with(stem); }))
          << algorithm->name << " launches no " << note.name;
    }
  }
}

TEST(CardsTest, AnAlgorithmsOwnSentenceComesBeforeTheGeneralOne) {
  EXPECT_NE(explanation("2r2w/row scan"), explanation("row scan"));
  EXPECT_NE(explanation("2r2w/row scan"), explanation("scan_transpose/row scan"));
  EXPECT_NE(explanation("2r1w/tile sums"), explanation("1_plus_r_r1w/tile sums"));
  EXPECT_EQ(explanation("lane 2/2r1w/tile sums"), explanation("2r1w/tile sums"));
  EXPECT_EQ(explanation("1r1w_skss/clear"), explanation("clear"));
  EXPECT_NE(explanation("1r1w_skss"), explanation("1r1w_skss/1r1w_skss")) << "the algorithm, and its kernel";
  EXPECT_EQ(explanation("prefix_doubling/add at distance 64"), explanation("prefix_doubling/add at distance 1"));
}

TEST(CardsTest, EveryKernelOfEffectsAndOfTheCheckIsExplained) {
  for (const auto device : {gpu::Device::host, gpu::Device::cuda}) {
    for (const auto& effect_case : gpu::test::effect_cases()) {
      const auto context = gpu::test::replay_effect(device, effect_case, {640, 480});
      for (const auto& launch : context.launches()) EXPECT_FALSE(explanation(launch.name).empty()) << launch.name;
    }
    auto dry = gpu::Context::dry(device, 4);
    gpu::check_table(dry, gpu::view_without_memory<const std::uint8_t>({640, 480}),
                     gpu::view_without_memory<const std::uint32_t>({640, 480}));
    EXPECT_FALSE(dry.launches().empty());
    for (const auto& launch : dry.launches()) EXPECT_FALSE(explanation("check/" + launch.name).empty()) << launch.name;
  }
}

// What the program times in a frame besides tables and effects: app/pipeline, and the sinks in app/gl and app/output.
TEST(CardsTest, EveryOtherSpanOfAFrameIsExplained) {
  for (const char* path :
       {"upload", "wait for the GPU", "luma", "frame", "lane 1", "A: original", "B: box_blur", "compose", "borders",
        "box sums", "annotations", "check", "check result", "copy to texture", "copy to recording"}) {
    EXPECT_FALSE(explanation(path).empty()) << path;
    EXPECT_FALSE(explanation("B: box_blur/" + std::string(path)).empty()) << path;
  }
  for (const auto* path : {"", "/", "unheard of", "2r1w/unheard of", "luma/"}) EXPECT_EQ(explanation(path), "") << path;
}

}  // namespace
}  // namespace app
