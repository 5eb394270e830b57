// Values of pixels of the picture shown.
#include "app/pipeline/pixel_probe.h"

#include <gtest/gtest.h>

#include "app/pipeline/pipeline.h"
#include "app/support/simulated_gpu.h"
#include "app/tests/pipeline/frames.h"

namespace app {
namespace {

constexpr gpu::Size picture_size{70, 50};

void expect_values(gpu::Device device, const char* algorithm) {
  Pipeline pipeline(device);
  pipeline.process(noise_frame(picture_size, 2), selection_of(algorithm, "box_blur", device));
  const auto picture = pipeline.picture();
  gpu::PixelPlaces places{.x = 60, .y = -3, .width = 20, .height = 10, .points = 0, .point = {}};  // partly outside
  places.add(0, 49);
  places.add(70, 0);  // outside
  PixelProbe probe;
  probe.update(pipeline.context(), picture, 1, places);
  const auto& pixels = probe.pixels();
  EXPECT_EQ(pixels.picture, picture_size);
  ASSERT_EQ(pixels.places.cells(), 10 * 7);
  EXPECT_EQ(pixels.at(70, 0), nullptr);
  EXPECT_EQ(pixels.at(59, 0), nullptr);
  for (const auto& [x, y] : {std::pair{60, 0}, {69, 6}, {64, 3}, {0, 49}}) {
    const auto* values = pixels.at(x, y);
    ASSERT_TRUE(values) << x << "," << y;
    EXPECT_EQ(values->sum, picture.sat(x, y));
    EXPECT_EQ(values->gray, picture.gray(x, y));
    EXPECT_EQ(values->shown.r, picture.pixels.view()(x, y).r);
  }
  probe.update(pipeline.context(), picture, 1, {});
  EXPECT_TRUE(probe.pixels().values.empty());
}

TEST(PixelProbeTest, ReadsTheHostsPictures) { expect_values(gpu::Device::host, "host_parallel"); }

TEST(PixelProbeTest, ReadsThoseOfTheSimulatedGpu) {
  if (!simulated_gpu_is_loaded() && !find_simulated_gpu(gpu::simulated::Build::plain).driver)
    GTEST_SKIP() << "the simulated GPU is not built";
  expect_values(gpu::Device::simulated, "2r1w");
}

TEST(PixelProbeTest, TooManyCellsAreNotRead) {
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(noise_frame({100, 100}), selection_of("host_serial", "none"));
  PixelProbe probe;
  probe.update(pipeline.context(), pipeline.picture(), 1,
               {.x = 0, .y = 0, .width = 100, .height = 41, .points = 0, .point = {}});
  EXPECT_TRUE(probe.pixels().values.empty());
}

}  // namespace
}  // namespace app
