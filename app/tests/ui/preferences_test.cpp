// The section Display under the mouse, in a window of its own.
#include <gtest/gtest.h>
#include <imgui.h>

#include "app/control/settings_file.h"
#include "app/tests/ui/panels_test.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

class DisplaySectionTest : public PanelsTest {
 protected:
  void SetUp() override {
    PanelsTest::SetUp();
    draw_section();
    draw_section();
  }
  void draw_section() {
    ImGui::NewFrame();
    {
      const PanelWindow window("test", {0, 0, 320, 400});
      PanelContext ui{state_, settings_, {}, result_, drafts_, 1};
      display_section(ui);
      button_ = ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y - ImGui::GetFrameHeight() / 2;
      last_row_ = button_ - ImGui::GetFrameHeightWithSpacing();
    }
    ImGui::Render();
  }
  void click_at(float x, float y) {
    auto& io = ImGui::GetIO();
    io.MousePos = {x, y};
    for (const bool down : {false, true, false, false}) {
      io.MouseDown[0] = down;
      draw_section();
    }
  }

  Result result_;
  Drafts drafts_;
  float last_row_ = 0, button_ = 0;  // the middle of each
};

TEST_F(DisplaySectionTest, EverythingIsResetByAButtonUnlessItIsAsAtTheFirstStart) {
  settings_ = first_settings();
  settings_.loop = settings_.source.empty();
  click_at(40, button_);
  EXPECT_TRUE(result_.commands.empty());
  settings_.panels = false;
  click_at(40, button_);
  EXPECT_EQ(result_.commands, std::vector{Command(Action::reset_everything)});
}

TEST_F(DisplaySectionTest, TheThemeIsChosenFromAList) {
  for (float y = last_row_ + 14; y < last_row_ + 60 && settings_.theme == Theme::dark; y += 4) {
    click_at(200, last_row_);
    click_at(200, y);
    click_at(310, 390);  // closes the list
  }
  EXPECT_EQ(settings_.theme, Theme::light);
}

TEST_F(DisplaySectionTest, TextBecomesLargerAndSmallerAndAsTheDisplayAsks) {
  const auto row = last_row_ - ImGui::GetFrameHeightWithSpacing();
  settings_.ui_scale = 1.5;
  for (float x = 80; x < 240; x += 6) click_at(x, row);
  std::vector<Action> seen;
  for (const auto& command : result_.commands)
    if (seen.empty() || seen.back() != command.action) seen.push_back(command.action);
  EXPECT_EQ(seen, (std::vector{Action::ui_smaller, Action::ui_larger, Action::ui_default}));
}

using DisplaySectionPanelsTest = PanelsTest;

TEST_F(DisplaySectionPanelsTest, TheFolderOfSavedFilesIsOpenedWhereThatIsPossible) {
  const auto folder_clicked = [this] {
    for (float x = 1240; x > 1100; x -= 10) {
      settings_.help = false;
      const auto actions = click(x, 20);
      if (std::ranges::find(actions, Action::open_folder) != actions.end()) return true;
    }
    return false;
  };
  EXPECT_TRUE(folder_clicked());
  state_.source.no_folder = "xdg-open is missing";
  EXPECT_FALSE(folder_clicked());
}

}  // namespace
}  // namespace app::ui
