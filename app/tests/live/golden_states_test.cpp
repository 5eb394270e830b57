// The window at two scales and three sizes, and each of its states, against golden images. Drawn offscreen, where time goes
// on by the same step each frame.
#include <algorithm>
#include <cmath>
#include <ctime>

#include "app/tests/live/golden_window.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/tests/ui/matrix_example.h"
#include "app/ui/rectangle_overlay.h"

namespace app::ui {
namespace {

class GoldenStatesTest : public GoldenTest {
 protected:
  // A 1280x800 window as the settings and the state say.
  void expect_window(const std::string& name, const Look& look = {}) { expect(name, 1280, 800, look); }
  void expect(const std::string& name, int width, int height, const Look& look) {
    if (on_display()) GTEST_SKIP() << "drawn offscreen";
    open(width, height, look);
    if (IsSkipped()) return;
    ImGui::GetIO().ConfigInputTextCursorBlink = false;
    golden::expect_golden(draw(), name);
  }
};

class GoldenSizesTest : public GoldenStatesTest,
                        public ::testing::WithParamInterface<std::tuple<int, std::pair<int, int>>> {};

TEST_P(GoldenSizesTest, shows_everything) {
  const auto [scale, size] = GetParam();
  const auto [width, height] = size;
  if (scale == 1 && width == 1280) GTEST_SKIP() << "GoldenTest.the_window";
  expect("window_" + std::to_string(width) + "x" + std::to_string(height) + "_scale_" + std::to_string(scale), width * scale,
         height * scale, {static_cast<float>(scale), Theme::dark});
}

INSTANTIATE_TEST_SUITE_P(TwoScales, GoldenSizesTest,
                         ::testing::Combine(::testing::Values(1, 2),
                                            ::testing::Values(std::pair(800, 600), std::pair(1280, 800),
                                                              std::pair(1920, 1080))));

TEST_F(GoldenStatesTest, light_theme) { expect_window("light", {1, Theme::light}); }

TEST_F(GoldenStatesTest, race) {
  settings_.dock = Dock::race;
  settings_.race_a = "host_serial";
  state_.race = example_race();
  expect_window("race");
}

TEST_F(GoldenStatesTest, trace) {
  settings_.dock = Dock::trace;
  settings_.trace_colour = TraceColour::state;
  settings_.trace_play = false;
  show_trace(state_, example_history(), 0.76);
  over_picture_ = [this](const View& view) { draw_tile_trace(view, state_.trace, settings_); };
  expect_window("trace");
}

// Numbers over look-backs.
TEST_F(GoldenStatesTest, trace_as_in_the_paper) {
  settings_.dock = Dock::trace;
  settings_.trace_colour = TraceColour::paper;
  show_trace(state_, example_look_backs(), 3.5 / 6);
  over_picture_ = [this](const View& view) { draw_tile_trace(view, state_.trace, settings_); };
  expect_window("trace_paper");
}

TEST_F(GoldenStatesTest, trace_in_a_small_window) {
  settings_.dock = Dock::trace;
  show_trace(state_, example_look_backs(), 0.5);
  over_picture_ = [this](const View& view) { draw_tile_trace(view, state_.trace, settings_); };
  expect("trace_small", 800, 600, {});
}

TEST_F(GoldenStatesTest, cards) {
  settings_.cards = true;
  settings_.card = "1r1w_skss_lb";
  over_picture_ = [](const View&) { ImGui::GetIO().DeltaTime = 0.6f; };  // the diagram moves on
  expect_window("cards");
}

TEST_F(GoldenStatesTest, rectangle) {
  settings_.rectangle_tool = true;
  const PixelBox box{350, 180, 240, 150};
  ProbedPixels pixels;
  pixels.picture = state_.picture;
  ask_for_corners(box, pixels.places);
  for (const auto entry : {8'123'456u, 21'654'321u, 14'246'810u, 31'415'926u}) pixels.values.push_back({entry, {}, 0});
  const auto sum = rectangle_sum(box, state_.picture, pixels);
  ASSERT_TRUE(sum);
  over_picture_ = [&](const View& view) { draw_rectangle(view, *sum, true); };
  expect_window("rectangle");
}

TEST_F(GoldenStatesTest, compare) {
  settings_.compare = {true, "original", "adaptive_threshold"};
  const auto selection = make_selection(settings_, gpu::Device::host);
  over_picture_ = [&](const View& view) { draw_comparison(view, selection, 0.4); };
  expect_window("compare");
}

TEST_F(GoldenStatesTest, matrix) {
  settings_.source = "matrix:3x2";
  show_matrix(state_);
  expect_window("matrix");
}

TEST_F(GoldenStatesTest, palette) {
  settings_.palette = true;
  expect_window("palette");
}

TEST_F(GoldenStatesTest, file_browser) {
  setenv("TZ", "UTC", 1);
  tzset();
  settings_.browse = true;
  state_.browser.places = {{"Home", "/home/me"}, {"Videos", "/films"}};
  state_.browser.folder = {"/films/old",
                           {{.name = "zoo", .folder = true, .changed = 1'700'000'000},
                            {.name = "alien.mp4", .openable = true, .bytes = 4'321'987'654, .changed = 1'710'000'000},
                            {.name = "brazil.mkv", .openable = true, .bytes = 10, .changed = 1'720'000'000}},
                           ""};
  state_.browser.version = 1;
  expect_window("file_browser");
}

TEST_F(GoldenStatesTest, selected_frames) {
  settings_.graph_range = FrameRange{1150, 1219};
  settings_.graph_pinned = 1180;
  state_.graph.of = {70, 1150, 1219, true};
  FrameFigures figures;
  for (const auto& frame : example_frames())
    if (frame.id >= 1150 && frame.id <= 1219) figures.add(frame);
  summarise(figures, settings_, state_.graph);
  expect_window("selected_frames");
}

}  // namespace
}  // namespace app::ui
