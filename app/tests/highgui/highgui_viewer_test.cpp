// OpenCV's window, on a real display: see app/tests/CMakeLists.txt.
#include "app/highgui/highgui_app.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "app/display/render_target.h"

namespace app {
namespace {

TEST(HighguiViewerTest, ShowsPicturesOfEveryShape) {
  if (!std::getenv("SATSCOPE_TEST_DISPLAY")) GTEST_SKIP() << "runs under app/tests/support/with_display";
  HighguiViewer viewer("satscope test");
  const std::vector<std::string> lines = {"1r1w_skss_lb  0.012 ms", "box blur  0.020 ms"};
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 4000}, {4000, 1}, {640, 480}, {37, 21}}) {
    const std::vector<gpu::Rgba> pixels(size.pixels(), gpu::Rgba{255, 128, 0, 255});
    EXPECT_TRUE(viewer.show({pixels.data(), size.width, size.height, size.width}, lines));
    EXPECT_EQ(viewer.key(), -1);
  }
}

// In its own process, because variables that the toolkit reads at its start change.
TEST(HighguiViewerFailureTest, NoDisplayIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        unsetenv("DISPLAY");
        unsetenv("WAYLAND_DISPLAY");
        unsetenv("QT_QPA_PLATFORM");
        try {
          HighguiViewer viewer("satscope");
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
