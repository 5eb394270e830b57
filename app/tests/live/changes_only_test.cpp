// Drawn by its changes alone, the window has the same pixels as drawn whole in every frame, whatever is clicked.
#include <algorithm>
#include <random>

#include "app/gl/gl_object.h"
#include "app/gl/view_renderer.h"
#include "app/tests/live/golden_window.h"
#include "app/tests/pipeline/tile_example.h"

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
    const gl::ViewRenderer renderer;
    const auto picture = noise({60, 50});
    const TraceState trace{std::make_shared<TileHistory>(example_history()), 0.76, {}};
    auto compared = settings_;
    compared.compare = {true, "original", "adaptive_threshold"};
    const auto sides = make_selection(compared, gpu::Device::host);
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
      const View view{1.0 + frame % 7, {0.5, 0.5}, {60, 50}, {area.x, area.y, area.width, area.height}};
      target_->fill(view.area, {colour, 0.5f, 1 - colour});
      renderer.draw(view, picture.id(), width, height);
      draw_tile_trace(view, trace, settings_);
      draw_comparison(view, sides, settings_.wipe);
      panels.draw(state_, settings_);
      target_->end_frame();
      const auto pixels = target_->read_pixels();
      seen.push_back(std::hash<std::string_view>()({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
    }
    return seen;
  }

 private:
  static gl::Texture noise(gpu::Size size) {
    std::mt19937 random(1);
    std::vector<std::uint32_t> pixels(size.pixels());
    for (auto& pixel : pixels) pixel = static_cast<std::uint32_t>(random()) | 0xff000000;
    auto texture = gl::Texture::create();
    glBindTexture(GL_TEXTURE_2D, texture.id());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size.width, size.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    return texture;
  }
  void apply_look(Theme theme) {
    apply_theme({1, theme});
    target_->set_background(panel_background());
  }
};

TEST_P(ChangesOnlyTest, HasThePixelsOfTheWindowDrawnWhole) {
  if (on_display()) GTEST_SKIP() << "drawn offscreen";
  const auto whole = frames(false);
  if (IsSkipped()) return;
  const auto changes = frames(true);
  const auto differing = std::ranges::mismatch(whole, changes).in1 - whole.begin();
  EXPECT_EQ(static_cast<std::size_t>(differing), whole.size()) << "that frame differs";
  EXPECT_GT(std::ranges::count_if(whole, [&](auto hash) { return hash != whole.front(); }), 100) << "nothing happened";
}

using ChangesOnlyGoldenTest = GoldenTest;

// Pixels that somebody else changed show what is drawn again.
TEST_F(ChangesOnlyGoldenTest, DrawnByItsChangesTheWindowDrawsNothingWhereNothingChanges) {
  if (on_display()) GTEST_SKIP() << "drawn offscreen";
  open(1000, 700);
  if (IsSkipped()) return;
  ImGui::GetIO().ConfigInputTextCursorBlink = false;
  target_->draw_changes_only(true);
  draw();
  const auto before = golden::read(*target_);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, 1000, 350);  // the lower half
  glClearColor(1, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  draw();
  EXPECT_EQ(golden::read(*target_).at<cv::Vec3b>(690, 500), cv::Vec3b(0, 0, 255)) << "drawn though nothing changed";
  target_->draw_changes_only(true);
  draw();
  EXPECT_EQ(cv::norm(golden::read(*target_), before, cv::NORM_INF), 0) << "as a whole again";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChangesOnlyTest, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace app::ui
