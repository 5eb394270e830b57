// For tests: the whole window at a size and a scale, in which no text overlaps another or is cut off, and nothing ends outside.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/tests/ui/text_check.h"
#include "app/tests/ui/ui_example.h"
#include "app/tests/ui/windowless_ui.h"
#include "app/ui/widgets.h"

namespace app::ui {

class TextCheckTest : public ::testing::Test {
 protected:
  void SetUp() override { open({800, 600}, 1); }

  void open(ImVec2 size, float scale, Theme theme = Theme::dark) {
    imgui_.reset();  // before the next: there is one context at a time
    imgui_.emplace(size, Look{scale, theme});
    scale_ = scale;
    where_ = number(size.x, 0) + "x" + number(size.y, 0) + " at " + number(scale, 1);
  }
  // Draws a window with `contents`.
  template <class Contents>
  std::vector<TextFault> in_a_window(const Contents& contents) {
    for (int frame = 0; frame < 2; ++frame) {
      ImGui::NewFrame();
      {
        const PanelWindow window("test", {0, 0, 400, 300});
        contents();
      }
      ImGui::Render();
    }
    return TextCheck::faults();
  }
  // `over`: drawn over the picture before the panels. `asked`: the question before the program quits is open.
  void expect_no_faults(const State& state, Settings settings, const std::string& what,
                        const std::function<void(const Settings&)>& over = {}, bool asked = false) {
    Panels panels;
    if (asked) {
      EXPECT_FALSE(panels.may_close(state));
    }
    for (int frame = 0; frame < 4; ++frame) {
      ImGui::NewFrame();
      if (over) over(settings);
      panels.draw(state, settings);
      ImGui::Render();
    }
    for (const auto& fault : TextCheck::faults())
      ADD_FAILURE() << where_ << ", " << what << ": in " << fault.window << " '" << fault.text << "' " << fault.what
                    << (fault.other.empty() ? "" : " '" + fault.other + "'");
    if (settings.panels) expect_in_the_bar(state, what);
  }
  // The end of the source's name.
  void expect_in_the_bar(const State& state, const std::string& what) const {
    const auto& name = state.capture.name;
    const auto end = name.substr(name.size() - std::min<std::size_t>(name.size(), 3));
    EXPECT_TRUE(TextCheck::place_of(end, "bar")) << where_ << ", " << what << ": no '" << end << "' in the bar";
  }
  View view_of(const Settings& settings, gpu::Size picture, double zoom = 0) const {
    const auto& display = ImGui::GetIO().DisplaySize;
    const auto area = layout(settings, static_cast<int>(display.x), static_cast<int>(display.y), scale_).picture;
    return {zoom, {0.5, 0.5}, picture, {area.x, area.y, area.width, area.height}};
  }

  std::optional<WindowlessUi> imgui_;
  float scale_ = 1;
  std::string where_;
};

}  // namespace app::ui
