#include "app/ui/layout.h"

#include <gtest/gtest.h>

#include <array>

namespace app::ui {
namespace {

constexpr Rect area{270, 40, 530, 340};
constexpr float gap = 9;

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
Rect placed(float width, float height, const Rect& box, std::span<const Rect> taken) {
  const auto at = place_beside(area, width, height, box, taken, gap);
  return {at.x, at.y, width, height};
}
bool inside(const Rect& a) {
  return a.x >= area.x && a.y >= area.y && a.x + a.width <= area.x + area.width && a.y + a.height <= area.y + area.height;
}

TEST(LayoutBesideTest, ANoteIsAtTheMiddleOfAnEdgeWhereItFitsThere) {
  const auto at = placed(100, 60, {500, 150, 80, 40}, {});
  EXPECT_EQ(at.x, 490);
  EXPECT_EQ(at.y, 199) << "below: that is nearest";
}

// The only free place is a corner, beside none of the box's middles.
TEST(LayoutBesideTest, ANoteFindsTheFreeCornerBesideALargeBox) {
  const Rect box{270, 40, 290, 240};
  const std::array taken{Rect{560, 40, 240, 60}, Rect{270, 290, 250, 90}};
  const auto at = placed(220, 120, box, taken);
  EXPECT_TRUE(inside(at));
  EXPECT_FALSE(overlap(at, box));
  for (const auto& other : taken) EXPECT_FALSE(overlap(at, other));
}

TEST(LayoutBesideTest, WhereTheBoxFillsTheAreaTheCornersEntriesStayFree) {
  const std::array taken{Rect{270, 40, 120, 20}, Rect{680, 40, 120, 20}, Rect{270, 360, 120, 20}, Rect{680, 360, 120, 20}};
  const auto at = placed(220, 120, area, taken);
  EXPECT_TRUE(inside(at));
  for (const auto& other : taken) EXPECT_FALSE(overlap(at, other));
}

// Beside neither of them alone: the first ends above where the second begins.
TEST(LayoutBesideTest, AFreePlaceIsFoundBesideTwoOfWhatIsTaken) {
  const Rect wanted{600, 50, 70, 20};
  const std::array taken{Rect{270, 40, 530, 60}, Rect{270, 40, 450, 340}};
  const auto at = free_place(area, wanted, taken);
  EXPECT_FALSE(overlaps(at, taken));
  EXPECT_TRUE(inside(at)) << at.x << ' ' << at.y;
}

TEST(LayoutBesideTest, ANoteLargerThanTheAreaBeginsAtItsCorner) {
  const auto at = placed(900, 700, {400, 100, 20, 20}, {});
  EXPECT_EQ(at.x, area.x);
  EXPECT_EQ(at.y, area.y);
}

}  // namespace
}  // namespace app::ui
