// The pictures of all levels on a GPU, real or simulated: those of resize_rows().
#include "gpu/vision/window_search.h"

#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/effects/effect_support.h"
#include "gpu/tests/gpu_test.h"

namespace gpu::vision {
namespace {

class PyramidTest : public NeedsGpu<testing::Test> {};

void check_pyramid(Size frame, Size window, const LevelOptions& options) {
  const auto picture = test::HostFrame::noise(frame, 7);
  const auto gray = test::on_device(picture.gray);
  const auto levels = levels_of(frame, window, options);
  const auto plan = plan_pyramid(frame, levels, window.width);
  const auto places = test::on_device(plan.places);
  const auto blends = test::on_device(plan.blends);
  const auto parts = test::on_device(plan.parts);
  const Buffer<std::uint32_t> quads(frame.pixels(), Device::cuda), counters(4, Device::cuda);
  const Buffer<std::uint8_t> pixels(plan.pixel_bytes, Device::cuda);
  check(cudaMemset(pixels.data(), 0xcd, plan.pixel_bytes));
  check(cudaMemset(counters.data(), 0xcd, 16));
  auto context = Context::on_stream(nullptr, {});
  const Pyramid pyramid{frame,        places.data(), blends.data(), parts.data(), static_cast<unsigned>(plan.parts.size()),
                        quads.data(), pixels.data()};
  queue_pyramid(context, gray.view(), pyramid, counters.data(), 3);

  const auto here = test::from_device(pixels);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto size = levels[k].size;
    const auto& place = plan.places[k];
    const Image<std::uint8_t> expected(size, Device::host);
    resize_rows(picture.gray.view(), blends_of(frame.width, size.width), blends_of(frame.height, size.height),
                expected.view());
    for (int y = 0; y < size.height; ++y) {
      const auto* row = here.data() + place.first_pixel + static_cast<std::size_t>(y) * place.pitch;
      for (int x = 0; x < size.width; ++x)
        ASSERT_EQ(row[1 + x], expected.view()(x, y))
            << "level " << k << " of " << size.width << "x" << size.height << " at " << x << "," << y;
    }
  }
  EXPECT_EQ(test::from_device(counters), (std::vector<std::uint32_t>{0, 0, 0, 0xcdcdcdcd}));
}

TEST_F(PyramidTest, EveryLevelIsExact) {
  for (const auto frame : {Size{97, 83}, Size{20, 20}, Size{301, 25}, Size{23, 270}, Size{128, 64}}) {
    SCOPED_TRACE(std::to_string(frame.width) + "x" + std::to_string(frame.height));
    check_pyramid(frame, {20, 20}, {.scale_factor = 1.1});
  }
}

TEST_F(PyramidTest, EveryScaleFactorIsExact) {
  for (const double factor : {1.03, 1.3, 2.5}) {
    SCOPED_TRACE(factor);
    check_pyramid({143, 111}, {13, 9}, {.scale_factor = factor});
  }
}

TEST_F(PyramidTest, ItsKernelsTakeOneLaunchEach) {
  auto dry = Context::dry(Device::cuda);
  const Size frame{640, 360};
  const auto plan = plan_pyramid(frame, levels_of(frame, {20, 20}, {}), 20);
  queue_pyramid(dry, view_without_memory<const std::uint8_t>(frame),
                {frame, {}, {}, {}, static_cast<unsigned>(plan.parts.size()), {}, {}}, nullptr, 3);
  EXPECT_EQ(dry.launches().size(), 2u);
}

}  // namespace
}  // namespace gpu::vision
