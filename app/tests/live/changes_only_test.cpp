// Drawn by its changes alone, the window has the same pixels as drawn whole in every frame, whatever is clicked.
#include <algorithm>
#include <random>

#include "app/tests/live/golden_window.h"

namespace app::ui {
namespace {

class ChangesOnlyTest : public GoldenTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  // The hash of each frame of a session that the seed alone decides.
  std::vector<std::size_t> frames(bool changes_only) {
    constexpr int width = 1000, height = 700;
    settings_ = example_settings();
    state_ = example_state(settings_);
    Panels panels;
    target_.reset();
    open(width, height);
    if (IsSkipped()) return {};
    ImGui::GetIO().ConfigInputTextCursorBlink = false;
    target_->draw_changes_only(changes_only);
    std::mt19937 random(GetParam());
    std::vector<std::size_t> seen;
    for (int frame = 0; frame < 250; ++frame) {
      auto& io = ImGui::GetIO();
      if (random() % 3 == 0) io.MousePos = {static_cast<float>(random() % width), static_cast<float>(random() % height)};
      if (random() % 4 == 0) io.MouseDown[0] = !io.MouseDown[0];
      if (random() % 10 == 0) io.MouseWheel = random() % 2 ? 1 : -1;
      if (random() % 10 == 0) state_.frame_age_ms = static_cast<double>(random() % 3000) / 10;
      if (random() % 60 == 0) apply_look(random() % 2 ? Theme::light : Theme::dark);
      target_->begin_frame();
      const auto area = layout(settings_, width, height).picture;
      const auto colour = static_cast<float>(frame % 50) / 50;
      target_->fill({area.x, area.y, area.width, area.height}, {colour, 0.5f, 1 - colour});
      panels.draw(state_, settings_);
      target_->end_frame();
      const auto pixels = target_->read_pixels();
      seen.push_back(std::hash<std::string_view>()({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
    }
    return seen;
  }

 private:
  void apply_look(Theme theme) {
    apply_theme({1, theme});
    target_->set_background(panel_background());
  }
};

TEST_P(ChangesOnlyTest, has_the_pixels_of_the_window_drawn_whole) {
  if (on_display()) GTEST_SKIP() << "drawn offscreen";
  const auto whole = frames(false);
  if (IsSkipped()) return;
  const auto changes = frames(true);
  const auto differing = std::ranges::mismatch(whole, changes).in1 - whole.begin();
  EXPECT_EQ(static_cast<std::size_t>(differing), whole.size()) << "that frame differs";
  EXPECT_GT(std::ranges::count_if(whole, [&](auto hash) { return hash != whole.front(); }), 100) << "nothing happened";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChangesOnlyTest, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace app::ui
