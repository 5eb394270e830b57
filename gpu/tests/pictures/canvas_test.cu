// Images of every alignment are copied into a CUDA array unchanged, and nothing around them is written.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/pictures/canvas.h"
#include "gpu/tests/gpu_test.h"

namespace gpu::test {
namespace {

class SurfaceTest : public NeedsGpu<testing::TestWithParam<Size>> {};

struct ArrayOwner {
  explicit ArrayOwner(Size size) {
    const auto format = cudaCreateChannelDesc<uchar4>();
    check(cudaMallocArray(&array, &format, static_cast<std::size_t>(size.width), static_cast<std::size_t>(size.height),
                          cudaArraySurfaceLoadStore));
  }
  ~ArrayOwner() { cudaFreeArray(array); }
  cudaArray_t array = nullptr;
};

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

    const ArrayOwner owner({size.width + 5, size.height + 1});
    const std::size_t row = static_cast<std::size_t>(size.width + 5) * sizeof(Rgba);
    const std::vector<unsigned char> guard(row * static_cast<std::size_t>(size.height + 1), 0xCD);
    check(cudaMemcpy2DToArray(owner.array, 0, 0, guard.data(), row, row, static_cast<std::size_t>(size.height + 1),
                              cudaMemcpyHostToDevice));
    const Surface surface(owner.array);
    auto context = Context::on_stream(nullptr, {});
    copy_to_surface(context, "copy", {there.data() + offset, size.width, size.height, stride}, surface);

    std::vector<unsigned> seen(guard.size() / sizeof(unsigned));
    check(cudaMemcpy2DFromArray(seen.data(), row, owner.array, 0, 0, row, static_cast<std::size_t>(size.height + 1),
                                cudaMemcpyDeviceToHost));
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
