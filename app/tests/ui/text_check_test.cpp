// What the check of texts finds, and what it accepts.
#include "app/tests/ui/text_check_window.h"

namespace app::ui {
namespace {

TEST_F(TextCheckTest, FindsTextsThatOverlap) {
  const auto faults = in_a_window([] {
    text("the first text");
    ImGui::SameLine(40);
    text("another one");
  });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].what, "overlaps");
  EXPECT_EQ(faults[0].text, "thefirsttext");
  EXPECT_EQ(faults[0].other, "anotherone");
}

TEST_F(TextCheckTest, FindsATextThatIsCutOff) {
  const auto faults = in_a_window([] { text("wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"); });
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].what, "is cut off");
  EXPECT_EQ(faults[1].what, "ends outside");
}

TEST_F(TextCheckTest, FindsWhatIsBeyondTheEdgeOfItsWindow) {
  const auto faults = in_a_window([] {
    text("in sight");
    ImGui::SameLine(500);
    ImGui::Button("beyond");
  });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].what, "ends outside");
}

TEST_F(TextCheckTest, AcceptsLinesNeighboursShapesAndShortenedText) {
  EXPECT_TRUE(in_a_window([] {
                text("one line");
                text("the next line");
                ImGui::Button("a button");
                ImGui::SameLine();
                bool on = true;
                ImGui::Checkbox("a box", &on);
                text(shortened("far too long for the width of this narrow window of 400 pixels, so it is shortened", 300));
              }).empty());
}

}  // namespace
}  // namespace app::ui
