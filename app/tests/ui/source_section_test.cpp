// The line of the source: what is typed there, and what stays when it fails.
#include <gtest/gtest.h>
#include <imgui.h>

#include "app/tests/ui/panels_test.h"

namespace app::ui {
namespace {

constexpr float field_x = 100, field_y = 84;  // the line

class SourceSectionTest : public PanelsTest {};

TEST_F(SourceSectionTest, a_typed_source_is_opened_on_enter_and_its_letters_start_no_actions) {
  click(field_x, field_y);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  for (int i = 0; i < 12; ++i) press(KeyCode::backspace);
  EXPECT_TRUE(type("requiems.mp4").empty());
  EXPECT_EQ(settings_.source, "lobby.mp4");  // not before it is complete
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "requiems.mp4");
}

TEST_F(SourceSectionTest, a_source_that_could_not_be_opened_stays_in_the_field_to_be_corrected) {
  click(field_x, field_y);
  for (int i = 0; i < 12; ++i) press(KeyCode::backspace);
  type("lobbi.mp4");
  press(KeyCode::enter);
  ASSERT_EQ(settings_.source, "lobbi.mp4");
  draw();
  settings_.source = "lobby.mp4";  // which continues
  state_.failed_source = "lobbi.mp4";
  draw(2);
  click(field_x, field_y);
  type("x");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source.size(), 10u) << settings_.source;
  EXPECT_NE(settings_.source.find('i'), std::string::npos) << settings_.source;
}

TEST_F(SourceSectionTest, escape_in_the_field_leaves_the_source_as_it_was) {
  click(field_x, field_y);
  type("xyz");
  EXPECT_TRUE(press(KeyCode::escape).empty());
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "lobby.mp4");
}

TEST_F(SourceSectionTest, enter_on_the_same_source_reopens_it) {
  click(field_x, field_y);
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::reopen});
}

TEST_F(SourceSectionTest, a_source_set_elsewhere_shows_in_the_field) {
  settings_.source = "dropped.mp4";  // a file dropped on the window
  draw();
  click(field_x, field_y);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "dropped.mp4");
}

// Thousands of clicks, drags and keys anywhere: the resulting settings are always valid.
}  // namespace
}  // namespace app::ui
