// For tests: controls are found by the text that they show, so that a test says what is clicked, not where.
#pragma once

#include <imgui_internal.h>

#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"

namespace app::ui {

class ControlsTest : public PanelsTest {
 protected:
  static constexpr float height = 1600;  // all of a list is in sight

  void SetUp() override {
    PanelsTest::SetUp();
    ImGui::GetIO().DisplaySize.y = height;
    draw(2);
  }
  Layout places() const { return layout(settings_, 1280, static_cast<int>(height)); }

  static bool shown(const std::string& text, std::string_view window) {
    return TextCheck::place_of(text, window).has_value();
  }
  static std::string texts_of(std::string_view window) {
    std::string all;
    for (const auto& text : TextCheck::texts_of(window)) all += " '" + text + "'";
    return all;
  }
  // The middle of a text that is in sight; fails where there is none.
  static ImVec2 middle_of(const std::string& text, std::string_view window) {
    const auto place = TextCheck::place_of(text, window);
    if (!place) ADD_FAILURE() << "no '" << text << "' in " << window << ", which has" << texts_of(window);
    return place ? place->GetCenter() : ImVec2(-1, -1);
  }
  std::vector<Action> click_text(const std::string& text, std::string_view window) {
    const auto at = middle_of(text, window);
    auto actions = click(at.x, at.y);
    rest();
    return actions;
  }
  // The window on top whose name begins so; a part of another one only where there is none.
  static const ImGuiWindow* top_window(std::string_view name) {
    const auto& all = ImGui::GetCurrentContext()->Windows;
    for (int i = all.Size - 1; i >= 0; --i)
      if (all[i]->Active && !(all[i]->Flags & ImGuiWindowFlags_ChildWindow) &&
          std::string_view(all[i]->Name).starts_with(name))
        return all[i];
    for (int i = all.Size - 1; i >= 0; --i)
      if (all[i]->Active && std::string_view(all[i]->Name).starts_with(name)) return all[i];
    return nullptr;
  }
  // The control right of its label (label()) in a list that is open, at that fraction of the space beside the label; so far below
  // it.
  std::vector<Action> click_control(const std::string& label, float fraction = 0.3f, float below = 0,
                                    std::string_view window = "##Popup") {
    const auto* list = top_window(window);
    if (!list) ADD_FAILURE() << "no list is open";
    if (!list) return {};
    const auto em = ImGui::GetFontSize(), pad = list->WindowPadding.x;
    const auto start = list->Pos.x + pad + std::max(em * 5.8f, ImGui::CalcTextSize("Algorithm").x + em * 0.5f);
    const auto end = list->Pos.x + list->Size.x - pad, y = middle_of(label, window).y + below;
    auto actions = click(start + (end - start) * fraction, y);
    rest();
    return actions;
  }
  // An entry of the list that is open.
  std::vector<Action> choose(const std::string& text) { return click_text(text, "##Combo"); }
  void open_parameters() { click_text("More", "strip"); }

  void drag(ImVec2 from, ImVec2 to) {
    auto& io = ImGui::GetIO();
    for (const auto& [at, down] : {std::pair(from, false), {from, true}, {to, true}, {to, false}}) {
      io.MousePos = at;
      io.MouseDown[0] = down;
      draw(2);
    }
  }

  // The next click is not the second one of a double click, and no tooltip covers what is looked for.
  void rest() {
    ImGui::GetIO().MousePos = {2, 800};
    draw(25);
  }
};

}  // namespace app::ui
