// Images of every alignment are copied into a CUDA array unchanged, and nothing around them is written.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/pictures/canvas.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/surface_array.h"

namespace gpu::test {
namespace {

class SurfaceTest : public NeedsGpu<testing::TestWithParam<Size>> {};

constexpr unsigned pixel_at(int x, int y) { return 0x9E3779B9u * static_cast<unsigned>(y * 8192 + x + 1); }

TEST_P(SurfaceTest, HoldsThePicture) {
  const Size size = GetParam();
  const int stride = size.width + 1;
  for (const int offset : {0, 1}) {  // the first row is aligned to 16 bytes, or not
    std::vector<unsigned> host(static_cast<std::size_t>(offset + stride * size.height));
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) host[static_cast<std::size_t>(offset + y * stride + x)] = pixel_at(x, y);
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
        const unsigned expected = x < size.width && y < size.height ? pixel_at(x, y) : 0xCDCDCDCDu;
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
