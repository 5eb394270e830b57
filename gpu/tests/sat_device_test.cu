// Every device algorithm, type, parameter, size and content against the reference.
#include "gpu/tests/device_space.cuh"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

class SatDevice : public NeedsGpu<testing::TestWithParam<SatTestCase>> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (const auto why = why_unavailable(*GetParam().algorithm); !IsSkipped() && !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(SatDevice, EqualsReference) {
  SatMatrix<DeviceSpace>(GetParam()).check(layouts(*GetParam().algorithm, ~std::size_t{0}));
}

// Small, but it runs every kernel: for compute-sanitizer, which slows kernels down a hundred times.
TEST_P(SatDevice, Reduced) {
  constexpr std::size_t random_and_all_max = 2;
  SatMatrix<DeviceSpace>(GetParam()).check(reduced_layouts(*GetParam().algorithm), random_and_all_max);
}

INSTANTIATE_TEST_SUITE_P(Every, SatDevice, testing::ValuesIn(sat_test_cases(Device::cuda)),
                         [](const auto& info) { return name(info.param); });

}  // namespace
}  // namespace gpu
