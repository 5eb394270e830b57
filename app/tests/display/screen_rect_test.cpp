// The monitor that a window fills.
#include "app/display/screen_rect.h"

#include <gtest/gtest.h>

#include <array>

namespace app {
namespace {

constexpr std::array<ScreenRect, 3> screens{{{0, 0, 1920, 1080}, {1920, 0, 2560, 1440}, {-1280, 200, 1280, 1024}}};

TEST(ScreenRectTest, TheMonitorWithMostOfTheWindowIsChosen) {
  EXPECT_EQ(largest_overlap({100, 100, 1280, 800}, screens), 0u);
  EXPECT_EQ(largest_overlap({1900, 100, 1280, 800}, screens), 1u);
  EXPECT_EQ(largest_overlap({1000, 100, 1280, 800}, screens), 0u) << "920 of its columns, against 360";
  EXPECT_EQ(largest_overlap({-700, 300, 1280, 800}, screens), 2u) << "left of the primary monitor";
}

TEST(ScreenRectTest, AWindowOutsideOfAllHasTheFirst) {
  EXPECT_EQ(largest_overlap({9000, 9000, 1280, 800}, screens), 0u);
  EXPECT_EQ(largest_overlap({}, screens), 0u);
}

}  // namespace
}  // namespace app
