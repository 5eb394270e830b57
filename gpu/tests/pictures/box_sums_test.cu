// Sums of boxes on the GPU: those of loops over the pixels.
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/pictures/box_sums_cases.h"

namespace gpu::test {
namespace {

class BoxSumsOnGpuTest : public NeedsGpu<testing::Test> {};

TEST_F(BoxSumsOnGpuTest, AreTheSumsOfThePixels) {
  const Stream stream;
  auto context = Context::on_stream(stream, {});
  expect_box_sums(context, Device::cuda);
}

}  // namespace
}  // namespace gpu::test
