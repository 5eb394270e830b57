// Every span that an algorithm, an effect or the pipeline can have is explained.
#include "gpu/choice/explanation.h"

#include "gpu/checks/check_table.h"
#include "gpu/tests/effects/effect_cases.h"
#include "gpu/tests/sat/dry_replay.h"

namespace gpu {
namespace {

TEST(ExplanationTest, ThereIsOneOfEveryKernelOfEveryAlgorithm) {
  for (const auto* algorithm : sat_algorithms()) {
    EXPECT_EQ(explanation(algorithm->name), algorithm->idea);
    EXPECT_EQ(explanation("lane 2/" + std::string(algorithm->name)), algorithm->idea);
    for (const auto& arguments : all_arguments(*algorithm))
      for (const Size size : {Size{1, 1}, Size{64, 4000}, Size{1920, 1080}}) {
        const auto context = replay(*algorithm, arguments, algorithm->types.front(), size);
        for (const auto& launch : context.launches()) {
          const auto path = std::string(algorithm->name) + '/' + launch.name;
          EXPECT_FALSE(explanation(path).empty()) << path;
          EXPECT_EQ(explanation("lane 1/" + path), explanation(path));
          EXPECT_FALSE(explanation("squares/" + launch.name).empty()) << launch.name << ", of no named algorithm";
        }
      }
  }
}

TEST(ExplanationTest, AnAlgorithmsOwnSentenceComesBeforeTheGeneralOne) {
  EXPECT_NE(explanation("2r2w/row scan"), explanation("row scan"));
  EXPECT_NE(explanation("2r2w/row scan"), explanation("scan_transpose/row scan"));
  EXPECT_NE(explanation("2r1w/tile sums"), explanation("1_plus_r_r1w/tile sums"));
  EXPECT_EQ(explanation("lane 2/2r1w/tile sums"), explanation("2r1w/tile sums"));
  EXPECT_EQ(explanation("1r1w_skss/clear"), explanation("clear"));
  EXPECT_NE(explanation("1r1w_skss"), explanation("1r1w_skss/1r1w_skss")) << "the algorithm, and its kernel";
  EXPECT_EQ(explanation("prefix_doubling/add at distance 64"), explanation("prefix_doubling/add at distance 1"));
}

TEST(ExplanationTest, ThereIsOneOfEveryKernelOfEveryEffect) {
  for (const auto& effect_case : test::effect_cases())
    for (const auto device : {Device::host, Device::cuda}) {
      const auto context = test::replay_effect(device, effect_case, {640, 480});
      for (const auto& launch : context.launches()) EXPECT_FALSE(explanation(launch.name).empty()) << launch.name;
    }
}

// What app/ times in a frame besides tables and effects: app/pipeline, and the sinks in app/gl and app/output.
TEST(ExplanationTest, ThereIsOneOfEveryOtherSpanOfAFrame) {
  for (const char* path :
       {"upload", "wait for the GPU", "luma", "frame", "lane 1", "A: original", "B: box_blur", "compose", "borders",
        "box sums", "annotations", "check", "check result", "copy to texture", "copy to recording"}) {
    EXPECT_FALSE(explanation(path).empty()) << path;
    EXPECT_FALSE(explanation("B: box_blur/" + std::string(path)).empty()) << path;
  }
}

TEST(ExplanationTest, ThereIsOneOfEveryKernelOfTheCheck) {
  for (const auto device : {Device::host, Device::cuda}) {
    auto dry = Context::dry(device, 4);
    check_table(dry, view_without_memory<const std::uint8_t>({640, 480}),
                view_without_memory<const std::uint32_t>({640, 480}));
    EXPECT_FALSE(dry.launches().empty());
    for (const auto& launch : dry.launches()) EXPECT_FALSE(explanation("check/" + launch.name).empty()) << launch.name;
  }
}

TEST(ExplanationTest, OthersHaveNone) {
  for (const auto* path : {"", "/", "unheard of", "2r1w/unheard of", "luma/"}) EXPECT_EQ(explanation(path), "") << path;
}

}  // namespace
}  // namespace gpu
