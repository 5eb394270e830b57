// For tests: the whole window with fixed values, drawn by llvmpipe and compared with golden images.
#pragma once

#include <imgui.h>

#include <functional>
#include <memory>

#include "app/tests/live/golden.h"
#include "app/tests/ui/ui_example.h"
#include "app/ui/theme.h"

namespace app::ui {

// A substitute for a camera's picture: a few shapes, flat, so that golden images are small files.
inline void draw_picture(const Rect& rect) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const ImVec2 from(rect.x, rect.y), to(rect.x + rect.width, rect.y + rect.height);
  draw.AddRectFilled(from, to, IM_COL32(96, 120, 112, 255));
  draw.AddRectFilled({from.x, (from.y + to.y) / 2}, to, IM_COL32(150, 120, 90, 255));
  draw.AddCircleFilled({(from.x + to.x) / 2, (from.y + to.y) / 2}, rect.height / 4, IM_COL32(230, 200, 120, 255), 64);
}

class GoldenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_ = example_settings();
    state_ = example_state(settings_);
  }

  // Opens a render target; skips if letters or edges would be drawn differently than in the golden images.
  void open(int width, int height, const Look& look = {}) {
    // A mouse over a panel would change what is drawn, so it is moved into the corner.
    if (on_display() && std::system("xdotool mousemove 1599 999") != 0)
      GTEST_SKIP() << "xdotool is missing (apt-get install xdotool)";
    try {
      target_ = on_display() ? open_window(width, height, false) : open_offscreen(width, height);
    } catch (const RenderTargetError& error) {
      GTEST_SKIP() << error.what();
    }
    apply_theme(look);
    target_->set_background(panel_background());
    if (target_->gl().renderer.find("llvmpipe") == std::string::npos)
      GTEST_SKIP() << "golden images are llvmpipe's; here draws " << target_->gl().renderer;
  }

  // Under with_display everything is drawn in a window, else offscreen: into the same images.
  static bool on_display() { return std::getenv("SATSCOPE_TEST_DISPLAY") != nullptr; }

  void draw_frame() {
    target_->begin_frame();
    const auto area = layout(settings_, target_->width(), target_->height()).picture;
    draw_picture(area);
    if (over_picture_) over_picture_({0, {0.5, 0.5}, state_.picture, {area.x, area.y, area.width, area.height}});
    panels_.draw(state_, settings_);
    target_->keep_frame();
    target_->end_frame();
  }
  // Three frames, because ImGui only measures a new window in the first.
  cv::Mat draw() {
    for (int frame = 0; frame < 3; ++frame) draw_frame();
    return golden::read(*target_);
  }
  void mouse(float x, float y, bool down) {
    ImGui::GetIO().MousePos = {x, y};
    ImGui::GetIO().MouseDown[0] = down;
    draw_frame();
  }

  std::function<void(const View&)> over_picture_;  // what else is drawn over the picture, as it is fitted
  Settings settings_;
  State state_;
  std::unique_ptr<RenderTarget> target_;
  Panels panels_;
};

}  // namespace app::ui
