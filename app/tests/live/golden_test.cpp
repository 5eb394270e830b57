// The whole window, drawn by Mesa's llvmpipe from fixed values, against golden images: what only a picture shows. Texts, places
// and what a click does are checked without one, in ui/.
#include <gtest/gtest.h>
#include <imgui.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "app/display/render_target.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/ui_example.h"
#include "app/ui/rectangle.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

// Other CPUs round a few pixels of a letter's edge differently; a changed digit is dozens of pixels.
constexpr int level_tolerance = 24;
constexpr double allowed_share = 0.00002;

struct Difference {
  int pixels = 0;    // that differ by more than level_tolerance in some channel
  double share = 1;  // of all pixels
  cv::Mat image;     // white where they differ, over the darkened actual image
  bool same() const { return share <= allowed_share; }
};

// An image of another size differs everywhere.
Difference difference_of(const cv::Mat& actual, const cv::Mat& expected) {
  if (expected.empty() || actual.size() != expected.size()) return {static_cast<int>(actual.total()), 1, actual};
  cv::Mat distance, worst, mask;
  cv::absdiff(actual, expected, distance);
  std::vector<cv::Mat> channels;
  cv::split(distance, channels);
  worst = cv::max(cv::max(channels[0], channels[1]), channels[2]);
  mask = worst > level_tolerance;
  Difference difference{cv::countNonZero(mask), 0, actual * 0.25};
  difference.share = difference.pixels / static_cast<double>(actual.total());
  difference.image.setTo(cv::Scalar(255, 255, 255), mask);
  return difference;
}

cv::Mat read(const RenderTarget& surface) {
  auto pixels = surface.read_pixels();
  const cv::Mat rgba(surface.height(), surface.width(), CV_8UC4, pixels.data());
  cv::Mat bgr;
  cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
  return bgr;
}

// In steps of 8 levels, which are far below level_tolerance: the files have two thirds of the bytes.
cv::Mat coarse(const cv::Mat& image) {
  cv::Mat steps, result;
  image.convertTo(steps, CV_8U, 1.0 / 8);
  steps.convertTo(result, CV_8U, 8);
  return result;
}

cv::Mat load(const std::string& name) { return cv::imread(std::string(SATSCOPE_GOLDEN) + "/" + name + ".png"); }

// Fails if `actual` is not the golden image `name`, and writes what was drawn and the difference, for inspection. With
// SATSCOPE_UPDATE_GOLDEN=1 `actual` in coarse levels becomes the golden image
// instead.
void expect_golden(const cv::Mat& actual, const std::string& name) {
  const auto path = std::string(SATSCOPE_GOLDEN) + "/" + name + ".png";
  if (const char* update = std::getenv("SATSCOPE_UPDATE_GOLDEN"); update && std::string(update) == "1") {
    ASSERT_TRUE(cv::imwrite(path, coarse(actual), {cv::IMWRITE_PNG_COMPRESSION, 9})) << path;
    return;
  }
  const auto difference = difference_of(actual, load(name));
  if (difference.same()) return;
  const std::filesystem::path out = SATSCOPE_GOLDEN_OUT;
  std::filesystem::create_directories(out);
  cv::imwrite((out / (name + ".actual.png")).string(), actual);
  cv::imwrite((out / (name + ".difference.png")).string(), difference.image);
  ADD_FAILURE() << name << ": " << difference.pixels << " pixels differ from " << path << "; see " << out.string() << "/"
                << name << ".*.png. If the change is intended: SATSCOPE_UPDATE_GOLDEN=1";
}

// A substitute for a camera's picture: a few shapes, flat, so that golden images are small files.
void draw_picture(const Rect& rect) {
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
    return read(*target_);
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
    expect_golden(draw(), name);
  }
  void compare() {
    settings_.compare = {true, "original", "adaptive_threshold"};
    state_.selection = make_selection(settings_, gpu::Device::host);
    over_picture_ = [this](const View& view) {
      state_.notes = draw_comparison(view, state_.selection, 0.4);
      state_.wipe_handle = wipe_handle(view, state_.selection, 0.4);
    };
  }
  // Annotations of every kind: filled in part, outlined, a line, a label.
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
  expect_golden(draw(), "window");
}

TEST_F(GoldenStatesTest, LightTheme) { expect("light", {1, Theme::light}); }

TEST_F(GoldenStatesTest, TheFirstStart) {
  compare();
  settings_.hints = true;
  expect("welcome");
}

TEST_F(GoldenStatesTest, PictureAloneWithAnnotations) {
  settings_.panels = false;
  over_picture_ = [](const View& view) { draw_annotations(view, annotations()); };
  expect("alone");
}

TEST_F(GoldenStatesTest, Measure) {
  settings_.dock_open = true;
  expect("measure");
}

TEST_F(GoldenStatesTest, Preferences) {
  settings_.preferences = true;
  expect("preferences");
}

TEST_F(GoldenStatesTest, SaveMenu) {
  settings_.export_menu = true;
  expect("save");
}

TEST_F(GoldenStatesTest, Race) {
  settings_.dock = Dock::race;
  settings_.dock_open = true;
  state_.race = example_race();
  expect("race");
}

TEST_F(GoldenStatesTest, Trace) {
  settings_.dock = Dock::tiles;
  settings_.dock_open = true;
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
  bool passes_as_the_window() { return difference_of(draw(), load("window")).same(); }
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
