// The rectangle under the mouse: drawn, moved, resized.
#include "app/ui/rectangle.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/tests/ui/text_check.h"
#include "app/tests/ui/windowless_ui.h"

namespace app::ui {
namespace {

class RectangleTest : public testing::Test {
 protected:
  // Four screen pixels per pixel; the picture's corner is at (100, 50).
  View view_{4, {0.5, 0.5}, {60, 40}, {100, 50, 240, 160}};
  RectangleTool tool_;
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

TEST_F(RectangleTest, ADragCoversThePixelsAtBothEnds) {
  drag(at(10.5, 5.5), at(20.5, 12.5));
  EXPECT_EQ(box_, (PixelBox{10, 5, 11, 8}));
  box_.reset();
  drag(at(20.5, 12.5), at(10.5, 5.5));  // backwards
  EXPECT_EQ(box_, (PixelBox{10, 5, 11, 8}));
  box_.reset();
  drag(at(50, 30), at(90, 90));  // it ends at the picture's edge
  EXPECT_EQ(box_, (PixelBox{50, 30, 10, 10}));
}

TEST_F(RectangleTest, AClickChangesNothing) {
  drag(at(10, 10), at(10, 10));
  EXPECT_FALSE(box_);
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(50, 30), at(50, 30));
  EXPECT_EQ(box_, (PixelBox{10, 5, 20, 10}));
}

TEST_F(RectangleTest, ItIsMovedAndStaysInThePicture) {
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(20, 10), at(25, 12));
  EXPECT_EQ(box_, (PixelBox{15, 7, 20, 10}));
  drag(at(20, 10), at(59, 39));
  EXPECT_EQ(box_, (PixelBox{40, 30, 20, 10}));
}

TEST_F(RectangleTest, HandlesMoveTheirEdges) {
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(30, 15), at(34, 18));  // the lower right corner
  EXPECT_EQ(box_, (PixelBox{10, 5, 24, 13}));
  drag(at(10, 11), at(6, 20));  // the left edge
  EXPECT_EQ(box_, (PixelBox{6, 5, 28, 13}));
  drag(at(20, 5), at(20, 25));  // the upper edge, beyond the lower one
  EXPECT_EQ(box_, (PixelBox{6, 18, 28, 7}));
}

TEST_F(RectangleTest, OutsideOfItAnotherOneIsDrawn) {
  box_ = PixelBox{10, 5, 20, 10};
  drag(at(40.5, 20.5), at(45.5, 25.5));
  EXPECT_EQ(box_, (PixelBox{40, 20, 6, 6}));
  drag({20, 20}, at(5, 5));  // begins outside the picture
  EXPECT_EQ(box_, (PixelBox{40, 20, 6, 6}));
}

TEST_F(RectangleTest, GripsOfASmallOneLeaveRoomForMoving) {
  EXPECT_TRUE(grip_at(view_, {10, 10, 1, 1}, at(10.5, 10.5), 6).whole());
  EXPECT_EQ(grip_at(view_, {10, 10, 1, 1}, at(9.5, 10.5), 6), (Grip{true, false, false, false}));
  EXPECT_FALSE(grip_at(view_, {10, 10, 1, 1}, at(15, 10.5), 6).any());
}

// All that is known of the pixels under the mouse stands in one line, which keeps the sum where there is little room.
TEST(HoverLineTest, SaysTheBoxItsEntriesAndThePixel) {
  const WindowlessUi context({1280, 800});
  RectangleSum sum{.box = {255, 175, 15, 15}, .corners = corners_of({255, 175, 15, 15})};
  const std::uint32_t entries[] = {1'949'728, 2'107'876, 2'315'155, 2'520'960};
  for (std::size_t i = 0; i < 4; ++i) sum.corners[i].entry = entries[i];
  sum.known = true;
  sum.plain = 47'657;
  sum.sum = 47'657;
  sum.mean = 211.8;
  Pixel pixel{262, 182, gpu::Rgba{168, 167, 169, 255}, 230, 2'300'000u, {65535, 300, 7}};
  const auto draw = [&](float width) {
    ImGui::NewFrame();
    const View view{1, {0.5, 0.5}, {640, 480}, {0, 0, width, 800}};
    const auto line = draw_hover(view, sum, pixel, true);
    ImGui::Render();
    return line;
  };
  const auto shown = [](const char* text) { return TextCheck::place_of(text, "##Background").has_value(); };
  const char* const formula = "\u2212 2107876 \u2212 2315155 + 1949728 = 47657";
  const auto wide = draw(1280);
  for (const char* words : {"box of 15 x 15 at (262, 182)", formula, "mean 211.8", "picture 168 167 169", "frame gray 230",
                            "16-bit 65535 300 7"})
    EXPECT_TRUE(shown(words)) << words;
  const auto narrow = draw(600);
  EXPECT_TRUE(shown(formula));
  EXPECT_FALSE(shown("16-bit"));
  for (const auto& line : {wide, narrow}) EXPECT_GT(line.y, 700) << "at the lower edge";
  EXPECT_LE(narrow.x + narrow.width, 600);
  sum.box = {10, 10, 1, 1};
  pixel = {10, 10, {}, 5, {}, {}};
  draw(1280);
  EXPECT_TRUE(shown("pixel at (10, 10)"));
  EXPECT_FALSE(shown("mean")) << "it is the pixel's";
}

}  // namespace
}  // namespace app::ui
