// "path = value" in the palette.
#include "app/control/typed_change.h"

#include <gtest/gtest.h>

#include "app/control/fields.h"
#include "gpu/effect.h"

namespace app {
namespace {

const ChangeContext nothing{"no driver is loaded", "it is not built", 1, true};

std::optional<PaletteEntry> typed(std::string_view query) { return typed_change(query, {}, nothing); }

TEST(TypedChange, ASettingOfAnyKindIsChanged) {
  for (const auto& [path, value] : {std::pair{"target_ms", "8.5"},
                                    {"loop", "on"},
                                    {"effect", "haar"},
                                    {"dock", "race"},
                                    {"algorithm", "host_serial"},
                                    {"host_algorithm", "host_serial"},
                                    {"card", "2r1w"},
                                    {"compare", "off"},
                                    {"source", ""},
                                    {"rectangle", "1,2,3x4"}}) {
    const auto entry = typed(std::string(path) + " = " + value);
    ASSERT_TRUE(entry) << path;
    EXPECT_EQ(entry->why_not, "") << path;
    EXPECT_EQ(std::get<Change>(entry->does), (Change{path, value}));
    EXPECT_EQ(entry->help, find_field(path)->help);
  }
  EXPECT_EQ(typed("  loop=on ")->title, "loop = on");
  EXPECT_EQ(typed("loop = on")->value, "off") << "the current one";
}

TEST(TypedChange, SoAreParametersInUseOrNot) {
  for (const auto& [path, value] : {std::pair{"box_blur.window", "31x31"},
                                    {"window", "31x31"},
                                    {"effect.window", "31x31"},
                                    {"haar.type", "type-2-y"},
                                    {"2r1w.W", "32"},
                                    {"algorithm.threads", "1"}}) {
    const auto entry = typed(std::string(path) + " = " + value);
    ASSERT_TRUE(entry) << path;
    EXPECT_EQ(entry->why_not, "") << path;
    Settings settings;
    EXPECT_NO_THROW(apply(settings, std::get<Change>(entry->does), nothing)) << path;
    EXPECT_NE(settings, Settings()) << path;
  }
}

TEST(TypedChange, AValueThatWouldBeRefusedIsDisabledWithTheReason) {
  EXPECT_NE(typed("loop = maybe")->why_not, "");
  EXPECT_NE(typed("effect = haaar")->why_not.find("did you mean 'haar'"), std::string::npos);
  EXPECT_NE(typed("haar.type = type-9")->why_not, "");
  EXPECT_NE(typed("device = cuda")->why_not.find("no driver is loaded"), std::string::npos);
  EXPECT_NE(typed("window_width = 900")->why_not.find("when the program starts"), std::string::npos);
}

TEST(TypedChange, WhatNamesNothingIsNoChange) {
  for (const char* query : {"no such setting = 3", "haar.nothing = 3", "nobody.type = 3", "= 3", "loop", ""})
    EXPECT_FALSE(typed(query)) << query;
}

}  // namespace
}  // namespace app
