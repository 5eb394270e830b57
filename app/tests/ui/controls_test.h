// For tests: controls are found by the text that they show, so that a test says what is clicked, not where.
#pragma once

#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"

namespace app::ui {

class ControlsTest : public PanelsTest {
 protected:
  static constexpr float height = 1600;  // all sections of the left column are in sight

  void SetUp() override {
    PanelsTest::SetUp();
    ImGui::GetIO().DisplaySize.y = height;
    draw(2);
  }
  Layout places() const { return layout(settings_, 1280, static_cast<int>(height)); }

  static bool shown(const std::string& text, std::string_view window) {
    return TextCheck::place_of(text, window).has_value();
  }
  // The middle of a text that is in sight; fails where there is none.
  static ImVec2 middle_of(const std::string& text, std::string_view window) {
    const auto place = TextCheck::place_of(text, window);
    if (!place) ADD_FAILURE() << "no '" << text << "' in " << window;
    return place ? place->GetCenter() : ImVec2(-1, -1);
  }
  std::vector<Action> click_text(const std::string& text, std::string_view window) {
    const auto at = middle_of(text, window);
    auto actions = click(at.x, at.y);
    rest();
    return actions;
  }
  // The control right of its label in the left column, at that fraction of the space beside the label; so far below it.
  std::vector<Action> click_control(const std::string& label, float fraction = 0.3f, float below = 0) {
    const auto left = places().left;
    const auto start = left.x + left.width * 0.4f, end = left.x + left.width - 30;
    const auto y = middle_of(label, "choices").y + below;
    auto actions = click(start + (end - start) * fraction, y);
    rest();
    return actions;
  }
  // An entry of the list that is open.
  std::vector<Action> choose(const std::string& text) { return click_text(text, "##Combo"); }

  void drag(ImVec2 from, ImVec2 to) {
    auto& io = ImGui::GetIO();
    for (const auto& [at, down] : {std::pair(from, false), {from, true}, {to, true}, {to, false}}) {
      io.MousePos = at;
      io.MouseDown[0] = down;
      draw(2);
    }
  }

 private:
  // The next click is not the second one of a double click, and no tooltip covers what is looked for.
  void rest() {
    ImGui::GetIO().MousePos = {1279, 200};
    draw(25);
  }
};

}  // namespace app::ui
