// Every device algorithm, type, parameter, size and content against the reference.
#include <vector>

#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/device_space.cuh"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

class SatDeviceTest : public NeedsGpu<testing::TestWithParam<SatTestCase>> {
 protected:
  void SetUp() override {
    NeedsGpu::SetUp();
    if (const auto why = why_unavailable(*GetParam().algorithm); !IsSkipped() && !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(SatDeviceTest, EqualsReference) {
  SatMatrix<DeviceSpace>(GetParam()).check(layouts(*GetParam().algorithm, ~std::size_t{0}));
}

// For compute-sanitizer, which slows kernels down greatly: the tests called Reduced together run every kernel, on small
// images if possible. Random pixels are enough: what is accessed does not depend on them.
constexpr std::size_t random_only = 1;
TEST_P(SatDeviceTest, Reduced) {
  SatMatrix<DeviceSpace>(GetParam()).check(reduced_layouts(*GetParam().algorithm), random_only);
}
using SatDeviceLongTest = SatDeviceTest;
TEST_P(SatDeviceLongTest, Reduced) {
  SatMatrix<DeviceSpace>(GetParam()).check(reduced_long_layouts(GetParam()), random_only);
}

// Rounding errors grow most visibly in sums of numbers of one sign.
using SatDeviceFloatTest = SatDeviceTest;
TEST_P(SatDeviceFloatTest, KeepsToTheErrorBound) {
  for (const Layout& layout : {Layout{{4112, 4112}, 4112, 4112}, Layout{{9000, 1500}, 9000, 9000}})
    SatMatrix<DeviceSpace>(GetParam()).check(layout, {Content::Kind::positive});
}

using SatDeviceThinTest = SatDeviceTest;
TEST_P(SatDeviceThinTest, EqualsReference) {
  for (const auto& layout : thin_layouts(*GetParam().algorithm))
    SatMatrix<DeviceSpace>(GetParam()).check(layout, {Content::Kind::random});
}

// With no more shared memory and multiprocessors than smaller GPUs have, some algorithms run other kernels, or in other
// shapes.
class SmallerGpu : public DeviceSpace {
 public:
  static inline GpuLimits limits;
  Context context(std::span<std::byte> workspace) {
    auto context = DeviceSpace::context(workspace);
    context.set_limits(limits);
    return context;
  }
};

TEST_P(SatDeviceTest, OnSmallerGpus) {
  constexpr std::size_t random_and_all_max = 2;
  auto sizes = reduced_layouts(*GetParam().algorithm);
  sizes.push_back({{1000, 1021}, 1024, 1024});
  sizes.push_back({{16400, 33}, 16640, 16640});
  std::vector<GpuLimits> gpus;
  for (const std::size_t shared_bytes : shared_sizes) gpus.push_back({.shared_bytes = shared_bytes});
  for (const int multiprocessors : {1, 20}) gpus.push_back({.multiprocessors = multiprocessors});
  for (const auto& limits : gpus) {
    SCOPED_TRACE(std::to_string(limits.multiprocessors) + " multiprocessors, " + std::to_string(limits.shared_bytes));
    SmallerGpu::limits = limits;
    SatMatrix<SmallerGpu>(GetParam()).check(sizes, random_and_all_max);
  }
}

// Whole tiles, at least in width, and partial ones.
using SatDeviceAlignmentTest = SatDeviceTest;
TEST_P(SatDeviceAlignmentTest, RowsOfEveryAlignment) {
  SatMatrix<DeviceSpace>(GetParam()).check(aligned_layouts(GetParam().type, {290, 19}), random_only);
}

// With one multiprocessor a small image is a large one: it has more tiles, or rows, than run at once.
TEST_P(SatDeviceTest, OnOneMultiprocessor) {
  SmallerGpu::limits = {.multiprocessors = 1};
  SatMatrix<SmallerGpu>(GetParam()).check({{301, 271}, 304, 304}, {Content::Kind::random});
}

// For compute-sanitizer, the kernels that only smaller GPUs run.
constexpr auto least_shared_bytes = *(std::end(shared_sizes) - 1);
using SatDeviceSmallTest = SatDeviceTest;
TEST_P(SatDeviceSmallTest, Reduced) {
  SmallerGpu::limits = {.multiprocessors = 1, .shared_bytes = least_shared_bytes};
  SatMatrix<SmallerGpu>(GetParam()).check({{259, 515}, 262, 264, 1, 1}, {Content::Kind::random});
}

INSTANTIATE_TEST_SUITE_P(Every, SatDeviceTest, testing::ValuesIn(sat_test_cases(Device::cuda)), case_name);

// The simulated GPU is slow: bytes have most alignments, and pixels of 16 bits and sums of 8 bytes take other paths.
std::vector<SatTestCase> alignment_cases() {
#ifdef SATSCOPE_SIMULATED
  return sat_test_cases(Device::cuda, {SatType::u8_u32, SatType::u16_u32, SatType::f64_f64});
#else
  return sat_test_cases(Device::cuda);
#endif
}
INSTANTIATE_TEST_SUITE_P(Every, SatDeviceAlignmentTest, testing::ValuesIn(alignment_cases()), case_name);

INSTANTIATE_TEST_SUITE_P(Every, SatDeviceFloatTest,
                         testing::ValuesIn(sat_test_cases(Device::cuda, {SatType::f32_f32, SatType::f64_f64})), case_name);
INSTANTIATE_TEST_SUITE_P(Every, SatDeviceThinTest, testing::ValuesIn(sat_test_cases(Device::cuda, {SatType::u8_u32})),
                         case_name);

std::vector<SatTestCase> long_cases() {
  auto cases = sat_test_cases(Device::cuda);
  std::erase_if(cases, [](const SatTestCase& test) { return reduced_long_layouts(test).empty(); });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Every, SatDeviceLongTest, testing::ValuesIn(long_cases()), case_name);

// Sums of 8 bytes need the most memory.
std::vector<SatTestCase> small_cases() {
  auto cases = sat_test_cases(Device::cuda, {SatType::f64_f64});
  std::erase_if(cases, [](const SatTestCase& test) {
    auto reduced = reduced_layouts(*test.algorithm);
    const auto small = kernels(test, reduced, least_shared_bytes);
    const auto more = reduced_long_layouts(test);
    reduced.insert(reduced.end(), more.begin(), more.end());
    const auto usual = kernels(test, reduced);
    return std::includes(usual.begin(), usual.end(), small.begin(), small.end());
  });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Every, SatDeviceSmallTest, testing::ValuesIn(small_cases()), case_name);

}  // namespace
}  // namespace gpu
