// What lies over the panels: who gets Escape, and what stays hidden below.
#include <imgui_internal.h>

#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

class OverlaysTest : public PanelsTest {
 protected:
  static int open_lists() { return ImGui::GetCurrentContext()->OpenPopupStack.Size; }
  // The size of the tooltip that is shown; {0, 0}: none is.
  static ImVec2 tooltip_size() {
    for (const auto* window : ImGui::GetCurrentContext()->Windows)
      if ((window->Flags & ImGuiWindowFlags_Tooltip) && window->WasActive && !window->Hidden) return window->Size;
    return {};
  }
};

TEST_F(OverlaysTest, EscapeClosesAListWithinAListBeforeThatList) {
  const auto more = TextCheck::place_of("More", "strip");
  ASSERT_TRUE(more);
  click(more->GetCenter().x, more->GetCenter().y);
  draw(2);
  ASSERT_EQ(open_lists(), 1);
  const auto border = TextCheck::place_of("Border", "##Popup");
  ASSERT_TRUE(border);
  click(border->Max.x + 100, border->GetCenter().y);
  draw(2);
  ASSERT_EQ(open_lists(), 2);
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_EQ(open_lists(), 1);
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_EQ(open_lists(), 0);
}

// The question lies over all else: the window's button asks it at any time.
TEST_F(OverlaysTest, WhatTheQuestionCoversGetsNoKeyAndNoClick) {
  state_.recording = true;
  for (const auto* path : {"palette", "browse"}) {
    apply(settings_, Change{path, "on"});
    draw(3);
    ASSERT_FALSE(panels_.may_close(state_));
    draw(3);
    const auto before = settings_;
    const auto expect_unchanged = [&](const char* by) { EXPECT_TRUE(settings_ == before) << path << ": " << by; };
    type("x");
    press(KeyCode::down);
    expect_unchanged("keys");
    const auto* question = ImGui::FindWindowByName("Quit?");
    ASSERT_TRUE(question);
    click(question->Pos.x + 5, question->Pos.y + 5);
    expect_unchanged("a click");
    EXPECT_TRUE(press(KeyCode::escape).empty());
    expect_unchanged("Escape, which closes the question");
    EXPECT_FALSE(panels_.may_close(state_)) << "it is asked again";
    draw(3);
    EXPECT_EQ(press(KeyCode::enter), std::vector{Action::quit});
    expect_unchanged("Enter");
    press(KeyCode::escape);
    apply(settings_, Change{path, "off"});
    draw(2);
  }
}

// Whatever was open, wherever one has clicked, and with either Enter.
TEST_F(OverlaysTest, EnterAnswersTheQuestionBeforeQuittingAtOnce) {
  state_.recording = true;
  for (const auto* path : {"palette", "browse", "cards"})
    for (const bool clicks : {false, true})
      for (const auto key : {KeyCode::enter, KeyCode::pad_enter}) {
        apply(settings_, Change{path, "on"});
        draw(3);
        ASSERT_FALSE(panels_.may_close(state_)) << path;
        draw(3);
        const auto* question = ImGui::FindWindowByName("Quit?");
        if (clicks) click(question->Pos.x + 5, question->Pos.y + 5);
        EXPECT_EQ(press(key), std::vector{Action::quit}) << path << clicks;
        apply(settings_, Change{path, "off"});
        draw(2);
      }
}

TEST_F(OverlaysTest, AClickElsewhereClosesAPaletteAndAMenuAndNothingElse) {
  for (const auto& [open, closes] : {std::pair(&Settings::palette, true),
                                     {&Settings::export_menu, true},
                                     {&Settings::cards, true},
                                     {&Settings::help, false},
                                     {&Settings::browse, false}}) {
    settings_.*open = true;
    draw(3);
    click(2, 998);
    EXPECT_EQ(settings_.*open, !closes);
    settings_.*open = false;
    draw(2);
  }
}

TEST_F(OverlaysTest, TheBarOfSharesExplainsNothingThroughWhatLiesOverIt) {
  auto& io = ImGui::GetIO();
  io.DisplaySize = {1280, 800};
  state_.kernels.rows[0].stage.name = std::string(60, 'k');  // a tooltip as wide as no other
  draw(3);
  const auto dock = layout(settings_, 1280, 800).dock;
  const auto least = ImGui::CalcTextSize(state_.kernels.rows[0].stage.name.c_str()).x;
  ImVec2 found{};
  for (float y = dock.y + 10; y < dock.y + 300 && found.x < least; y += 2) {
    io.MousePos = {dock.x + 30, y};
    draw(3);
    found = tooltip_size();
  }
  ASSERT_GE(found.x, least);
  settings_.cards = true;
  draw(3);
  const auto now = tooltip_size();
  EXPECT_FALSE(now.x == found.x && now.y == found.y);
}

TEST_F(OverlaysTest, TheHelpHasEveryKeyAndWhatItDoes) {
  ImGui::GetIO().DisplaySize = {2000, 1600};  // all in sight, each on one line
  settings_.help = true;
  draw(3);
  for (const auto& key : keys()) {
    if (key.where == Key::Where::highgui) continue;
    EXPECT_TRUE(TextCheck::place_of(label(key.press), "Keys and help")) << label(key.press);
    const auto words = std::string(key.description.substr(0, 20));
    EXPECT_TRUE(TextCheck::place_of(words, "Keys and help")) << words;
  }
}

TEST_F(OverlaysTest, ASourceGivenFromOutsideIsOpenedAndTheOneThatPlaysIsReopened) {
  panels_.open_source("/films/other.mp4");
  EXPECT_TRUE(draw().empty());
  EXPECT_EQ(settings_.source, "/films/other.mp4");
  panels_.open_source("/films/other.mp4");
  EXPECT_EQ(draw(), std::vector{Action::reopen});
  EXPECT_TRUE(draw().empty()) << "once";
}

// A kernel has the colour of its row in the table, whatever else the timeline shows.
TEST_F(OverlaysTest, TheTimelineHasTheColoursOfTheTableOfKernels) {
  state_ = example_gpu_state(settings_);
  settings_.frame_view = FrameView::one_frame;
  draw(2);
  const auto in_dock = [](ImU32 colour) {
    return std::ranges::any_of(draw_lists(), [&](const ImDrawList* list) {
      return std::string_view(list->_OwnerName).starts_with("dock") && has(*list, colour);
    });
  };
  for (const auto& row : state_.kernels.rows)
    EXPECT_TRUE(!row.computes() || !row.stage.leaf || in_dock(colour::row(row.colour))) << row.stage.name;
}

}  // namespace
}  // namespace app::ui
