// A matrix source is edited by mouse and keyboard.
#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/matrix_example.h"

namespace app::ui {
namespace {

class MatrixOverlayTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    show_matrix(state_);
    settings_.source = "matrix:3x2";
    draw(3);
  }
  void enter(std::string_view number, KeyCode key) {
    EXPECT_TRUE(type(number).empty()) << "numbers start no actions";
    EXPECT_TRUE(press(key).empty());
    draw(2);
  }
};

TEST_F(MatrixOverlayTest, a_clicked_number_is_replaced_and_enter_goes_on_below) {
  click_text("12", "matrix");
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  enter("5", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "11,5,13;21,22,27");
  ASSERT_TRUE(ImGui::GetIO().WantTextInput) << "the number below is next";
  enter("9", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "11,5,13;21,9,27");
  EXPECT_FALSE(ImGui::GetIO().WantTextInput) << "that was the last row";
}

TEST_F(MatrixOverlayTest, tab_goes_on_to_the_right_and_into_the_next_row) {
  click_text("13", "matrix");
  enter("1", KeyCode::tab);
  EXPECT_EQ(settings_.matrix, "11,12,1;21,22,27");
  enter("2", KeyCode::tab);
  EXPECT_EQ(settings_.matrix, "11,12,1;2,22,27");
  EXPECT_TRUE(settings_.panels) << "Tab hides nothing meanwhile";
}

TEST_F(MatrixOverlayTest, escape_keeps_the_number) {
  click_text("22", "matrix");
  enter("99", KeyCode::escape);
  EXPECT_EQ(settings_.matrix, "");
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_F(MatrixOverlayTest, numbers_stay_between_0_and_255) {
  click_text("11", "matrix");
  enter("999", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "255,12,13;21,22,27");
}

TEST_F(MatrixOverlayTest, a_number_that_the_matrix_has_no_more_cannot_be_edited) {
  settings_.matrix = "1,2";  // chosen just now: the picture shown is still the one before
  click_text("27", "matrix");
  draw(2);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  click_text("11", "matrix");
  draw(2);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
}

TEST_F(MatrixOverlayTest, an_entry_of_the_table_shows_its_addition) {
  ImGui::GetIO().MousePos = middle_of("106", "matrix");
  draw(2);
  EXPECT_TRUE(shown("table(2, 1) = 27 + 66 + 36 - 23 = 106", "matrix"));
}

TEST_F(MatrixOverlayTest, its_buttons_save_it_and_show_the_picture) {
  EXPECT_EQ(click_text("Save CSV", "matrix"), std::vector{Action::save_matrix});
  click_text("Picture", "matrix");
  EXPECT_FALSE(settings_.matrix_editor);
}

}  // namespace
}  // namespace app::ui
