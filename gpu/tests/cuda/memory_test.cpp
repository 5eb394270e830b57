// Owners of memory and views of images.
#include "gpu/cuda/memory.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "gpu/cuda/error.h"
#include "gpu/image.h"

namespace gpu {
namespace {

static_assert(!std::is_copy_constructible_v<Buffer<int>> && !std::is_copy_assignable_v<Buffer<int>>);
static_assert(!std::is_copy_constructible_v<PinnedBuffer<int>> && !std::is_copy_assignable_v<PinnedBuffer<int>>);
static_assert(std::is_nothrow_move_constructible_v<Buffer<int>>);
static_assert(std::is_trivially_copyable_v<ImageView<float>>);
static_assert(std::is_convertible_v<ImageView<float>, ImageView<const float>>);
static_assert(!std::is_convertible_v<ImageView<const float>, ImageView<float>>);
static_assert(!std::is_constructible_v<AnyImageView, ImageView<const float>>, "const must not be lost");
static_assert(std::is_constructible_v<AnyConstImageView, AnyImageView>);

TEST(MemoryBufferTest, MovesItsMemory) {
  Buffer<int> a(10, Device::host);
  int* const data = a.data();
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 256, 0u);
  data[9] = 7;
  Buffer<int> b(std::move(a));
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(a.size(), 0u);
  Buffer<int> c(3, Device::host);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size(), 10u);
  EXPECT_EQ(c.span()[9], 7);
  c = {};
  EXPECT_EQ(c.data(), nullptr);
}

TEST(MemoryBufferTest, OfNothingIsNull) {
  const Buffer<double> buffer(0, Device::host);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_TRUE(buffer.span().empty());
}

TEST(MemoryPinnedBufferTest, WithoutAGpuIsOrdinaryMemory) {
  PinnedBuffer<std::uint8_t> buffer(1000, false);
  ASSERT_NE(buffer.data(), nullptr);
  EXPECT_FALSE(buffer.locked());
  buffer.data()[999] = 1;
  const PinnedBuffer<std::uint8_t> other(std::move(buffer));
  EXPECT_EQ(other.span()[999], 1);
  EXPECT_EQ(buffer.data(), nullptr);
  buffer = PinnedBuffer<std::uint8_t>(20, false);
  EXPECT_EQ(buffer.size(), 20u);
  auto* const data = buffer.data();
  PinnedBuffer<std::uint8_t> third(5, false);
  third = std::move(buffer);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size(), 20u);
  EXPECT_EQ(buffer.size(), 0u);
}

TEST(MemoryImageTest, RowsBeginOn256Bytes) {
  const auto stride_bytes = []<class T>(T, int width) {
    const Image<T> image({width, 3}, Device::host);
    EXPECT_EQ(image.view().width, width);
    EXPECT_EQ(image.span().size(), static_cast<std::size_t>(image.view().stride) * 3);
    EXPECT_GE(image.view().stride, width);
    const auto replayed = view_without_memory<T>({width, 3});
    EXPECT_EQ(replayed.stride, image.view().stride);
    EXPECT_EQ(replayed.size(), image.size());
    return static_cast<std::size_t>(image.view().stride) * sizeof(T);
  };
  EXPECT_EQ(stride_bytes(std::uint8_t{}, 1), 256u);
  EXPECT_EQ(stride_bytes(std::uint8_t{}, 256), 256u);
  EXPECT_EQ(stride_bytes(std::uint8_t{}, 257), 512u);
  EXPECT_EQ(stride_bytes(float{}, 65), 512u);
  EXPECT_EQ(stride_bytes(double{}, 32), 256u);
  EXPECT_EQ(stride_bytes(double{}, 33), 512u);
  EXPECT_EQ(stride_bytes(Bgr{}, 1), 768u) << "the smallest multiple of 256 bytes with whole pixels";
}

TEST(MemoryImageViewTest, IndexesByStride) {
  int data[12] = {};
  const ImageView<int> view{data, 3, 3, 4};
  view(2, 1) = 5;
  EXPECT_EQ(data[6], 5);
  EXPECT_EQ(view.row(2), data + 8);
  EXPECT_EQ(view.size(), (Size{3, 3}));
  EXPECT_FALSE(view.empty());
  EXPECT_TRUE((ImageView<int>{data, 0, 3, 4}).empty());
  // 64-bit index arithmetic: row 40000 of a table of width 60000 starts past 2^31 elements.
  const ImageView<std::uint8_t> large{nullptr, 60000, 50000, 60000};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.row(40000)), 2'400'000'000u);
}

TEST(MemoryAnyViewTest, KeepsWhatTheViewSays) {
  float data[6] = {};
  const AnyConstImageView any = AnyImageView(ImageView<float>{data, 2, 2, 3});
  EXPECT_EQ(any.type, ElementType::f32);
  EXPECT_EQ(any.stride, 3);
  EXPECT_EQ(any.as<const float>().data, data);
}

TEST(MemoryCudaErrorTest, NamesFileLineNameAndText) {
  try {
    check(cudaErrorMemoryAllocation);
    FAIL() << "nothing was thrown";
  } catch (const CudaError& error) {
    EXPECT_TRUE(error.out_of_memory());
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("gpu/tests/cuda/memory_test.cpp:")) << text;
    EXPECT_NE(text.find("cudaErrorMemoryAllocation: out of memory"), text.npos) << text;
    EXPECT_EQ(text.find('\n'), text.npos);
  }
  EXPECT_NO_THROW(check(cudaSuccess));
}

// On every machine the answer is a GPU or a reason, never both.
TEST(MemoryProbeGpuTest, AnswersEverywhere) {
  const auto probe = probe_gpu();
  EXPECT_NE(probe.gpu.has_value(), !probe.reason.empty());
  EXPECT_EQ(probe.reason.find('\n'), probe.reason.npos);
  const auto none = probe_gpu(1000);
  EXPECT_FALSE(none.gpu);
  EXPECT_FALSE(none.reason.empty());
}

}  // namespace
}  // namespace gpu
