// The window, on a real display: see app/tests/CMakeLists.txt.
#include <dlfcn.h>
#include <glad/gl.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <array>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "app/control/imgui_keys.h"
#include "app/display/render_target.h"
#include "app/display/window_input.h"

namespace app {
namespace {

constexpr int width = 800, height = 600;

// Only on the display of the tests: no windows on a developer's desktop, and always Mesa's OpenGL.
bool has_display() { return std::getenv("SATSCOPE_TEST_DISPLAY") != nullptr; }
constexpr const char* no_display = "runs under app/tests/with_display";

class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_display()) GTEST_SKIP() << no_display;
    target_ = open_window(width, height, false);
  }
  std::array<int, 3> pixel(const std::vector<std::uint8_t>& pixels, int x, int y) const {
    const auto at = static_cast<std::size_t>((y * target_->width() + x) * 4);
    return {pixels[at], pixels[at + 1], pixels[at + 2]};
  }

  std::unique_ptr<RenderTarget> target_;
};

TEST_F(WindowTest, ShowsWhatIsDrawn) {
  ASSERT_EQ(target_->width(), width);
  ASSERT_EQ(target_->height(), height);
  for (int frame = 0; frame < 3; ++frame) {
    target_->begin_frame();
    ImGui::GetBackgroundDrawList()->AddRectFilled({10, 20}, {30, 40}, IM_COL32(255, 0, 0, 255));
    if (frame == 2) target_->keep_frame();
    target_->end_frame();
  }
  const auto pixels = target_->read_pixels();
  EXPECT_EQ(pixel(pixels, 20, 30), (std::array{255, 0, 0}));
  EXPECT_NE(pixel(pixels, 20, height - 30), (std::array{255, 0, 0}));
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  EXPECT_FALSE(target_->closing());
}

TEST_F(WindowTest, AFrameNotKeptCannotBeRead) {
  target_->begin_frame();
  target_->end_frame();
  EXPECT_THROW(target_->read_pixels(), std::logic_error);
}

TEST_F(WindowTest, ChangesItsTitleAndVsync) {
  target_->set_title("another title");
  for (const bool vsync : {true, false}) {
    target_->set_vsync(vsync);
    target_->begin_frame();
    target_->end_frame();
  }
  std::string path;
  EXPECT_FALSE(target_->take_dropped(path));
  EXPECT_GE(target_->scale(), 1.0f);
}

TEST_F(WindowTest, OpensAtTheScaleOfTheInterface) {
  for (const double scale : {0.5, 0.75, 1.0, 1.25}) {
    target_.reset();
    target_ = open_window(1200, 720, false, scale);
    EXPECT_EQ(target_->width(), static_cast<int>(1200 * scale)) << scale;
    EXPECT_EQ(target_->height(), static_cast<int>(720 * scale)) << scale;
  }
  target_.reset();
  target_ = open_window(1200, 720, false, 3);
  EXPECT_GE(target_->width(), 1200);
  EXPECT_LT(target_->width(), 3600) << "no longer than the monitor";
  target_.reset();
  target_ = open_window(64, 64, false, 1.25);
  EXPECT_EQ(target_->width(), 1000) << "no smaller than the panels need";
  EXPECT_EQ(target_->height(), 750);
  target_.reset();
  target_ = open_window(8192, 8192, false, 1);
  EXPECT_LT(target_->width(), 8192) << "no longer than the monitor";
  EXPECT_LT(target_->height(), 8192);
}

TEST_F(WindowTest, SaysOnWhichDisplayItIs) {
  target_.reset();
  const auto expected = std::string(std::getenv("DISPLAY")) + " (X11";  // Wayland's name, if any, is behind it
  EXPECT_EQ(require_display().substr(0, expected.size()), expected);
}

template <class Function>
Function xlib(const char* name) {
  return reinterpret_cast<Function>(dlsym(dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD), name));
}

// The request may be a driver's or an input method's. Each kind of them is said once.
TEST_F(WindowTest, ARequestThatTheServerRefusesEndsNothing) {
  bool lost = false;
  target_->when_lost([&] { lost = true; });
  auto* const display = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "glfwGetX11Display"))();
  ASSERT_NE(display, nullptr);
  const auto refused = [&](const char* request) {
    ::testing::internal::CaptureStderr();
    xlib<int (*)(void*, unsigned long)>(request)(display, 1);  // no window has this number
    xlib<int (*)(void*, int)>("XSync")(display, 0);
    return ::testing::internal::GetCapturedStderr();
  };
  const auto said = refused("XMapWindow");
  EXPECT_NE(said.find("an X11 request failed (BadWindow, request 8.0); the window continues"), said.npos) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << "one line";
  EXPECT_EQ(refused("XMapWindow"), "");
  EXPECT_NE(refused("XUnmapWindow"), "");
  EXPECT_FALSE(lost);
  target_->begin_frame();
  target_->end_frame();
  EXPECT_FALSE(target_->closing());
}

TEST_F(WindowTest, KnowsItsMonitorsRate) {
  EXPECT_GE(target_->refresh_rate(), 0);
  EXPECT_LT(target_->refresh_rate(), 1000);
  EXPECT_EQ(target_->refresh_rate(), target_->refresh_rate());
  EXPECT_FALSE(target_->iconified());
  EXPECT_FALSE(target_->context_lost());
}

// Whatever the version of ImGui: its own queue of events, or ours.
TEST_F(WindowTest, TheInputOfASlowFrameIsSeenInItsOrder) {
  std::string seen;
  const auto frame = [&] {
    target_->begin_frame();
    const bool control = ImGui::GetIO().KeyCtrl;
    for (const auto& [key, name] : {std::pair(imgui::KeyCode::p, 'p'), std::pair(imgui::KeyCode::q, 'q')})
      if (imgui::is_pressed(key)) seen += control ? std::string("^") + name : std::string(1, name);
    if (ImGui::IsMouseClicked(0)) seen += '+';
    if (ImGui::IsMouseReleased(0)) seen += '-';
    target_->end_frame();
    target_->wait_for_input(std::chrono::milliseconds(10));
  };
  for (int i = 0; i < 10; ++i) frame();
  // All of it between two frames. The mouse is in the window, which has the keyboard, too, where there is no window manager.
  ASSERT_EQ(std::system("xdotool mousemove 100 100 click 1 key ctrl+p p click 1 key q"), 0);
  for (int i = 0; i < 500 && !seen.ends_with('q'); ++i) frame();
  EXPECT_EQ(seen, "+-^pp+-q");
}

TEST_F(WindowTest, OpensAgainAfterItWasClosed) {
  target_.reset();
  target_ = open_window(width, height, true);
  target_->begin_frame();
  target_->end_frame();
}

// Where a compositor has two pixels per unit of GLFW's: all that the program sees is in pixels.
class WindowOnWaylandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* scale = std::getenv("SATSCOPE_TEST_WAYLAND");
    if (!scale) GTEST_SKIP() << "runs under app/tests/support/with_display --wayland 2";
    scale_ = std::stof(scale);
  }
  // The smallest window, as the screen has room for no more at twice its size.
  std::unique_ptr<RenderTarget> open() const { return open_window(width, height, false, part * scale_); }
  static constexpr double part = 0.75;
  // A window learns its scale when it is shown. Returns the last frame's pixels.
  std::vector<std::uint8_t> show(RenderTarget& target) const {
    for (int frame = 0; frame < 200 && target.scale() != scale_; ++frame) draw(target);
    target.keep_frame();
    draw(target);
    return target.read_pixels();
  }
  static void draw(RenderTarget& target) {
    target.begin_frame();
    const auto& io = ImGui::GetIO();
    EXPECT_EQ(io.DisplaySize.x, static_cast<float>(target.width()));
    EXPECT_EQ(io.DisplaySize.y, static_cast<float>(target.height()));
    EXPECT_EQ(io.DisplayFramebufferScale.x, 1);
    ImGui::GetBackgroundDrawList()->AddRectFilled({10, 20}, {30, 40}, IM_COL32(255, 0, 0, 255));
    target.end_frame();
    target.wait_for_input(std::chrono::milliseconds(10));
  }

  // Moves the mouse to and fro at that pixel of the screen, and draws, until `arrived`, or for some seconds: GLFW does not say
  // where the mouse is when it enters.
  template <typename Arrived>
  static void move_mouse(RenderTarget& target, int x, int y, Arrived arrived) {
    for (int frame = 0; frame < 1000 && !arrived(ImGui::GetIO().MousePos); ++frame) {
      const auto command = "DISPLAY=" + std::string(std::getenv("SATSCOPE_TEST_DISPLAY_BELOW")) + " xdotool mousemove " +
                           std::to_string(x + frame / 10 % 2) + ' ' + std::to_string(y);
      if (frame % 10 == 0) {
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
      }
      draw(target);
    }
  }

  float scale_ = 1;
};

TEST_F(WindowOnWaylandTest, IsAsLargeAsTheScaleSays) {
  EXPECT_EQ(require_display(), std::string(std::getenv("WAYLAND_DISPLAY")) + " (Wayland)");
  const auto target = open();
  const auto pixels = show(*target);
  EXPECT_EQ(target->scale(), scale_);
  ASSERT_EQ(target->width(), static_cast<int>(width * part * scale_));
  ASSERT_EQ(target->height(), static_cast<int>(height * part * scale_));
  const auto red = [&](int x, int y) { return pixels[static_cast<std::size_t>((y * target->width() + x) * 4)] == 255; };
  EXPECT_TRUE(red(29, 39));
  EXPECT_FALSE(red(31, 39));
}

TEST_F(WindowOnWaylandTest, OpensAtTheScaleOfTheInterface) {
  const auto target = open_window(width, height, false, 1);
  show(*target);
  EXPECT_EQ(target->width(), width);
  EXPECT_EQ(target->height(), height);
}

TEST_F(WindowOnWaylandTest, TheMouseIsInPixelsAndNowhereWhenItHasLeft) {
  const auto target = open();
  show(*target);
  target->set_fullscreen(true);
  for (int frame = 0; frame < 500 && target->width() < 1600; ++frame) draw(*target);
  ASSERT_EQ(target->width(), 1600);
  const auto near = [](ImVec2 place) { return std::abs(place.x - 301) <= 2 && std::abs(place.y - 201) <= 2; };
  move_mouse(*target, 301, 201, near);
  EXPECT_TRUE(near(ImGui::GetIO().MousePos)) << ImGui::GetIO().MousePos.x << ' ' << ImGui::GetIO().MousePos.y;

  target->set_fullscreen(false);
  for (int frame = 0; frame < 500 && target->width() == 1600; ++frame) draw(*target);
  const auto nowhere = [](ImVec2 place) { return place.x == -FLT_MAX; };
  move_mouse(*target, 1500, 5, nowhere);  // on the compositor's panel
  draw(*target);
  EXPECT_TRUE(nowhere(ImGui::GetIO().MousePos)) << ImGui::GetIO().MousePos.x << ' ' << ImGui::GetIO().MousePos.y;
}

// Each in its own process, because they change variables that drivers read at the start. `expected`: the message.
int try_window(RenderTargetError::Kind expected) {
  try {
    open_window(width, height, false);
  } catch (const RenderTargetError& error) {
    std::fprintf(stderr, "%s", error.what());
    return error.kind() == expected ? 0 : 1;
  }
  return 2;
}

class WindowFailureTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Where none is named, and where the one that is named is missing.
TEST_F(WindowFailureTest, NoDisplayIsReported) {
  for (const bool named : {false, true}) {
    const auto run = [=] {
      named ? setenv("DISPLAY", ":4711", 1) : unsetenv("DISPLAY");
      unsetenv("WAYLAND_DISPLAY");
      std::exit(try_window(RenderTargetError::Kind::no_display));
    };
    EXPECT_EXIT(run(), ::testing::ExitedWithCode(0),
                named ? "^no display \\(.*4711.*\\)"
                      : "^no display \\(.*DISPLAY.*\\): start from a graphical session, or use --offscreen$");
  }
}

TEST_F(WindowFailureTest, AnOpenglThatIsTooOldIsNamed) {
  if (!has_display()) GTEST_SKIP() << no_display;
  EXPECT_EXIT(
      {
        setenv("MESA_GL_VERSION_OVERRIDE", "2.1", 1);
        std::exit(try_window(RenderTargetError::Kind::opengl_too_old));
      },
      ::testing::ExitedWithCode(0), "OpenGL 3.3 is needed, this display offers 2.1 .*--viewer highgui");
}

// The monitor that a window fills.

constexpr std::array<ScreenRect, 3> screens{{{0, 0, 1920, 1080}, {1920, 0, 2560, 1440}, {-1280, 200, 1280, 1024}}};

TEST(WindowScreenRectTest, TheMonitorWithMostOfTheWindowIsChosen) {
  EXPECT_EQ(largest_overlap({100, 100, 1280, 800}, screens), 0u);
  EXPECT_EQ(largest_overlap({1900, 100, 1280, 800}, screens), 1u);
  EXPECT_EQ(largest_overlap({1000, 100, 1280, 800}, screens), 0u) << "920 of its columns, against 360";
  EXPECT_EQ(largest_overlap({-700, 300, 1280, 800}, screens), 2u) << "left of the primary monitor";
}

TEST(WindowScreenRectTest, AWindowOutsideOfAllHasTheFirst) {
  EXPECT_EQ(largest_overlap({9000, 9000, 1280, 800}, screens), 0u);
  EXPECT_EQ(largest_overlap({}, screens), 0u);
}

}  // namespace

}  // namespace app
