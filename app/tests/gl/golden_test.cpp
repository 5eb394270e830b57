// The whole window, drawn offscreen by Mesa's llvmpipe from fixed values, against golden images.
#include "app/tests/gl/golden.h"

#include <imgui.h>

#include "app/tests/ui_example.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

// A stand-in for a camera's picture: a smooth field with shapes.
void draw_picture(const Rect& rect) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const ImVec2 from(rect.x, rect.y), to(rect.x + rect.width, rect.y + rect.height);
  draw.AddRectFilledMultiColor(from, to, IM_COL32(40, 60, 90, 255), IM_COL32(150, 120, 90, 255),
                               IM_COL32(210, 190, 150, 255), IM_COL32(60, 90, 80, 255));
  draw.AddCircleFilled({(from.x + to.x) / 2, (from.y + to.y) / 2}, rect.height / 4, IM_COL32(230, 200, 120, 255), 64);
}

class GoldenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_ = example_settings();
    state_ = example_state(settings_);
  }

  // Opens a surface; skips where letters or edges would come out otherwise than in the golden images.
  void open(int width, int height) {
    try {
      surface_ = open_offscreen(width, height);
    } catch (const SurfaceError& error) {
      GTEST_SKIP() << error.what();
    }
    apply_theme();
    if (surface_->gl().renderer.find("llvmpipe") == std::string::npos)
      GTEST_SKIP() << "golden images are llvmpipe's; here draws " << surface_->gl().renderer;
    const std::string face = ImGui::GetIO().Fonts->ConfigData[0].Name;
    if (face != "Roboto-Regular.ttf, 15px")
      GTEST_SKIP() << "golden images are in Roboto (package fonts-roboto-unhinted); here is " << face;
  }

  // Three frames: ImGui measures a new window in its first.
  cv::Mat draw() {
    Panels panels;
    for (int frame = 0; frame < 3; ++frame) {
      surface_->begin_frame();
      draw_picture(layout(settings_, surface_->width(), surface_->height()).picture);
      panels.draw(state_, settings_);
      surface_->end_frame();
    }
    return golden::read(*surface_);
  }

  Settings settings_;
  State state_;
  std::unique_ptr<Surface> surface_;
};

TEST_F(GoldenTest, the_window) {
  open(1280, 800);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "window");
}

TEST_F(GoldenTest, a_small_window) {
  open(960, 600);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "small_window");
}

TEST_F(GoldenTest, on_a_gpu) {
  state_ = example_gpu_state(settings_);
  open(1280, 800);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "gpu");
}

TEST_F(GoldenTest, the_help) {
  settings_.help = true;
  open(1280, 800);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "help");
}

TEST_F(GoldenTest, without_panels_messages_remain) {
  settings_.panels = false;
  state_.messages = {{Message::Kind::info, "Saved satscope-out/screenshot-1.png", 1.5},
                     {Message::Kind::warning, "This effect needs a window no larger than the picture: 4001x15 is wider", 1},
                     {Message::Kind::error, "The disk is full: the export was not written; choose another place", 0.2}};
  open(960, 600);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "messages");
}

TEST_F(GoldenTest, a_source_that_failed) {
  state_ = State{};
  state_.recipe = make_recipe(settings_, gpu::Device::host);
  state_.cuda_unavailable = "no NVIDIA driver is loaded";
  state_.capture.phase = capture::Status::Phase::failed;
  state_.capture.message = "No such file: lobby.mp4. Check the name, or open a camera, a URL or synthetic";
  open(1280, 800);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "failed_source");
}

// The comparison itself: small wrongs must not pass.
class GoldenComparisonTest : public GoldenTest {
 protected:
  bool passes_as_the_window() { return golden::compare(draw(), golden::load("window")).same(); }
};

TEST_F(GoldenComparisonTest, finds_one_changed_number) {
  open(1280, 800);
  if (IsSkipped()) return;
  state_.rows[1].p90 += 100;
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, finds_a_changed_choice) {
  open(1280, 800);
  if (IsSkipped()) return;
  settings_.loop = false;
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, finds_a_missing_panel) {
  open(1280, 800);
  if (IsSkipped()) return;
  state_.frames.clear();
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, finds_a_picture_of_another_size) {
  open(1279, 800);
  if (IsSkipped()) return;
  EXPECT_FALSE(passes_as_the_window());
}

}  // namespace
}  // namespace app::ui
