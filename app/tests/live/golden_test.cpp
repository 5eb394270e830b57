// The whole window, drawn by Mesa's llvmpipe from fixed values, against golden images: what only a picture shows. Texts, places
// and what a click does are checked without one, in ui/.
#include "app/tests/live/golden_window.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/tests/ui/matrix_example.h"
#include "app/ui/rectangle.h"

namespace app::ui {
namespace {

// Drawn offscreen, where ImGui's time goes on by the same step each frame; the first one in a window, too.
class GoldenStatesTest : public GoldenTest {
 protected:
  void SetUp() override {
    if (on_display()) GTEST_SKIP() << "drawn offscreen";
    GoldenTest::SetUp();
  }
  void expect(const std::string& name, const Look& look = {}) {
    open(1280, 800, look);
    if (IsSkipped()) return;
    golden::expect_golden(draw(), name);
  }
  void compare() {
    settings_.compare = {true, "original", "adaptive_threshold"};
    state_.selection = make_selection(settings_, gpu::Device::host);
    over_picture_ = [this](const View& view) {
      state_.notes = draw_comparison(view, state_.selection, 0.4);
      state_.wipe_handle = wipe_handle(view, state_.selection, 0.4);
    };
  }
  // Of every kind: filled in part, outlined, a line, a label.
  static std::vector<gpu::Annotation> annotations() {
    gpu::Annotation part, outline, label, line;
    outline.x0 = 240, outline.y0 = 130, outline.x1 = 480, outline.y1 = 270;
    part = outline;
    part.x1 = 360, part.stroke.a = 0, part.fill = {60, 160, 255, 112};
    label = outline;
    label.kind = gpu::Annotation::Kind::label, label.has = gpu::Annotation::Value::signed_number, label.value = -4071;
    line = outline;
    line.kind = gpu::Annotation::Kind::line, line.stroke = {255, 170, 60, 255};
    return {part, outline, line, label};
  }
};

TEST_F(GoldenTest, TheWindow) {
  open(1280, 800);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "window");
}

TEST_F(GoldenStatesTest, LightTheme) { expect("light", {1, Theme::light}); }

TEST_F(GoldenStatesTest, TheFirstStart) {
  compare();
  settings_.hints = true;
  expect("welcome");
}

TEST_F(GoldenStatesTest, TheSimpleLayoutWithAnnotations) {
  settings_.simple = true;
  over_picture_ = [](const View& view) { draw_annotations(view, annotations()); };
  expect("simple");
}

TEST_F(GoldenStatesTest, Race) {
  settings_.dock = Dock::race;
  settings_.race_a = "host_serial";
  state_.race = example_race();
  expect("race");
}

TEST_F(GoldenStatesTest, Trace) {
  settings_.dock = Dock::trace;
  settings_.trace_colour = TraceColour::state;
  settings_.trace_play = false;
  show_trace(state_, example_history(), 0.76);
  over_picture_ = [this](const View& view) { draw_tile_trace(view, state_.trace, settings_); };
  expect("trace");
}

TEST_F(GoldenStatesTest, Cards) {
  settings_.cards = true;
  settings_.card = "1r1w_skss_lb";
  over_picture_ = [](const View&) { ImGui::GetIO().DeltaTime = 0.6f; };  // the diagram moves on
  expect("cards");
}

TEST_F(GoldenStatesTest, Rectangle) {
  settings_.rectangle_tool = true;
  const PixelBox box{350, 180, 240, 150};
  ProbedPixels pixels;
  pixels.picture = state_.picture;
  ask_for_corners(box, pixels.places);
  for (const auto entry : {8'123'456u, 21'654'321u, 14'246'810u, 31'415'926u}) pixels.values.push_back({entry, {}, 0});
  const auto sum = rectangle_sum(box, state_.picture, pixels);
  ASSERT_TRUE(sum);
  over_picture_ = [&](const View& view) { draw_rectangle(view, *sum, true); };
  expect("rectangle");
}

TEST_F(GoldenStatesTest, Matrix) {
  settings_.source = "matrix:3x2";
  show_matrix(state_);
  expect("matrix");
}

TEST_F(GoldenStatesTest, SelectedFrames) {
  settings_.graph_range = FrameRange{1150, 1219};
  settings_.graph_pinned = 1180;
  state_.graph.of = {70, 1150, 1219, true};
  FrameFigures figures;
  for (const auto& frame : example_frames())
    if (frame.id >= 1150 && frame.id <= 1219) figures.add(frame);
  summarise(figures, settings_, state_.graph);
  expect("selected_frames");
}

// The comparison itself: small differences must not pass.
class GoldenComparisonTest : public GoldenStatesTest {
 protected:
  bool passes_as_the_window() { return golden::compare(draw(), golden::load("window")).same(); }
};

TEST_F(GoldenComparisonTest, FindsOneChangedNumber) {
  open(1280, 800);
  if (IsSkipped()) return;
  state_.kernels.rows[1].stage.mean += 100;
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, FindsAChangedChoice) {
  open(1280, 800);
  if (IsSkipped()) return;
  settings_.loop = false;
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, FindsAPictureOfAnotherSize) {
  open(1279, 800);
  if (IsSkipped()) return;
  EXPECT_FALSE(passes_as_the_window());
}

}  // namespace
}  // namespace app::ui
