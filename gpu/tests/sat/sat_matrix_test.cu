// What the matrix of sat_matrix.h relies on: it finds a fault of every kind, and says where; DeviceMemory sees every changed
// byte; and the reference of a device is that of the host.
#include <gtest/gtest-spi.h>

#include <cmath>
#include <cstring>

#include "gpu/sat.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/device_space.cuh"
#include "gpu/tests/gpu_test.h"

namespace gpu {
namespace {

// Every entry from its definition.
__global__ void add_rectangles(ImageView<const std::uint8_t> image, ImageView<std::uint32_t> table) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  std::uint32_t sum = 0;
  for (int j = 0; j <= y; ++j)
    for (int i = 0; i <= x; ++i) sum += image(i, j);
  table(x, y) = sum;
}
__global__ void set_bytes(unsigned char* at, int count, unsigned char value) {
  for (int i = 0; i < count; ++i) at[i] = value;
}

constexpr Layout layout{{37, 11}, 40, 42, 1, 1};
constexpr int scratch_bytes = 300;

// The algorithm has one parameter: the fault that it makes, or "none".
void run_with_fault(Context& context, AnyConstImageView any_image, AnyImageView any_table, const Arguments& arguments) {
  const auto image = any_image.as<const std::uint8_t>();
  const auto table = any_table.as<std::uint32_t>();
  auto* const scratch = context.scratch<unsigned char>(scratch_bytes);
  context.launch("sums", add_rectangles,
                 {dim3(static_cast<unsigned>(table.height)), dim3(static_cast<unsigned>(table.width))}, image, table);
  const auto set = [&](const void* at, int count, unsigned char value) {
    context.launch("fault", set_bytes, {dim3(1), dim3(1)}, static_cast<unsigned char*>(const_cast<void*>(at)), count, value);
  };
  const auto& fault = arguments.text("fault");
  const int last = table.height - 1;
  if (fault == "wrong") set(&table(table.width - 1, last), 1, 0x55);
  if (fault == "unwritten") set(&table(5, 3), sizeof(std::uint32_t), guard_byte);
  if (fault == "before_table") set(reinterpret_cast<unsigned char*>(table.data) - 1, 1, 0);
  if (fault == "padding") set(table.row(2) + table.width, 1, 0);
  if (fault == "after_table") set(table.row(last) + table.stride, 1, 0);
  if (fault == "pixel") set(&image(9, last), 1, 0);
  if (fault == "before_image") set(image.data - 1, 1, 0);
  if (fault == "after_image") set(image.row(last) + image.width, 1, 0);
  if (fault == "before_workspace") set(scratch - 1, 1, 0);
  if (fault == "after_workspace") set(scratch + context.workspace_bytes(), 1, 0);
}

struct Fault {
  std::string_view choices;  // the fault's run is the second of two
  const char* report;
};
constexpr Fault faults[] = {
    {"none,wrong", "wrong in 1 entry, at (36, 10)"},   {"none,unwritten", "wrong in 1 entry, at (5, 3)"},
    {"none,before_table", "around the table"},         {"none,padding", "around the table"},
    {"none,after_table", "around the table"},          {"none,pixel", "bytes of the image"},
    {"none,before_image", "bytes of the image"},       {"none,after_image", "bytes of the image"},
    {"none,before_workspace", "around the workspace"}, {"none,after_workspace", "around the workspace"},
};
std::string fault_of(const Fault& fault) { return std::string(fault.choices.substr(5)); }
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault_of(fault); }

class SatMatrixFindsTest : public NeedsGpu<testing::TestWithParam<Fault>> {};

TEST_P(SatMatrixFindsTest, TheFault) {
  static constexpr SatType types[] = {SatType::u8_u32};
  const Parameter parameters[] = {choice("fault", GetParam().choices, "")};
  auto algorithm = *find_sat_algorithm("2r2w");
  algorithm.name = "faulty", algorithm.parameters = parameters, algorithm.types = types, algorithm.run = run_with_fault;
  SatMatrix<DeviceSpace> matrix({&algorithm, SatType::u8_u32});
  EXPECT_NONFATAL_FAILURE(matrix.check(layout, {Content::Kind::random}), GetParam().report);
  EXPECT_NONFATAL_FAILURE(matrix.check(layout, {Content::Kind::ramp}), "fault=" + fault_of(GetParam()) + ", 37x11");
}
INSTANTIATE_TEST_SUITE_P(, SatMatrixFindsTest, testing::ValuesIn(faults),
                         [](const auto& info) { return fault_of(info.param); });

using SatMatrixDeviceMemoryTest = NeedsGpu<testing::Test>;

TEST_F(SatMatrixDeviceMemoryTest, SeesEveryChangedByte) {
  const Stream stream;
  DeviceMemory memory(stream);
  expect_every_changed_byte_is_seen(memory, Device::cuda);
}

template <class Input, class Ref>
void expect_reference_of_host() {
  constexpr Size size{311, 239};
  const Image<Input> image(size, Device::host);
  const Image<Ref> expected(size, Device::host), found(size, Device::host), there(size, Device::cuda);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) image.view()(x, y) = pixel<Input>({Content::Kind::random}, x, y);
  const auto pixels = test::on_device(image);
  for (const bool absolute : {false, true}) {
    if constexpr (std::is_floating_point_v<Input>)
      if (absolute)
        for (int y = 0; y < size.height; ++y)
          for (int x = 0; x < size.width; ++x) image.view()(x, y) = std::abs(image.view()(x, y));
    sat::reference(ImageView<const Input>(image.view()), expected.view());
    const Stream stream;
    make_reference(Device::cuda, stream, ImageView<const Input>(pixels.view()), there.view(), absolute);
    check(cudaStreamSynchronize(stream));
    test::copy_pixels(there, found);
    for (int y = 0; y < size.height; ++y)
      ASSERT_EQ(std::memcmp(found.view().row(y), expected.view().row(y), sizeof(Ref) * size.width), 0) << "row " << y;
  }
}

TEST_F(SatMatrixDeviceMemoryTest, MakesTheReferenceOfTheHost) {
  for (const auto& type : sat_types) {
    SCOPED_TRACE(type.name);
    with_types(type.type, [&]<class Input, class Sum>() { expect_reference_of_host<Input, Reference<Sum>>(); });
  }
}

}  // namespace
}  // namespace gpu
