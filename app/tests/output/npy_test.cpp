// The bytes of .npy files; cli_images_test.py reads them with NumPy.
#include "app/output/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace app {
namespace {

TEST(NpyTest, HeaderAndDataFollowTheFormat) {
  const std::vector<std::uint32_t> data{1, 2, 3, 99, 4, 5, 6, 99};  // a stride of 4
  const gpu::ImageView<const std::uint32_t> view{data.data(), 3, 2, 4};
  const auto bytes = npy_bytes(view);
  ASSERT_EQ(bytes.size(), 128u + 6 * 4);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]), 118);
  EXPECT_TRUE(bytes.substr(10).starts_with("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_EQ(bytes[127], '\n');
  const std::uint32_t expected[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(std::memcmp(bytes.data() + 128, expected, sizeof expected), 0);
}

TEST(NpyTest, ExclusiveHasAFirstRowAndColumnOfZeros) {
  const double data[] = {1.5, 2.5};
  const auto bytes = npy_bytes(gpu::ImageView<const double>{data, 2, 1, 2}, true);
  EXPECT_NE(bytes.find("'<f8'"), std::string::npos);
  EXPECT_NE(bytes.find("(2, 3)"), std::string::npos);
  const double expected[] = {0, 0, 0, 0, 1.5, 2.5};
  ASSERT_EQ(bytes.size() % 64, sizeof expected);
  EXPECT_EQ(std::memcmp(bytes.data() + bytes.size() - sizeof expected, expected, sizeof expected), 0);
}

TEST(NpyTest, EveryTypeIsNamedInTheHeader) {
  const std::uint64_t zero[1] = {};
  for (const auto& [type, name] : {std::pair{gpu::ElementType::u8, "|u1"},
                                   {gpu::ElementType::u32, "<u4"},
                                   {gpu::ElementType::u64, "<u8"},
                                   {gpu::ElementType::f32, "<f4"},
                                   {gpu::ElementType::f64, "<f8"}}) {
    const auto bytes = npy_bytes({zero, 1, 1, 1, type});
    EXPECT_NE(bytes.find(name), std::string::npos);
    EXPECT_EQ(bytes.size() % 64, gpu::size_of(type));
  }
}

}  // namespace
}  // namespace app
