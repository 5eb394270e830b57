// The whole window, drawn offscreen by Mesa's llvmpipe from fixed values, against golden images.
#include "app/tests/live/golden_window.h"
#include "app/tests/live/running_program.h"

namespace app::ui {
namespace {

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
  using enum Message::Kind;
  state_.messages = {{info, "Saved satscope-out/screenshot-1.png", 1.5},
                     {warning, "this effect needs a window no larger than the picture: 4001x15 is wider", 1},
                     {error, "the disk is full: the export was not written; choose another place", 0.2}};
  open(960, 600);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "messages");
}

TEST_F(GoldenTest, a_source_that_failed) {
  state_ = State{};
  state_.selection = make_selection(settings_, gpu::Device::host);
  state_.cuda_unavailable = "no NVIDIA driver is loaded";
  state_.capture.phase = capture::Status::Phase::failed;
  state_.capture.message = "No such file: lobby.mp4. Check the name, or open a camera, a URL or synthetic";
  open(1280, 800);
  if (IsSkipped()) return;
  golden::expect_golden(draw(), "failed_source");
}

TEST_F(GoldenTest, the_list_of_algorithms_explains_why_some_are_disabled) {
  state_.no_simulated = "it is not built";
  open(1280, 800);
  if (IsSkipped()) return;
  if (on_display()) GTEST_SKIP() << "a window has a mouse of its own; offscreen this is compared";
  draw();
  for (const bool down : {false, true, false}) mouse(200, 290, down);
  for (int frame = 0; frame < 3; ++frame) mouse(200, 183, false);  // at a CUDA algorithm
  golden::expect_golden(golden::read(*target_), "algorithm_list");
}

TEST_F(GoldenTest, a_frame_is_inspected_while_recording) {
  state_.recording = true;
  state_.recorded_seconds = 83.4;
  open(1280, 800);
  if (IsSkipped()) return;
  if (on_display()) GTEST_SKIP() << "a window has a mouse of its own; offscreen this is compared";
  draw();
  for (int frame = 0; frame < 3; ++frame) mouse(1089, 700, false);
  golden::expect_golden(golden::read(*target_), "inspected_frame");
}

// The same annotations over a fitted and over an enlarged picture: lines and letters are equally fine.
class GoldenAnnotationsTest : public GoldenTest {
 protected:
  cv::Mat annotated(double zoom, Point centre) {
    gpu::Annotation part, outline, label, line;
    outline.x0 = 40, outline.y0 = 30, outline.x1 = 80, outline.y1 = 60;
    part = outline;
    part.x1 = 60, part.stroke.a = 0, part.fill = {60, 160, 255, 112};
    label = outline;
    label.kind = gpu::Annotation::Kind::label, label.has = gpu::Annotation::Value::signed_number, label.value = -4071;
    line = outline;
    line.kind = gpu::Annotation::Kind::line, line.stroke = {255, 170, 60, 255};
    const std::vector annotations{part, outline, line, label};
    for (int frame = 0; frame < 3; ++frame) {
      target_->begin_frame();
      const auto area = layout(settings_, target_->width(), target_->height()).picture;
      draw_picture(area);
      draw_annotations({zoom, centre, {160, 120}, {area.x, area.y, area.width, area.height}}, annotations);
      panels_.draw(state_, settings_);
      target_->keep_frame();
      target_->end_frame();
    }
    return golden::read(*target_);
  }
};

TEST_F(GoldenAnnotationsTest, lie_over_the_picture_at_any_zoom) {
  settings_.panels = false;
  state_.messages.clear();
  open(960, 600);
  if (IsSkipped()) return;
  golden::expect_golden(annotated(0, {0.5, 0.5}), "annotations");
  golden::expect_golden(annotated(20, {0.45, 0.45}), "annotations_zoomed");
}

// The comparison itself: small differences must not pass.
class GoldenComparisonTest : public GoldenTest {
 protected:
  bool passes_as_the_window() { return golden::compare(draw(), golden::load("window")).same(); }
};

TEST_F(GoldenComparisonTest, finds_one_changed_number) {
  open(1280, 800);
  if (IsSkipped()) return;
  state_.kernels.rows[1].stage.mean += 100;
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
  state_.graph.history = nullptr;
  EXPECT_FALSE(passes_as_the_window());
}

TEST_F(GoldenComparisonTest, finds_a_picture_of_another_size) {
  open(1279, 800);
  if (IsSkipped()) return;
  EXPECT_FALSE(passes_as_the_window());
}

// The program itself, on a still image. Its measurements differ each time and are not compared.
TEST(GoldenProgramTest, shows_an_image_and_its_choices) {
  if (!std::getenv("SATSCOPE_TEST_DISPLAY")) GTEST_SKIP() << "runs under app/tests/support/with_display";
  if (std::system("command -v xdotool >/dev/null") != 0) GTEST_SKIP() << "xdotool is missing (apt-get install xdotool)";
  const auto image = std::string(SATSCOPE_SOURCE_ASSETS) + "/astronaut.png";
  testing::RunningProgram program(
      {"--no-config", "--compare", "off", "--device", "host", "--effect", "adaptive_threshold", image});
  ASSERT_TRUE(program.ready()) << program.output();
  const auto compared = [&] {
    const auto window = program.screenshot();
    if (!window) return cv::Mat();
    cv::Mat parts = cv::Mat::zeros(window->size(), window->type());
    for (const auto& part : {cv::Rect(320, 42, 960, 280), cv::Rect(0, 240, 320, 420)})  // the picture, the choices
      (*window)(part).copyTo(parts(part));
    return parts;
  };
  cv::Mat shown;
  const auto is_there = [&] { return golden::compare(shown = compared(), golden::load("program")).same(); };
  testing::wait_for(is_there);  // the source opens behind the window
  golden::expect_golden(shown, "program");
}

}  // namespace
}  // namespace app::ui
