// What an interface shows of parameters.
#include "gpu/effect.h"

#include <gtest/gtest.h>

#include "gpu/effect.h"

namespace gpu {
namespace {

TEST(ParameterDisplayTest, OfEveryEffectIsConsistentWithItsParameters) {
  for (const auto* effect : all_effects())
    for (const auto& display : effect->display) {
      const auto name = std::string(effect->name) + "." + std::string(display.parameter);
      Arguments arguments(effect->parameters);
      ASSERT_TRUE(arguments.has(display.parameter)) << name;
      for (const auto& parameter : effect->parameters) {
        if (parameter.name != display.parameter) continue;
        const auto choices = split_choices(parameter.choices).size();
        if (!display.labels.empty()) {
          EXPECT_EQ(split_choices(display.labels).size(), choices) << name;
        }
        if (!display.pictograms.empty()) {
          EXPECT_EQ(split_choices(display.pictograms).size(), choices) << name;
        }
      }
      if (display.applies.empty()) continue;
      const auto equals = display.applies.find('=');
      ASSERT_NE(equals, display.applies.npos) << name;
      EXPECT_NO_THROW(arguments.set(display.applies.substr(0, equals), display.applies.substr(equals + 1))) << name;
      EXPECT_EQ(why_unused(effect->display, display.parameter, arguments), "") << name;
    }
}

TEST(ParameterDisplayTest, SaysWhatAnAutomaticWindowIs) {
  const auto& effect = *find_effect("adaptive_threshold");
  const auto automatic = display_of(effect.display, "window").automatic;
  ASSERT_TRUE(automatic);
  Arguments arguments(effect.parameters);
  EXPECT_EQ(automatic(arguments, {640, 480}), 11);
  arguments.set("method", "bradley");
  EXPECT_EQ(automatic(arguments, {640, 480}), 80);
  EXPECT_EQ(automatic(arguments, {4, 4}), 1);
}

TEST(ParameterDisplayTest, SaysWhyAParameterIsUnused) {
  static constexpr Parameter parameters[] = {choice("method", "mean_c,bradley", ""), integer("t", "15", 0, 100, ""),
                                             integer("n", "1", 0, 9, "")};
  static constexpr ParameterDisplay display[] = {{.parameter = "method", .labels = "Mean,Bradley and Roth"},
                                                 {.parameter = "t", .applies = "method=bradley"}};
  Arguments arguments(parameters);
  EXPECT_EQ(why_unused(display, "t", arguments), "Only with method: Bradley and Roth");
  EXPECT_EQ(why_unused(display, "n", arguments), "");
  arguments.set("method", "bradley");
  EXPECT_EQ(why_unused(display, "t", arguments), "");
  EXPECT_EQ(label_of_choice(parameters[0], display[0], "mean_c"), "Mean");
  EXPECT_EQ(label_of_choice(parameters[2], display_of(display, "n"), "7"), "7");
}

}  // namespace
}  // namespace gpu
