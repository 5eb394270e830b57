// "path = value" in the palette.
#include "app/control/typed_change.h"

#include <gtest/gtest.h>

#include "app/control/fields.h"
#include "app/tests/control/change_contexts.h"
#include "gpu/effect.h"

namespace app {
namespace {

std::optional<PaletteEntry> typed(std::string_view query) { return typed_change(query, {}, nothing); }

TEST(TypedChangeTest, ASettingOfAnyKindIsChanged) {
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

TEST(TypedChangeTest, SoAreParametersInUseOrNot) {
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

TEST(TypedChangeTest, AValueThatWouldBeRefusedIsDisabledWithTheReason) {
  EXPECT_NE(typed("loop = maybe")->why_not, "");
  EXPECT_NE(typed("effect = haaar")->why_not.find("did you mean 'haar'"), std::string::npos);
  EXPECT_NE(typed("haar.type = type-9")->why_not, "");
  EXPECT_NE(typed("device = cuda")->why_not.find("no driver is loaded"), std::string::npos);
  EXPECT_NE(typed("window_width = 900")->why_not.find("when the program starts"), std::string::npos);
}

TEST(TypedChangeTest, ATimeIsGoneTo) {
  for (const auto& [query, seconds] : {std::pair{"seek = 12.5", 12.5},
                                       {"seek 12.5", 12.5},
                                       {" seek=12.5 ", 12.5},
                                       {"seek 0", 0},
                                       {"seek 1:30", 90},
                                       {"seek = 1:02:03.5", 3723.5}}) {
    const auto entry = typed(query);
    ASSERT_TRUE(entry) << query;
    EXPECT_EQ(entry->why_not, "") << query;
    EXPECT_EQ(std::get<Command>(entry->does).number, seconds) << query;
    EXPECT_EQ(entry->help, description(Action::seek));
  }
  EXPECT_EQ(typed("seek 12.5")->title, "seek 12.5");
  EXPECT_EQ(std::get<Command>(typed("seek -5")->does), parse_command("seek -5"));
}

TEST(TypedChangeTest, WhatIsNoTimeIsDisabledWithTheReason) {
  for (const char* query : {"seek =", "seek = ", "seek soon", "seek 1:", "seek :5", "seek 1:2:3:4", "seek 12.5s", "seek nan",
                            "seek inf", "seek 1e7", "seek 999999:999999"}) {
    const auto entry = typed(query);
    ASSERT_TRUE(entry) << query;
    EXPECT_NE(entry->why_not.find("1:30"), std::string::npos) << query;
  }
}

TEST(TypedChangeTest, ACommandIsTypedAsScriptsWriteIt) {
  for (const char* line : {"set effect haar", "add haar.width 8", "speed *2", "cycle theme", "toggle loop", "open clip.mp4",
                           "screenshot to a.png", "export csv to my times.csv"})
    EXPECT_EQ(std::get<Command>(typed(line)->does), parse_command(line)) << line;
  EXPECT_EQ(typed("add haar.width much")->why_not, "add takes a number, not 'much'");
  EXPECT_NE(typed("export csv to a.txt")->why_not.find("must end in .csv"), std::string::npos);
  EXPECT_EQ(typed("set")->why_not, "set needs SETTING VALUE");
  EXPECT_NE(typed("cycle thme")->why_not.find("did you mean 'theme'"), std::string::npos) << typed("cycle thme")->why_not;
}

TEST(TypedChangeTest, WhatNamesNothingIsNoChange) {
  for (const char* query :
       {"no such setting = 3", "haar.nothing = 3", "nobody.type = 3", "= 3", "loop", "seek", "seeking 3", ""})
    EXPECT_FALSE(typed(query)) << query;
}

}  // namespace
}  // namespace app
