// Composing two pictures on the GPU: the same pixels as by the definition.
#include "gpu/tests/composition_cases.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"

namespace gpu::test {
namespace {

class CompositionOnGpuTest : public NeedsGpu<testing::Test> {};

TEST_F(CompositionOnGpuTest, IsTheSameAsOnTheHost) {
  auto context = Context::on_stream(nullptr, {});
  for (const auto size : composition_sizes) {
    const TwoPictures pictures(size);
    const Image<Rgba> a(size, Device::cuda), b(size, Device::cuda), out(size, Device::cuda);
    const Image<Rgba> here(size, Device::host);
    copy_pixels(pictures.a, a);
    copy_pixels(pictures.b, b);
    for (const auto& composition : compositions()) {
      compose(context, a.view(), b.view(), Canvas{{}, out.view()}, composition);
      check(cudaDeviceSynchronize());
      copy_pixels(out, here);
      pictures.expect_composed(composition, here.view());
    }
  }
}

}  // namespace
}  // namespace gpu::test
