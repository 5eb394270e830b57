// On the GPU: sums of boxes are those of loops over the pixels, composed pictures those of the definition; gather_pixels() takes the
// rectangle row by row, then the single pixels; images of every alignment are copied into a CUDA array unchanged, and nothing around
// them is written.
#include <cstring>
#include <vector>

#include "gpu/pictures/pixel_values.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/pictures/box_sums_cases.h"
#include "gpu/tests/pictures/composition_cases.h"
#include "gpu/tests/surface_array.h"

namespace gpu::test {
namespace {

class BoxSumsOnGpuTest : public NeedsGpu<testing::Test> {};

TEST_F(BoxSumsOnGpuTest, AreTheSumsOfThePixels) {
  const Stream stream;
  auto context = Context::on_stream(stream, {});
  expect_box_sums(context, Device::cuda);
}

class CompositionOnGpuTest : public NeedsGpu<testing::Test> {};

TEST_F(CompositionOnGpuTest, IsTheSameAsOnTheHost) {
  auto context = Context::on_stream(nullptr, {});
  for (const auto size : composition_sizes) {
    const TwoPictures pictures(size);
    const auto a = on_device(pictures.a), b = on_device(pictures.b);
    const Image<Rgba> out(size, Device::cuda), here(size, Device::host);
    pictures.expect_all_drawn(context, a.view(), b.view(), Canvas{{}, out.view()}, [&] {
      check(cudaDeviceSynchronize());
      copy_pixels(out, here);
      return here.view();
    });
  }
}

class PixelValuesOnGpuTest : public NeedsGpu<testing::Test> {};

template <class T, class F>
Image<T> filled(Size size, const F& value) {
  const Image<T> here(size, Device::host);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) here.view()(x, y) = value(x, y);
  return on_device(here);
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
  check(cudaStreamSynchronize(stream));
  const auto values = from_device(there);
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

class SurfaceTest : public NeedsGpu<testing::TestWithParam<Size>> {};

constexpr unsigned colour_at(int x, int y) { return 0x9E3779B9u * static_cast<unsigned>(y * 8192 + x + 1); }

TEST_P(SurfaceTest, HoldsThePicture) {
  const Size size = GetParam();
  const int stride = size.width + 1;
  for (const int offset : {0, 1}) {  // the first row is aligned to 16 bytes, or not
    std::vector<unsigned> host(static_cast<std::size_t>(offset + stride * size.height));
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) host[static_cast<std::size_t>(offset + y * stride + x)] = colour_at(x, y);
    const Buffer<Rgba> there(host.size(), Device::cuda);
    check(cudaMemcpy(there.data(), host.data(), host.size() * sizeof(Rgba), cudaMemcpyHostToDevice));

    const SurfaceArray array({size.width + 5, size.height + 1});
    array.fill(0xCD);
    auto context = Context::on_stream(nullptr, {});
    copy_to_surface(context, "copy", {there.data() + offset, size.width, size.height, stride}, array.surface());

    const auto bytes = array.bytes();
    std::vector<unsigned> seen(bytes.size() / sizeof(unsigned));
    std::memcpy(seen.data(), bytes.data(), bytes.size());
    for (int y = 0; y <= size.height; ++y)
      for (int x = 0; x < size.width + 5; ++x) {
        const unsigned expected = x < size.width && y < size.height ? colour_at(x, y) : 0xCDCDCDCDu;
        ASSERT_EQ(seen[static_cast<std::size_t>(y * (size.width + 5) + x)], expected)
            << x << "," << y << ", offset " << offset;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SurfaceTest,
                         testing::Values(Size{1, 1}, Size{3, 2}, Size{4, 1}, Size{127, 9}, Size{131, 8}, Size{1920, 17},
                                         Size{1, 4000}, Size{4000, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.width) + "x" + std::to_string(info.param.height);
                         });

}  // namespace
}  // namespace gpu::test
