// What is compared: names of sides, which device can compute them, and the selections that they become.
#include "app/control/selection.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "app/control/command.h"
#include "app/control/fields.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

using gpu::Device;

ChangeContext running_on_host() { return {.no_cuda = "no driver", .no_simulated = "not built", .zoom = 1, .running = true}; }

std::string refused_comparison(const Change& change, const ChangeContext& context = {}, Settings settings = {}) {
  return gpu::test::refusal_of([&] { apply(settings, change, context); });
}

Settings comparing(const std::string& sides) {
  Settings settings;
  apply(settings, Change{"compare", sides});
  return settings;
}

Selection made(const std::string& sides, Settings settings = {}) {
  apply(settings, Change{"compare", sides});
  return make_selection(settings, Device::host);
}

TEST(ComparisonTest, SidesAreWrittenAsTheyAreRead) {
  for (const auto* text : {"original,result", "host_serial,host_parallel", "box_blur,sat_view", "off"})
    EXPECT_EQ(text_of(sides_from_text(text)), text);
  const auto settings = comparing("original,2r1w");
  EXPECT_TRUE(settings.compare.on);
  EXPECT_EQ(settings.compare.b, "2r1w");
  EXPECT_EQ(text_of(*find_field("compare"), Settings()), "off");
}

TEST(ComparisonTest, WrongSidesAreRefusedWithTheNearestName) {
  const std::pair<Change, const char*> table[] = {
      {{"compare", "orignal,result"}, "no side 'orignal' (did you mean 'original'?)"},
      {{"compare", "result,2r1v"}, "did you mean '2r1w'?"},
      {{"compare", "result,~~~~~~"}, "compare takes original, result"},
      {{"compare", "result"}, "two sides A,B"},
      {{"compare", "result,result"}, "two sides that differ"},
      {{"compare", "original,result,2r1w"}, "no side 'result,2r1w'"},
      {{"wipe", "1.5"}, "0 to 1"},
      {{"amplification", "0"}, "1 to 255"}};
  for (const auto& [change, says] : table) {
    const auto why = refused_comparison(change);
    EXPECT_NE(why.find(says), std::string::npos) << change.text << ": " << why;
  }
}

TEST(ComparisonTest, SidesAreTheResultWithAnotherAlgorithmOrEffect) {
  Settings settings;
  settings.host_algorithm = "host_serial";
  settings.algorithm_values["host_parallel"]["threads"] = "1";
  const auto original = made("original,result", settings);
  ASSERT_EQ(original.sides.size(), 2u);
  EXPECT_EQ(original.sides[0].algorithm, nullptr);
  EXPECT_EQ(original.sides[0].effect->name, "none");
  EXPECT_EQ(original.sides[0].name, "original");
  EXPECT_EQ(original.sides[1].algorithm->name, "host_serial");
  EXPECT_EQ(original.sides[1].name, "box_blur");

  const auto algorithms = made("result,host_parallel", settings);
  EXPECT_EQ(algorithms.sides[0].name, "host_serial");  // what tells it from the other
  EXPECT_EQ(algorithms.sides[1].algorithm->name, "host_parallel");
  EXPECT_EQ(algorithms.sides[1].algorithm_arguments.text("threads"), "1");
  EXPECT_EQ(algorithms.sides[1].effect->name, "box_blur");

  const auto effects = made("sat_view,adaptive_threshold", settings);
  EXPECT_EQ(effects.sides[0].effect->name, "sat_view");
  EXPECT_EQ(effects.sides[1].effect->name, "adaptive_threshold");
  EXPECT_EQ(effects.sides[1].algorithm->name, "host_serial");
  EXPECT_EQ(effects.effect->name, "box_blur");  // the result stays what the settings choose
  EXPECT_TRUE(made("off", settings).sides.empty());
}

// The position of a wipe is no other work, nor is what only a difference has; everything else of a comparison is.
TEST(ComparisonTest, OnlyMovingTheWipeKeepsTheStatistics) {
  auto settings = comparing("original,result");
  const auto before = make_selection(settings, Device::host);
  const auto after = [&](const Change& change) {
    auto changed = settings;
    apply(changed, change);
    return make_selection(changed, Device::host);
  };
  EXPECT_NE(before, after({"wipe", "0.25"}));
  EXPECT_TRUE(same_work(before, after({"wipe", "0.25"})));
  EXPECT_TRUE(same_work(before, after({"amplification", "9"})));
  for (const Change& change :
       {Change{"compare", "result,original"}, Change{"compare", "off"}, Change{"compare", "original,sat_view"},
        Change{"compare_mode", "difference"}, Change{"box_blur.window", "9x9"}})
    EXPECT_FALSE(same_work(before, after(change))) << change.path << '=' << change.text;
  const auto difference = after({"compare_mode", "difference"});
  settings.compare_mode = Composition::Mode::difference;
  EXPECT_FALSE(same_work(difference, after({"amplification", "9"})));
}

TEST(ComparisonTest, AnAlgorithmOfAnotherDeviceIsRefusedWithWhatToDo) {
  EXPECT_EQ(why_no_side("2r1w", Device::cuda), "");
  EXPECT_EQ(why_no_side("2r1w", Device::simulated), "");
  EXPECT_EQ(why_no_side("original", Device::host), "");
  EXPECT_EQ(why_no_side("sat_view", Device::host), "");
  EXPECT_EQ(
      why_no_side("2r1w", Device::host),
      "2r1w does not run on the CPU, where both sides are computed: choose another device (cuda or simulated), or another "
      "side");
  EXPECT_NE(why_no_side("host_serial", Device::simulated).find("(host)"), std::string::npos);
  EXPECT_NE(why_no_side("cub", Device::simulated).find("cub: "), std::string::npos);

  EXPECT_NE(refused_comparison({"compare", "2r1w,result"}, running_on_host()).find("2r1w does not run on the CPU"),
            std::string::npos);
  EXPECT_EQ(refused_comparison({"compare", "2r1w,result"}), gpu::test::nothing_refused);  // before the device is known
  // A device that cannot compute both sides is not switched to; where they came from a file, everything else goes on.
  const ChangeContext both{.no_cuda = "no driver", .no_simulated = "", .zoom = 1, .running = true};
  const auto sides = comparing("host_serial,host_parallel");
  EXPECT_NE(refused_comparison({"device", "simulated"}, both, sides).find("compare: host_serial does not run"),
            std::string::npos);
  EXPECT_EQ(refused_comparison({"zoom", "2"}, running_on_host(), comparing("2r1w,1r1w")), gpu::test::nothing_refused);
  EXPECT_TRUE(make_selection(comparing("2r1w,1r1w"), Device::host).sides.empty());
  EXPECT_NE(why_not_compared(comparing("result,1r1w"), Device::host), "");
  EXPECT_EQ(why_not_compared(Settings(), Device::host), "");
}

TEST(ComparisonTest, KeysToggleSwapAndShowTheDifference) {
  Settings settings;
  const auto context = running_on_host();
  EXPECT_THROW(apply(Action::swap_sides, settings, context), std::invalid_argument);
  apply(settings, Change{"compare", "original,sat_view"});
  apply(Action::swap_sides, settings, context);
  EXPECT_EQ(text_of(settings.compare), "sat_view,original");
  apply(Action::toggle_compare, settings, context);
  EXPECT_EQ(text_of(settings.compare), "off");
  apply(Action::toggle_compare, settings, context);
  EXPECT_EQ(text_of(settings.compare), "sat_view,original");  // not forgotten
  apply(Action::toggle_difference, settings, context);
  EXPECT_EQ(settings.compare_mode, Composition::Mode::difference);
  apply(Action::toggle_compare, settings, context);
  apply(Action::toggle_difference, settings, context);  // starts it again
  EXPECT_TRUE(settings.compare.on);
  EXPECT_EQ(settings.compare_mode, Composition::Mode::difference);
  apply(Action::toggle_difference, settings, context);
  EXPECT_EQ(settings.compare_mode, Composition::Mode::wipe);
}

TEST(ComparisonTest, SidesAndPathsAreShownByTheTitlesOfTheMenus) {
  const std::pair<const char*, const char*> sides[] = {
      {"original", "Original"}, {"result", "Result"}, {"sat_view", "The table"}, {"1r1w_skss_lb", "1r1w_skss_lb"}};
  const std::pair<const char*, const char*> paths[] = {
      {"B: box_blur/channels/2r1w/tile sums", "B: Box blur/channels/2r1w/tile sums"},
      {"A: original/none", "A: Original"},
      {"B: box_blur/box blur", "B: Box blur"},
      {"B: 2r1w/box blur", "B: 2r1w/Box blur"},
      {"A: host_serial/host_serial", "A: host_serial"},
      {"B: 2r1w/2r1w/tile sums", "B: 2r1w/tile sums"},
      {"A: host_serial", "A: host_serial"},
      {"box blur", "Box blur"},
      {"sat view", "The table"},
      {"luma", "luma"}};
  for (const auto& [side, title] : sides) EXPECT_EQ(title_of_side(side), title);
  for (const auto& [path, title] : paths) EXPECT_EQ(title_of_path(path), title);
}

// What the settings say of one side alone, and of both.
TEST(ComparisonTest, EachSideHasWhatIsItsOwnAndBothHaveTheRest) {
  Settings settings;
  settings.host_algorithm = "host_serial";
  settings.check = true;
  settings.timing = TimingChoice::every;
  settings.effect_values["adaptive_threshold"] = {{"window", "9"}};
  settings.effect_values["box_blur"] = {{"window", "7x7"}};
  settings.wipe = 0.25, settings.amplification = 9;
  settings.compare_mode = Composition::Mode::difference;
  for (const bool swapped : {false, true}) {
    const auto selection = made(swapped ? "adaptive_threshold,original" : "original,adaptive_threshold", settings);
    ASSERT_EQ(selection.sides.size(), 2u);
    const auto &original = selection.sides[swapped], &effect = selection.sides[!swapped];
    EXPECT_EQ(original.name, "original");
    EXPECT_FALSE(original.check) << "it has no table";
    EXPECT_EQ(original.algorithm_arguments, gpu::Arguments());
    EXPECT_EQ(effect.name, "adaptive_threshold");
    EXPECT_TRUE(effect.check);
    EXPECT_EQ(effect.effect_arguments.text("window"), "9");
    EXPECT_EQ(selection.effect_arguments.text("window"), "7x7");
    for (const auto& side : selection.sides) {
      EXPECT_EQ(side.timing, TimingChoice::every);
      EXPECT_TRUE(side.sides.empty());
    }
    EXPECT_EQ(selection.composition, (Composition{Composition::Mode::difference, 0.25, 9}));
  }
  const auto algorithms = made("host_parallel,result", settings);
  EXPECT_EQ(algorithms.sides[0].name, "host_parallel");
  EXPECT_EQ(algorithms.sides[1].name, "host_serial");
  const auto effects = made("result,sat_view", settings);
  EXPECT_EQ(effects.sides[0].name, "box_blur");
  EXPECT_EQ(effects.sides[0].effect_arguments.text("window"), "7x7");
}

}  // namespace
}  // namespace app
