#include "app/ui/effect_handles.h"

#include <gtest/gtest.h>

namespace app::ui {
namespace {

constexpr gpu::Size frame{640, 480};
// 3 x 1 rectangles of 20 x 40 pixels at (100, 50), drawn twice as large from the corner of the window.
constexpr gpu::Placement feature{100, 50, 20, 40, 3, 1};
const View view{2, {0.5, 0.5}, frame, {0, 0, 1280, 960}};

void expect_placement(const gpu::Placement& place, int x, int y, int width, int height) {
  EXPECT_EQ(place.x, x);
  EXPECT_EQ(place.y, y);
  EXPECT_EQ(place.width, width);
  EXPECT_EQ(place.height, height);
}

constexpr Grip all_sides{true, true, true, true};

TEST(EffectSectionHandlesTest, SidesCornersAndTheInsideAreFound) {
  const auto held = [](Point at) { return grip_at(view, box_of(feature), at, 6); };
  EXPECT_EQ(held({200, 100}), (Grip{true, true, false, false}));
  EXPECT_EQ(held({323, 140}), (Grip{false, false, true, false}));
  EXPECT_EQ(held({260, 178}), (Grip{false, false, false, true}));
  EXPECT_EQ(held({260, 140}), all_sides);
  EXPECT_FALSE(held({330, 140}).any());
}

TEST(EffectSectionHandlesTest, DraggingTheInsideMovesItWithinTheFrame) {
  expect_placement(dragged(feature, all_sides, 7, -9, frame), 107, 41, 20, 40);
  expect_placement(dragged(feature, all_sides, 9999, 9999, frame), 580, 440, 20, 40);
  expect_placement(dragged(feature, all_sides, -9999, -9999, frame), 0, 0, 20, 40);
}

TEST(EffectSectionHandlesTest, DraggingASideKeepsTheOppositeOne) {
  expect_placement(dragged(feature, {.right = true}, 30, 5, frame), 100, 50, 30, 40);
  expect_placement(dragged(feature, {.left = true}, -30, 5, frame), 70, 50, 30, 40);
  expect_placement(dragged(feature, {.bottom = true}, 5, 12, frame), 100, 50, 20, 52);
  expect_placement(dragged(feature, {.top = true}, 5, 12, frame), 100, 62, 20, 28);
  expect_placement(dragged(feature, {.right = true, .bottom = true}, -9999, -9999, frame), 100, 50, 1, 1);
  expect_placement(dragged(feature, {.right = true, .bottom = true}, 9999, 9999, frame), 100, 50, 180, 430);
  expect_placement(dragged(feature, {.left = true, .top = true}, -9999, -9999, frame), 1, 0, 53, 90);  // 160 / 3 pixels
}

TEST(EffectSectionHandlesTest, HandlesAreWhereTheEffectIsShown) {
  const auto &haar = *gpu::find_effect("haar"), &none = *gpu::find_effect("none");
  Selection in_use;
  const auto span = [&](double wipe) {
    const auto area = area_of(haar, in_use, wipe, view);
    return std::pair(area.x, area.x + area.width);
  };
  EXPECT_EQ(span(0.25), std::pair(0.0, 1280.0)) << "nothing is compared";
  in_use.sides.resize(2);
  in_use.sides[0].effect = &none;
  in_use.sides[1].effect = &haar;
  EXPECT_EQ(span(0.25), std::pair(320.0, 1280.0));
  std::swap(in_use.sides[0], in_use.sides[1]);
  EXPECT_EQ(span(0.25), std::pair(0.0, 320.0));
  in_use.composition.mode = Composition::Mode::difference;
  EXPECT_EQ(span(0.25), std::pair(0.0, 1280.0));
  in_use.composition.mode = Composition::Mode::wipe;
  in_use.sides[0].effect = &none;
  EXPECT_EQ(span(0.25).second - span(0.25).first, 0);
  in_use.sides[0].effect = in_use.sides[1].effect = &haar;
  EXPECT_EQ(span(0.25), std::pair(0.0, 1280.0)) << "two algorithms";
}

TEST(EffectSectionHandlesTest, AClickCentresIt) {
  expect_placement(centred_at(feature, {300, 200}, frame), 270, 180, 20, 40);
  expect_placement(centred_at(feature, {0, 479}, frame), 0, 440, 20, 40);
}

TEST(EffectSectionHandlesTest, ADragStartsFromWhereTheEffectWas) {
  HandleDrag drag;
  EXPECT_FALSE(drag.active());
  drag.begin(feature, all_sides, {260, 140});
  expect_placement(drag.at(view, {280, 150}, frame), 110, 55, 20, 40);
  expect_placement(drag.at(view, {262, 140}, frame), 101, 50, 20, 40);
  drag.end();
  EXPECT_FALSE(drag.active());
}

}  // namespace
}  // namespace app::ui
