// gather_pixels() on the GPU: the rectangle row by row, then the single pixels.
#include "gpu/pictures/pixel_values.h"

#include <vector>

#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

class PixelValuesOnGpuTest : public NeedsGpu<testing::Test> {};

template <class T, class F>
Image<T> filled(Size size, const F& value) {
  const Image<T> here(size, Device::host);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) here.view()(x, y) = value(x, y);
  return test::on_device(here);
}

TEST_F(PixelValuesOnGpuTest, AreThoseOfThePlaces) {
  constexpr Size size{131, 67};
  const auto sum = filled<std::uint32_t>(size,
                                         [](int x, int y) { return 0xf0000000u + static_cast<unsigned>(x + 1000 * y); });
  const auto shown = filled<Rgba>(size, [](int x, int y) {
    return Rgba{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 7, 255};
  });
  const auto gray = filled<std::uint8_t>(size, [](int x, int y) { return static_cast<std::uint8_t>(x ^ y); });
  PixelPlaces places{100, 60, 31, 7, 0, {}};
  places.add(0, 0);
  places.add(130, 66);
  const Stream stream;
  const Buffer<PixelValues> there(static_cast<std::size_t>(places.count()), Device::cuda);
  auto context = Context::on_stream(stream, {});
  gather_pixels(context, {sum.view(), shown.view(), gray.view()}, places, there.data());
  std::vector<PixelValues> values(there.size());
  check(cudaMemcpyAsync(values.data(), there.data(), there.span().size_bytes(), cudaMemcpyDefault, stream));
  check(cudaStreamSynchronize(stream));
  ASSERT_EQ(values.size(), 219u);
  for (int i = 0; i < places.count(); ++i) {
    const auto [x, y] = places.at(i);
    const auto& value = values[static_cast<std::size_t>(i)];
    ASSERT_EQ(value.sum, 0xf0000000u + static_cast<unsigned>(x + 1000 * y)) << i;
    ASSERT_EQ(value.shown.r, x) << i;
    ASSERT_EQ(value.shown.g, y) << i;
    ASSERT_EQ(value.gray, x ^ y) << i;
  }
  EXPECT_EQ(places.at(31), (PixelPlaces::Point{100, 61}));
  EXPECT_EQ(places.at(218), (PixelPlaces::Point{130, 66}));
}

}  // namespace
}  // namespace gpu
