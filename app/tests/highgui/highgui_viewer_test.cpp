// OpenCV's window, on a real display: see app/tests/CMakeLists.txt.
#include "app/highgui/highgui_viewer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace app {
namespace {

TEST(HighguiViewer, shows_pictures_of_every_shape) {
  if (!std::getenv("SATSCOPE_TEST_DISPLAY")) GTEST_SKIP() << "runs under app/tests/support/with_display";
  HighguiViewer viewer("satscope test");
  const std::vector<std::string> lines = {"1r1w_skss_lb  0.012 ms", "box blur  0.020 ms"};
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 4000}, {4000, 1}, {640, 480}, {37, 21}}) {
    const std::vector<gpu::Rgba> pixels(size.pixels(), gpu::Rgba{255, 128, 0, 255});
    EXPECT_TRUE(viewer.show({pixels.data(), size.width, size.height, size.width}, lines));
    EXPECT_EQ(viewer.key(), -1);
  }
}

}  // namespace
}  // namespace app
