// The frame graph under the mouse: ranges, pins, zoom.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <algorithm>

#include "app/tests/ui/panels_test.h"

namespace app::ui {
namespace {

// The frame graph: a click pins a frame, dragging selects a range, Escape or a click outside of it ends that.
class FrameGraphPanelTest : public PanelsTest {
 protected:
  // A place in the plot, in fractions of it.
  ImVec2 at(float x) const {
    const auto graph = layout(settings_, 1280, 1000).graph;
    return {graph.x + 60 + (graph.width - 150) * x, graph.y + graph.height - 60};
  }
  void move(float x, bool down) {
    auto& io = ImGui::GetIO();
    io.MousePos = at(x);
    io.MouseDown[0] = down;
    draw();
  }
  void drag(float from, float to) {
    move(from, false);
    move(from, true);
    move((from + to) / 2, true);
    move(to, true);
    move(to, false);
    draw();
  }
};

TEST_F(FrameGraphPanelTest, dragging_selects_frames_and_escape_ends_it) {
  drag(0.9f, 0.4f);
  ASSERT_TRUE(settings_.graph_range);
  EXPECT_LT(settings_.graph_range->first, settings_.graph_range->last);
  EXPECT_GE(settings_.graph_range->first, 1000u);
  EXPECT_LE(settings_.graph_range->last, 1239u);
  EXPECT_EQ(settings_.graph_pinned, 0);
  EXPECT_TRUE(press(KeyCode::escape).empty()) << "nothing quits";
  EXPECT_FALSE(settings_.graph_range);
  EXPECT_EQ(press(KeyCode::escape), std::vector{Action::quit});
}

TEST_F(FrameGraphPanelTest, a_click_outside_of_the_selection_ends_it) {
  drag(0.9f, 0.6f);
  ASSERT_TRUE(settings_.graph_range);
  click(at(0.75f).x, at(0).y);
  EXPECT_TRUE(settings_.graph_range) << "inside";
  EXPECT_NE(settings_.graph_pinned, 0);
  click(at(0.2f).x, at(0).y);
  EXPECT_FALSE(settings_.graph_range);
}

TEST_F(FrameGraphPanelTest, a_click_pins_a_frame_and_another_one_unpins_it) {
  click(at(0.8f).x, at(0).y);
  ASSERT_GE(settings_.graph_pinned, 1000);
  ASSERT_LE(settings_.graph_pinned, 1239);
  draw(2);
  const auto* card = ImGui::FindWindowByName("pinned frame");
  ASSERT_NE(card, nullptr);
  EXPECT_TRUE(card->WasActive);
  EXPECT_LE(card->Pos.y + card->Size.y, layout(settings_, 1280, 1000).graph.y) << "it hides no bar";
  click(at(0.8f).x, at(0).y);
  EXPECT_EQ(settings_.graph_pinned, 0);
}

TEST_F(FrameGraphPanelTest, a_frame_under_the_mouse_is_described_beside_the_graph) {
  move(0.8f, false);
  draw(2);
  const auto* card = ImGui::FindWindowByName("hovered frame");
  ASSERT_NE(card, nullptr);
  EXPECT_TRUE(card->WasActive);
  EXPECT_LE(card->Pos.y + card->Size.y, layout(settings_, 1280, 1000).graph.y);
}

TEST_F(FrameGraphPanelTest, the_wheel_zooms_and_the_right_button_pans) {
  auto& io = ImGui::GetIO();
  move(0.5f, false);
  draw();
  io.MouseWheel = 2;
  draw();
  EXPECT_GT(settings_.graph_frames, 0);
  const auto few = settings_.graph_frames;
  io.MouseWheel = -5;
  draw();
  EXPECT_GT(settings_.graph_frames, few);
  settings_.graph_frames = 40;
  draw();
  io.MouseDown[1] = true;
  draw();
  io.MousePos.x += 100;
  draw();
  io.MouseDown[1] = false;
  draw();
  EXPECT_GT(settings_.graph_end, 1000);
  EXPECT_LT(settings_.graph_end, 1239);
}

}  // namespace
}  // namespace app::ui
