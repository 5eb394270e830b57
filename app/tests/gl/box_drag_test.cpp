// A box over the picture under the mouse: drawn, moved, resized.
#include "app/gl/box_drag.h"

#include <gtest/gtest.h>

#include <utility>

namespace app {
namespace {

class BoxDragTest : public testing::Test {
 protected:
  // Four screen pixels per pixel; the picture's corner is at (100, 50).
  View view_{4, {0.5, 0.5}, {60, 40}, {100, 50, 240, 160}};
  BoxDrag tool_;
  std::optional<PixelBox> box_;

  static Point at(double x, double y) { return {100 + 4 * x, 50 + 4 * y}; }
  // From one point of the picture to another, in steps.
  void drag(Point from, Point to) {
    box_ = tool_.update(view_, box_, {from, true, true}, 6);
    for (int i = 1; i <= 4; ++i)
      box_ = tool_.update(view_, box_, {{from.x + (to.x - from.x) * i / 4, from.y + (to.y - from.y) * i / 4}, false, true},
                          6);
    box_ = tool_.update(view_, box_, {to, false, false}, 6);
    EXPECT_FALSE(tool_.has_mouse());
  }
};

TEST_F(BoxDragTest, ADragCoversThePixelsAtBothEnds) {
  drag(at(10.5, 5.5), at(20.5, 12.5));
  EXPECT_EQ(box_, (PixelBox{10, 5, 11, 8}));
  box_.reset();
  drag(at(20.5, 12.5), at(10.5, 5.5));  // backwards
  EXPECT_EQ(box_, (PixelBox{10, 5, 11, 8}));
  box_.reset();
  drag(at(50, 30), at(90, 90));  // it ends at the picture's edge
  EXPECT_EQ(box_, (PixelBox{50, 30, 10, 10}));
}

TEST_F(BoxDragTest, AClickChangesNothing) {
  drag(at(10, 10), at(10, 10));
  EXPECT_FALSE(box_);
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(50, 30), at(50, 30));
  EXPECT_EQ(box_, (PixelBox{10, 5, 20, 10}));
}

TEST_F(BoxDragTest, ItIsMovedAndStaysInThePicture) {
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(20, 10), at(25, 12));
  EXPECT_EQ(box_, (PixelBox{15, 7, 20, 10}));
  drag(at(20, 10), at(59, 39));
  EXPECT_EQ(box_, (PixelBox{40, 30, 20, 10}));
}

TEST_F(BoxDragTest, HandlesMoveTheirEdges) {
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(30, 15), at(34, 18));  // the lower right corner
  EXPECT_EQ(box_, (PixelBox{10, 5, 24, 13}));
  drag(at(10, 11), at(6, 20));  // the left edge
  EXPECT_EQ(box_, (PixelBox{6, 5, 28, 13}));
  drag(at(20, 5), at(20, 25));  // the upper edge, beyond the lower one
  EXPECT_EQ(box_, (PixelBox{6, 18, 28, 7}));
}

TEST_F(BoxDragTest, OutsideOfItAnotherOneIsDrawn) {
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(40.5, 20.5), at(45.5, 25.5));
  EXPECT_EQ(box_, (PixelBox{40, 20, 6, 6}));
  drag({20, 20}, at(5, 5));  // begins outside the picture
  EXPECT_EQ(box_, (PixelBox{40, 20, 6, 6}));
}

TEST_F(BoxDragTest, GripsOfASmallOneLeaveRoomForMoving) {
  EXPECT_TRUE(grip_at(view_, {10, 10, 1, 1}, at(10.5, 10.5), 6).whole());
  EXPECT_EQ(grip_at(view_, {10, 10, 1, 1}, at(9.5, 10.5), 6), (Grip{true, false, false, false}));
  EXPECT_FALSE(grip_at(view_, {10, 10, 1, 1}, at(15, 10.5), 6).any());
}

// An effect that has a place.

class PlacementDragTest : public testing::Test {
 protected:
  static constexpr gpu::Size frame{640, 480};
  // 3 x 1 rectangles of 20 x 40 pixels at (100, 50), drawn twice as large from the corner of the window.
  static constexpr gpu::Placement feature{100, 50, 20, 40, 3, 1};
  static constexpr Grip all_sides{true, true, true, true};
  const View view{2, {0.5, 0.5}, frame, {0, 0, 1280, 960}};

  static void expect_placement(const gpu::Placement& place, int x, int y, int width, int height) {
    EXPECT_EQ(place.x, x);
    EXPECT_EQ(place.y, y);
    EXPECT_EQ(place.width, width);
    EXPECT_EQ(place.height, height);
  }
};

TEST_F(PlacementDragTest, SidesCornersAndTheInsideAreFound) {
  const auto held = [this](Point at) { return grip_at(view, box_of(feature), at, 6); };
  EXPECT_EQ(held({200, 100}), (Grip{true, true, false, false}));
  EXPECT_EQ(held({323, 140}), (Grip{false, false, true, false}));
  EXPECT_EQ(held({260, 178}), (Grip{false, false, false, true}));
  EXPECT_EQ(held({260, 140}), all_sides);
  EXPECT_FALSE(held({330, 140}).any());
}

TEST_F(PlacementDragTest, DraggingTheInsideMovesItWithinTheFrame) {
  expect_placement(dragged(feature, all_sides, 7, -9, frame), 107, 41, 20, 40);
  expect_placement(dragged(feature, all_sides, 9999, 9999, frame), 580, 440, 20, 40);
  expect_placement(dragged(feature, all_sides, -9999, -9999, frame), 0, 0, 20, 40);
}

TEST_F(PlacementDragTest, DraggingASideKeepsTheOppositeOne) {
  expect_placement(dragged(feature, {.right = true}, 30, 5, frame), 100, 50, 30, 40);
  expect_placement(dragged(feature, {.left = true}, -30, 5, frame), 70, 50, 30, 40);
  expect_placement(dragged(feature, {.bottom = true}, 5, 12, frame), 100, 50, 20, 52);
  expect_placement(dragged(feature, {.top = true}, 5, 12, frame), 100, 62, 20, 28);
  expect_placement(dragged(feature, {.right = true, .bottom = true}, -9999, -9999, frame), 100, 50, 1, 1);
  expect_placement(dragged(feature, {.right = true, .bottom = true}, 9999, 9999, frame), 100, 50, 180, 430);
  expect_placement(dragged(feature, {.left = true, .top = true}, -9999, -9999, frame), 1, 0, 53, 90);  // 160 / 3 pixels
}

TEST_F(PlacementDragTest, HandlesAreWhereTheEffectIsShown) {
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

TEST_F(PlacementDragTest, AClickCentresIt) {
  expect_placement(centred_at(feature, {300, 200}, frame), 270, 180, 20, 40);
  expect_placement(centred_at(feature, {0, 479}, frame), 0, 440, 20, 40);
}

TEST_F(PlacementDragTest, ADragStartsFromWhereTheEffectWas) {
  PlacementDrag drag;
  EXPECT_FALSE(drag.active());
  drag.begin(feature, all_sides, {260, 140});
  expect_placement(drag.at(view, {280, 150}, frame), 110, 55, 20, 40);
  expect_placement(drag.at(view, {262, 140}, frame), 101, 50, 20, 40);
  drag.end();
  EXPECT_FALSE(drag.active());
}

}  // namespace
}  // namespace app
