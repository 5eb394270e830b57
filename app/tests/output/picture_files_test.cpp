// Memory for copies of pictures: made beforehand by another thread, used again, and no more of it than was asked for. The bytes
// of .npy files.
#include "app/output/picture_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "gpu/execution/thread_pool.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr gpu::Size size{64, 48};

class PictureFilesCopiesTest : public testing::Test {
 protected:
  bool prepared(std::size_t count) const {
    for (int wait = 0; wait < 20'000 && copies_.unused() < count; ++wait) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(5ms);  // and no more
    return copies_.unused() == count;
  }

  gpu::ThreadPool pool_{1};
  gpu::Context context_ = gpu::Context::on_host(pool_, {});
  gpu::Image<gpu::Rgba> picture_{size, gpu::Device::host};
  PictureCopies copies_;
};

TEST_F(PictureFilesCopiesTest, MemoryIsPreparedTakenAndComesBack) {
  copies_.prepare(context_, size, 5);
  ASSERT_TRUE(prepared(5));
  {
    const auto first = copies_.make(context_, picture_.view()), second = copies_.make(context_, picture_.view());
    EXPECT_EQ(copies_.unused(), 3u);
  }
  EXPECT_EQ(copies_.unused(), 5u);
}

TEST_F(PictureFilesCopiesTest, WhatWasMadeBeforeCounts) {
  const auto first = copies_.make(context_, picture_.view()), second = copies_.make(context_, picture_.view());
  copies_.prepare(context_, size, 5);
  EXPECT_TRUE(prepared(3));
}

// The same memory, for larger and smaller pictures in turn.
TEST_F(PictureFilesCopiesTest, APictureOfAnySizeIsThatOfAFreshCopy) {
  for (const auto& other : {gpu::Size{2, 1}, {4096, 4096}, {64, 48}, {48, 64}, {1, 1}, {300, 7}}) {
    const gpu::Image<gpu::Rgba> picture(other, gpu::Device::host);
    const auto shade = static_cast<std::uint8_t>(other.width % 251);
    std::ranges::fill(picture.span(), gpu::Rgba{shade, 2, 3, 4});
    const auto copy = copies_.make(context_, picture.view());
    ASSERT_EQ(copy->view().size(), other);
    for (int y = 0; y < other.height; ++y)
      EXPECT_EQ(
          std::memcmp(copy->view().row(y), picture.view().row(y), static_cast<std::size_t>(other.width) * sizeof(gpu::Rgba)),
          0);
  }
  EXPECT_EQ(copies_.unused(), 1u) << "one piece of memory";
}

TEST_F(PictureFilesCopiesTest, CopiesOutliveWhoMadeThem) {
  std::ranges::fill(picture_.span(), gpu::Rgba{1, 2, 3, 4});
  std::vector<std::shared_ptr<const PictureCopies::Copy>> kept;
  {
    PictureCopies copies;
    copies.prepare(context_, size, 20);
    for (int i = 0; i < 30; ++i) kept.push_back(copies.make(context_, picture_.view()));  // more than are prepared
  }
  for (const auto& copy : kept) {
    EXPECT_TRUE(copy->ready());
    EXPECT_EQ(copy->view()(63, 47).b, 3);
  }
}

// cli_images_test.py reads such files with NumPy.
TEST(PictureFilesNpyTest, HeaderAndDataFollowTheFormat) {
  NpyBytes file(gpu::ElementType::u32, {3, 2});
  const auto view = file.view<std::uint32_t>({3, 2});
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) view(x, y) = static_cast<std::uint32_t>(1 + x + 3 * y);
  const auto& bytes = file.bytes;
  ASSERT_EQ(bytes.size(), 128u + 6 * 4);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]), 118);
  EXPECT_TRUE(bytes.substr(10).starts_with("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_EQ(bytes[127], '\n');
  const std::uint32_t expected[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(std::memcmp(bytes.data() + 128, expected, sizeof expected), 0);
}

TEST(PictureFilesNpyTest, ExclusiveHasAFirstRowAndColumnOfZeros) {
  NpyBytes file(gpu::ElementType::f64, {2, 1}, true);
  const auto view = file.view<double>({2, 1});
  view(0, 0) = 1.5;
  view(1, 0) = 2.5;
  const auto& bytes = file.bytes;
  EXPECT_NE(bytes.find("'<f8'"), std::string::npos);
  EXPECT_NE(bytes.find("(2, 3)"), std::string::npos);
  const double expected[] = {0, 0, 0, 0, 1.5, 2.5};
  ASSERT_EQ(bytes.size() % 64, sizeof expected);
  EXPECT_EQ(std::memcmp(bytes.data() + bytes.size() - sizeof expected, expected, sizeof expected), 0);
}

TEST(PictureFilesNpyTest, EveryTypeIsNamedInTheHeader) {
  for (const auto& [type, name] : {std::pair{gpu::ElementType::u8, "|u1"},
                                   {gpu::ElementType::u16, "<u2"},
                                   {gpu::ElementType::squared_f32, "<f4"},
                                   {gpu::ElementType::u32, "<u4"},
                                   {gpu::ElementType::u64, "<u8"},
                                   {gpu::ElementType::f32, "<f4"},
                                   {gpu::ElementType::f64, "<f8"}}) {
    const auto bytes = NpyBytes(type, {1, 1}).bytes;
    EXPECT_NE(bytes.find(name), std::string::npos);
    EXPECT_EQ(bytes.size() % 64, gpu::size_of(type));
  }
}

}  // namespace
}  // namespace app
