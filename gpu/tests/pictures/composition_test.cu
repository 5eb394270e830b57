// Composing two pictures on the GPU: the same pixels as by the definition.
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/pictures/composition_cases.h"

namespace gpu::test {
namespace {

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

}  // namespace
}  // namespace gpu::test
