// The session in OpenCV's window, with a window that presses keys: no display is needed.
#include "app/highgui/highgui_app.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "app/display/render_target.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

// A key for each frame once there is a picture; after the last one the user closes the window.
class PressedKeys : public HighguiWindow {
 public:
  // `lines`: gets those that are shown last.
  explicit PressedKeys(std::string_view& keys, std::vector<std::string>* lines = nullptr) : keys_(keys), lines_(lines) {}
  bool show(gpu::ImageView<const gpu::Rgba>, std::span<const std::string> lines) override {
    shown_ = true;
    if (lines_) lines_->assign(lines.begin(), lines.end());
    return !keys_.empty();
  }
  int key() override {
    if (!shown_ || keys_.empty()) return -1;
    const int key = keys_.front();
    keys_.remove_prefix(1);
    return key;
  }

 private:
  std::string_view& keys_;
  bool shown_ = false;
  std::vector<std::string>* lines_;
};

// Any other key is a no to the question whether to quit.
TEST(HighguiAppTest, WhileSomethingIsRecordedQuittingIsAskedAgainAfterANo) {
  const TemporaryFolder folder;
  app::Run run;
  run.record = folder.path() / "video.mp4";
  std::string_view keys = "qhqhqqh";
  HighguiApp app(std::make_unique<PressedKeys>(keys), host_settings("synthetic:64x48"), {{}, "no driver"}, run);
  EXPECT_EQ(app.run(), ExitCode::ok);
  EXPECT_EQ(keys, "h");
  EXPECT_TRUE(std::filesystem::exists(*run.record));
}

TEST(HighguiAppTest, WhatATurnThrowsCostsThatTurn) {
  class FailsSometimes : public PressedKeys {
   public:
    using PressedKeys::PressedKeys;
    int key() override {
      if (++turns_ % 3 == 0) throw std::runtime_error("planted");
      return PressedKeys::key();
    }

   private:
    int turns_ = 0;
  };
  const TemporaryFolder folder;
  app::Run run;
  run.record = folder.path() / "video.mp4";
  std::string_view keys = "hhhhhhhqq";
  HighguiApp app(std::make_unique<FailsSometimes>(keys), host_settings("synthetic:64x48"), {{}, "no driver"}, run);
  EXPECT_EQ(app.run(), ExitCode::ok);
  EXPECT_EQ(keys, "");
  EXPECT_TRUE(std::filesystem::exists(*run.record));
}

TEST(HighguiAppTest, MessagesAreShownAlsoWhereTheFiguresAreHidden) {
  for (const bool panels : {false, true}) {
    const TemporaryFolder folder;
    app::Run run;
    run.record = folder.path() / "video.mp4";
    auto settings = host_settings("synthetic:64x48");
    settings.panels = panels;
    std::string_view keys = "qz";
    std::vector<std::string> lines;
    HighguiApp app(std::make_unique<PressedKeys>(keys, &lines), settings, {{}, "no driver"}, run);
    app.run();
    const auto said = [&](std::string_view text) {
      return std::ranges::any_of(lines, [&](const auto& line) { return line.starts_with(text); });
    };
    EXPECT_TRUE(said("recording: Q, Ctrl+Q once more") || said("recording: Q once more")) << panels;
    EXPECT_EQ(said("recording, "), panels);
  }
}

TEST(HighguiAppTest, TheListOfKeysStandsInPlaceOfTheFigures) {
  for (const bool help : {false, true}) {
    auto settings = host_settings("synthetic:64x48");
    settings.help = help;
    std::string_view keys = "zz";  // of nothing
    std::vector<std::string> lines;
    HighguiApp app(std::make_unique<PressedKeys>(keys, &lines), settings, {{}, "no driver"}, app::Run{});
    app.run();
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.front() == highgui_help().front(), help) << lines.front();
    EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.find(" fps, ") != line.npos; }), help ? 0 : 1);
  }
}

// OpenCV's window, on a real display: see app/tests/CMakeLists.txt.
TEST(HighguiAppWindowTest, ShowsPicturesOfEveryShape) {
  if (!std::getenv("SATSCOPE_TEST_DISPLAY")) GTEST_SKIP() << "runs under app/tests/support/with_display";
  const auto window = open_highgui_window("satscope test");
  const std::vector<std::string> lines = {"1r1w_skss_lb  0.012 ms", "box blur  0.020 ms"};
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 4000}, {4000, 1}, {640, 480}, {37, 21}}) {
    const std::vector<gpu::Rgba> pixels(size.pixels(), gpu::Rgba{255, 128, 0, 255});
    EXPECT_TRUE(window->show({pixels.data(), size.width, size.height, size.width}, lines));
    EXPECT_EQ(window->key(), -1);
  }
}

// In its own process, because variables that the toolkit reads at its start change.
TEST(HighguiAppWindowFailureTest, NoDisplayIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        unsetenv("DISPLAY");
        unsetenv("WAYLAND_DISPLAY");
        unsetenv("QT_QPA_PLATFORM");
        try {
          open_highgui_window("satscope");
        } catch (const RenderTargetError& error) {
          std::fprintf(stderr, "%s", error.what());
          std::exit(error.kind() == RenderTargetError::Kind::no_display ? 0 : 1);
        }
        std::exit(2);
      },
      ::testing::ExitedWithCode(0), "^no display ");
}

}  // namespace
}  // namespace app
