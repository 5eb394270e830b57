// For tests: the panels under mouse and keyboard, without a display: ImGui gets the input, and the results are checked.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/control/imgui_keys.h"
#include "app/tests/ui/ui_example.h"
#include "app/tests/ui/windowless_ui.h"

namespace app::ui {

using imgui::KeyCode;

class PanelsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    imgui::prepare_reports();
    settings_ = example_settings();
    state_ = example_state(settings_);
    draw(2);
  }

  std::vector<Action> draw(int frames = 1) {
    std::vector<Action> actions;
    for (int i = 0; i < frames; ++i) {
      ImGui::NewFrame();
      draw_under_panels();
      const auto result = panels_.draw(state_, settings_);
      ImGui::Render();
      for (const auto& command : result.commands) {
        actions.push_back(command.action);
        commands_.push_back(command);
        if (command.action == Action::seek) sought_.push_back(*command.number);
      }
      refusals_.insert(refusals_.end(), result.refusals.begin(), result.refusals.end());
      if (result.browse) browsed_.push_back(*result.browse);
      if (result.asks_desktop) asked_.push_back(*result.asks_desktop);
      if (result.shown) shown_.push_back(*result.shown);
      if (result.in_editor) edited_.push_back(*result.in_editor);
    }
    return actions;
  }
  virtual void draw_under_panels() {}  // over the picture
  std::vector<Action> type(std::string_view text) {
    for (const char c : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
    return draw();
  }
  std::vector<Action> press(KeyCode key) {
    imgui::report(key, true);
    auto actions = draw();
    imgui::report(key, false);
    for (const auto action : draw()) actions.push_back(action);
    return actions;
  }
  std::vector<Action> click(float x, float y) {
    auto& io = ImGui::GetIO();
    std::vector<Action> actions;
    io.MousePos = {x, y};
    for (const bool down : {false, true, false, false}) {
      io.MouseDown[0] = down;
      for (const auto action : draw()) actions.push_back(action);
    }
    return actions;
  }

  // Whether anything of that colour is in the list.
  static bool has(const ImDrawList& list, ImU32 colour) {
    return std::any_of(list.VtxBuffer.begin(), list.VtxBuffer.end(), [colour](const auto& v) { return v.col == colour; });
  }

  WindowlessUi imgui_{{1280, 1000}};
  Settings settings_;
  State state_;
  Panels panels_;
  std::vector<std::string> refusals_;
  std::vector<Command> commands_;
  std::vector<double> sought_;
  std::vector<std::string> browsed_, shown_, asked_;
  std::vector<Result::EditedPlace> edited_;
};

}  // namespace app::ui
