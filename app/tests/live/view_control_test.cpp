// Who takes a press on the picture, and what the cursor says of it: the rectangle, the wipe, or the sides of an effect.
#include "app/live/view_control.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <array>

#include "app/control/fields.h"
#include "app/control/imgui_keys.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/ui/windowless_ui.h"

namespace app {
namespace {

// A picture of 400 x 400 pixels, each a screen pixel: the wipe in its middle, an effect's box from (40, 100) to (120, 160).
class ViewControlTest : public testing::Test {
 protected:
  ViewControlTest() : session_(settings(), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {}), control_(session_) {}

  static Settings settings() {
    auto settings = host_settings("synthetic:400x400");
    settings.effect = "haar";
    settings.compare = {true, "result", "original"};
    settings.rectangle_tool = true;
    return settings;
  }
  void SetUp() override {
    session_.change(std::array{Change{"effect.type", "type-2-x"}, Change{"effect.width", "40"},
                               Change{"effect.height", "60"}, Change{"pointer", "40,100"}});
    ASSERT_TRUE(step_until(session_, [&] { return session_.pictures() > 0; }));
  }

  // A frame with the mouse there. Returns the cursor.
  ImGuiMouseCursor frame(float x, float y, bool down = false) {
    auto& io = ImGui::GetIO();
    io.MousePos = {x, y};
    io.MouseDown[ImGuiMouseButton_Left] = down;
    ImGui::NewFrame();
    control_.navigate({400, 400}, {0, 0, 400, 400});
    const auto cursor = ImGui::GetMouseCursor();
    ImGui::Render();
    return cursor;
  }
  void drag(float x, float y, float to_x, float to_y) {
    frame(x, y);
    frame(x, y, true);
    frame(to_x, to_y, true);
    frame(to_x, to_y);
  }

  ui::WindowlessUi imgui_{{400, 400}};
  Session session_;
  ViewControl control_;
};

TEST_F(ViewControlTest, TheWipeIsDraggedWhileTheRectangleToolIsOn) {
  EXPECT_EQ(frame(200, 300), ImGuiMouseCursor_ResizeEW);
  drag(200, 300, 260, 300);
  EXPECT_FALSE(session_.settings().rectangle);
  EXPECT_NEAR(session_.settings().wipe, 0.65, 0.01);
  EXPECT_EQ(frame(200, 300), ImGuiMouseCursor_Arrow) << "a press there draws";
  drag(200, 300, 280, 340);  // across the line
  ASSERT_TRUE(session_.settings().rectangle);
  EXPECT_EQ(session_.settings().rectangle->width, 81);
  EXPECT_NEAR(session_.settings().wipe, 0.65, 0.01);
}

TEST_F(ViewControlTest, APictureThatFitsIsInTheMiddleWhateverWasShownBefore) {
  session_.change(std::array{Change{"zoom", "4"}, Change{"centre_x", "1"}, Change{"centre_y", "0.75"}});
  frame(20, 20);
  EXPECT_EQ(control_.view().centre, (Point{1, 0.75}));
  session_.change({"zoom", "0"});
  frame(20, 20);
  const auto visible = control_.view().visible();
  EXPECT_EQ((std::array{visible.x, visible.y, visible.width, visible.height}), (std::array{0.0, 0.0, 400.0, 400.0}));
  session_.change({"zoom", "4"});
  frame(20, 20);
  EXPECT_EQ(control_.view().centre, (Point{1, 0.75})) << "as it was set";
}

TEST_F(ViewControlTest, TheLineStaysUnderTheMouseWhereItWasTaken) {
  session_.change({"rectangle_tool", "off"});
  drag(203, 300, 263, 300);
  EXPECT_EQ(session_.settings().wipe, 0.65);
  drag(257, 300, 197, 300);
  EXPECT_EQ(session_.settings().wipe, 0.5);
}

TEST_F(ViewControlTest, TheLineIsTakenFromFurtherAwayOnADisplayOfScaleTwo) {
  session_.change({"rectangle_tool", "off"});
  EXPECT_EQ(frame(210, 300), ImGuiMouseCursor_Arrow);
  ui::apply_theme({2, Theme::dark});
  imgui_.build_fonts();
  EXPECT_EQ(frame(210, 300), ImGuiMouseCursor_ResizeEW);
  EXPECT_EQ(frame(214, 300), ImGuiMouseCursor_Arrow);
}

// The original is at the left of the line: there is no feature whose handles could be held.
TEST_F(ViewControlTest, TheHandlesOfAnEffectAreOnItsOwnSideOfTheWipe) {
  session_.change({"compare", "original,result"});
  session_.change({"rectangle_tool", "off"});
  ASSERT_TRUE(step_until(session_, [&] { return session_.engine().selection().sides[0].name == "original"; }));
  frame(0, 0);
  EXPECT_EQ(control_.area_of_effect().x, 200);
  EXPECT_EQ(control_.area_of_effect().width, 200);
  EXPECT_EQ(frame(120, 130), ImGuiMouseCursor_Arrow);
  session_.change({"wipe", "0.1"});
  EXPECT_EQ(frame(120, 130), ImGuiMouseCursor_ResizeEW);
}

TEST_F(ViewControlTest, TheRectanglesOwnEdgesComeBeforeTheWipeAndTheWipeBeforeItsInside) {
  session_.change({"rectangle", text_of(PixelBox{150, 300, 50, 60})});
  EXPECT_EQ(frame(200, 359), ImGuiMouseCursor_ResizeNWSE);
  drag(200, 359, 240, 379);
  EXPECT_EQ(session_.settings().rectangle, (PixelBox{150, 300, 90, 80}));
  EXPECT_EQ(session_.settings().wipe, 0.5);
  EXPECT_EQ(frame(200, 340), ImGuiMouseCursor_ResizeEW);
  drag(200, 340, 210, 340);
  EXPECT_EQ(session_.settings().rectangle, (PixelBox{150, 300, 90, 80}));
  EXPECT_NEAR(session_.settings().wipe, 0.525, 0.01);
}

TEST_F(ViewControlTest, AnEffectsSidesAreDraggedWhileTheRectangleToolIsOnItsInsideIsTheRectangles) {
  EXPECT_EQ(frame(120, 130), ImGuiMouseCursor_ResizeEW);
  drag(120, 130, 160, 130);
  EXPECT_FALSE(session_.settings().rectangle);
  ASSERT_TRUE(control_.placement());
  EXPECT_EQ(control_.placement()->width, 60);
  EXPECT_EQ(frame(80, 130), ImGuiMouseCursor_Arrow);
  drag(80, 130, 100, 150);
  EXPECT_EQ(session_.settings().rectangle, (PixelBox{80, 130, 21, 21}));
  EXPECT_EQ(control_.placement()->x, 40) << "the effect has not moved";
  drag(300, 300, 300, 300);
  EXPECT_EQ(control_.placement()->x, 300 - 120 / 2) << "a click places it";
}

// The feature is wider than what is right of the place that was asked for, and is shown further left.
TEST_F(ViewControlTest, AnEffectThatIsMadeNarrowerStaysWhereItIsShown) {
  session_.change({"rectangle_tool", "off"});
  session_.change({"compare", "off"});
  session_.change({"pointer", "390,100"});
  ASSERT_TRUE(step_until(session_, [&] { return session_.engine().selection().sides.empty(); }));
  frame(0, 0);
  ASSERT_EQ(control_.placement()->x, 320);
  frame(399, 130);
  frame(399, 130, true);
  frame(359, 130, true);
  EXPECT_EQ(control_.placement()->width, 20);
  EXPECT_EQ(control_.placement()->x, 320) << "from the first frame of the drag on";
}

// Over a panel, which has the mouse then.
TEST_F(ViewControlTest, AHandleThatIsReleasedElsewhereIsHeldNoMore) {
  session_.change(std::array{Change{"rectangle_tool", "off"}, Change{"compare", "off"}});
  ASSERT_TRUE(step_until(session_, [&] { return session_.engine().selection().sides.empty(); }));
  for (int round = 0; round < 2; ++round) {
    frame(0, 0);
    const auto before = *control_.placement();
    const auto right = static_cast<float>(before.x + 2 * before.width);
    frame(right, 130);
    frame(right, 130, true);
    frame(right + 20, 130, true);
    const auto dragged = *control_.placement();
    EXPECT_GT(dragged.width, before.width) << round;
    auto& io = ImGui::GetIO();
    io.MouseDown[ImGuiMouseButton_Left] = false;
    ImGui::NewFrame();
    io.WantCaptureMouse = true;
    control_.navigate({400, 400}, {0, 0, 400, 400});
    ImGui::Render();
    frame(right + 120, 300);
    frame(right + 130, 310);
    EXPECT_EQ(control_.placement()->width, dragged.width) << round;
    EXPECT_EQ(control_.placement()->x, dragged.x) << round;
  }
}

TEST_F(ViewControlTest, AClickChoosesTheWindowOfACascade) {
  session_.change(std::array{Change{"rectangle_tool", "off"}, Change{"compare", "off"}});
  drag(300, 210, 300, 210);
  EXPECT_FALSE(session_.settings().cascade_at) << "the effect has none";
  session_.change(std::array{Change{"effect", "faces"}, Change{"cascade_stage", "3"}, Change{"cascade_feature", "2"}});
  drag(300, 210, 330, 210);
  EXPECT_FALSE(session_.settings().cascade_at) << "a drag moves the picture";
  session_.change(std::array{Change{"zoom", "0"}, Change{"centre_x", "0.5"}, Change{"panels", "off"}});
  drag(300, 210, 300, 210);
  EXPECT_FALSE(session_.settings().cascade_at) << "it would not be seen";
  session_.change({"panels", "on"});
  drag(300, 210, 300, 210);
  const auto& settings = session_.settings();
  EXPECT_EQ(settings.cascade_at, (Pointer{300, 210}));
  EXPECT_TRUE(shows(settings, Dock::detector));
  EXPECT_EQ(settings.cascade_stage, 0);
  EXPECT_EQ(settings.cascade_feature, 0);
}

TEST_F(ViewControlTest, ADragWithShiftDrawsFromTheLineOfTheWipeToo) {
  session_.change({"rectangle_tool", "off"});
  imgui::report_shift(true);
  drag(200, 300, 260, 340);
  EXPECT_EQ(session_.settings().rectangle, (PixelBox{200, 300, 61, 41}));
  EXPECT_EQ(session_.settings().wipe, 0.5);
}

}  // namespace
}  // namespace app
