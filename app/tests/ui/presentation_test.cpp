// The presentation: a picture, a statement, and two keys.
#include "app/control/cards.h"
#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/matrix_example.h"

namespace app::ui {
namespace {

class PresentationTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    ImGui::GetIO().DisplaySize.y = 800;
    type("L");
    draw(2);
  }
};

TEST_F(PresentationTest, ItShowsThePictureOneStatementAndNoPanel) {
  ASSERT_TRUE(settings_.presentation);
  EXPECT_TRUE(shown(lessons()[0].title, "statement"));
  EXPECT_TRUE(shown("1 of 6", "lessons"));
  EXPECT_FALSE(shown("Source", "bar"));
  const auto place = layout(settings_, 1280, 800);
  EXPECT_EQ(place.picture.width, 640);
  EXPECT_EQ(place.bar.height, 0);
  type("L");
  draw(2);
  EXPECT_FALSE(settings_.presentation);
  EXPECT_TRUE(shown("Source", "bar"));
}

TEST_F(PresentationTest, LeftAndRightStepWithinTheLessonsAndSeekNothing) {
  press(KeyCode::left);
  EXPECT_EQ(settings_.lesson, 1);
  for (int i = 0; i < 2 * lesson_count; ++i) press(KeyCode::right);
  EXPECT_EQ(settings_.lesson, lesson_count);
  press(KeyCode::left);
  press(KeyCode::left);
  press(KeyCode::right);
  EXPECT_EQ(settings_.lesson, lesson_count - 1);
  press(KeyCode::page_up);  // of a remote control
  EXPECT_EQ(settings_.lesson, lesson_count - 2);
  press(KeyCode::page_down);
  press(KeyCode::up);
  EXPECT_EQ(settings_.lesson, lesson_count - 2);
  press(KeyCode::down);
  EXPECT_EQ(settings_.lesson, lesson_count - 1);
  EXPECT_TRUE(shown("Left and Right: back and on", "lessons"));
  EXPECT_TRUE(shown("Esc: the window", "lessons"));
  EXPECT_TRUE(sought_.empty());
  press(KeyCode::escape);
  EXPECT_FALSE(settings_.presentation);
}

// Until a number is clicked the arrows are the lessons'.
TEST_F(PresentationTest, NumbersOfAMatrixAreTyped) {
  show_matrix(state_);
  settings_.source = "matrix:3x2";
  draw(3);
  press(KeyCode::right);
  EXPECT_EQ(settings_.lesson, 2);
  press(KeyCode::left);
  draw(2);
  click_text("12", "matrix");
  type("10");
  press(KeyCode::right);
  EXPECT_EQ(settings_.matrix, "11,10,13;21,22,27");
  EXPECT_EQ(settings_.lesson, 1) << "it selected the next number";
  press(KeyCode::escape);
  ASSERT_TRUE(settings_.presentation) << "the number is left first";
  press(KeyCode::right);
  EXPECT_EQ(settings_.lesson, 2);
}

TEST_F(PresentationTest, WhoQuitsLeavesItFirst) {
  auto did = type("q");
  EXPECT_FALSE(settings_.presentation);
  for (const auto action : draw()) did.push_back(action);
  EXPECT_EQ(did, std::vector{Action::quit});
}

TEST_F(PresentationTest, ARecordingIsSeenAndStoppedByMouse) {
  EXPECT_FALSE(shown("Stop", "recording"));
  state_.recording = true;
  state_.recorded_seconds = 12.3;
  draw(2);
  EXPECT_EQ(click_text("Stop 0:12", "recording"), std::vector{Action::toggle_record});
}

TEST_F(PresentationTest, EveryLessonFitsWindowsOfAllSizes) {
  state_.race = example_race();
  ProbedPixels probed;  // the entries of the rectangle's corners are as long as they can be
  probed.picture = state_.picture;
  settings_.rectangle = PixelBox{20, 20, 100, 100};
  for (const int y : {19, 119})
    for (const int x : {19, 119}) {
      probed.places.add(x, y);
      probed.values.push_back({static_cast<std::uint32_t>(x < y ? 1'000'000'000 : 1'000'000'000 + x * y), {}, 0});
    }
  state_.probed = &probed;
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1920, 1080), ImVec2(1000, 700), ImVec2(800, 600)})
    for (int lesson = 1; lesson <= lesson_count; ++lesson) {
      ImGui::GetIO().DisplaySize = size;
      settings_.lesson = lesson;
      draw(3);
      const auto& about = lessons()[static_cast<std::size_t>(lesson - 1)];
      EXPECT_TRUE(shown(about.title, "statement")) << lesson << ", " << size.x;
      EXPECT_TRUE(shown(std::to_string(lesson) + " of 6", "lessons")) << lesson << ", " << size.x;
      EXPECT_EQ(shown("D", "statement") && shown("mean", "statement"), about.shows == Lesson::Shows::sum) << size.x;
      EXPECT_EQ(shown("\u2212", "statement"), about.shows == Lesson::Shows::sum) << "the formula, " << size.x;
      EXPECT_EQ(top_window("statement")->ScrollMax.y, 0) << lesson << ", " << size.x;
      for (const auto& fault : TextCheck::faults())
        ADD_FAILURE() << lesson << ", " << size.x << ": " << fault.text << ' ' << fault.what << ' ' << fault.other;
    }
}

TEST_F(PresentationTest, AClickOnAPieceOfTheLineGoesToItsLesson) {
  const auto text = middle_of("1 of 6", "lessons");
  click(text.x - 60, text.y);
  EXPECT_EQ(settings_.lesson, lesson_count);
  click(text.x - 60 - 54, text.y);
  EXPECT_EQ(settings_.lesson, lesson_count - 1);
}

}  // namespace
}  // namespace app::ui
