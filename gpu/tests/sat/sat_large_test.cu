// An image of more than 2^31 pixels, and a table of more than 2^33 bytes, against the closed form of its content. Takes tens
// of gigabytes of GPU memory; on GPUs with less the algorithm is skipped.
#include <cstdint>

#include "gpu/tests/device_space.cuh"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

constexpr Size size{65536, 40000};
static_assert(size.pixels() > std::size_t{1} << 31);

// Besides the algorithm's scratch memory: the image, a copy of it, table and reference, and a little.
constexpr std::size_t test_bytes = size.pixels() * (1 + 1 + 4 + 4) + (std::size_t{1} << 28);

class SatLargeTest : public NeedsGpu<testing::TestWithParam<SatTestCase>> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (IsSkipped()) return;
    const auto& algorithm = *GetParam().algorithm;
    std::size_t work = 0, free = 0, total = 0;
    for (const auto& arguments : all_arguments(algorithm)) work = std::max(work, workspace(algorithm, arguments));
    check(cudaMemGetInfo(&free, &total));
    if (test_bytes + work > free)
      GTEST_SKIP() << "needs " << ((test_bytes + work) >> 30) << " GiB of GPU memory, and " << (free >> 30) << " are free";
  }

 private:
  static std::size_t workspace(const SatAlgorithm& algorithm, const Arguments& arguments) {
    auto context = Context::dry(Device::cuda);
    void* nowhere = reinterpret_cast<void*>(std::uintptr_t{1} << 20);
    compute_sat(context, algorithm, AnyImageView(nowhere, size.width, size.height, size.width, ElementType::u8),
                AnyImageView(reinterpret_cast<void*>(std::uintptr_t{1} << 44), size.width, size.height, size.width,
                             ElementType::u32),
                arguments);
    return context.workspace_bytes();
  }
};

// All pixels 255: the sums wrap many times. An impulse past pixel 2^31, which a quarter of the table contains.
TEST_P(SatLargeTest, EqualsTheClosedForm) {
  const Layout layout{size, size.width, size.width};
  constexpr Content impulse{Content::Kind::impulse, size.width - 300, size.height - 200};
  static_assert(std::int64_t{impulse.y} * size.width + impulse.x > std::int64_t{1} << 31);
  SatMatrix<DeviceSpace>(GetParam()).check(layout, {Content{Content::Kind::all_max}, impulse});
}

// Libraries with limits of their own are not tested.
std::vector<SatTestCase> large_cases() {
  auto cases = sat_test_cases(Device::cuda, {SatType::u8_u32});
  std::erase_if(cases, [](const SatTestCase& test) { return test.algorithm->unavailable != nullptr; });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Every, SatLargeTest, testing::ValuesIn(large_cases()), case_name);

}  // namespace
}  // namespace gpu
