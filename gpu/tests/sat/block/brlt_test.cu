// brlt.cuh: prefix sums of rows, written transposed, by blocks of many warps and, for tall images, half as many.
#include "gpu/sat/block/brlt.cuh"

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

// One of two orders: rows are scanned before the transpose, across the lanes, or after it, along the registers.
struct Before {
  static constexpr bool before_transpose = true;
  template <class Sum>
  static __device__ void rows(Sum (&data)[matrix_side]) {
#pragma unroll
    for (Sum& value : data) value = inclusive_scan(value);
  }
  template <class Sum>
  static __device__ void columns(Sum (&)[matrix_side]) {}
};
struct After {
  static constexpr bool before_transpose = false;
  template <class Sum>
  static __device__ void rows(Sum (&)[matrix_side]) {}
  template <class Sum>
  static __device__ void columns(Sum (&data)[matrix_side]) {
    serial_scan(data);
  }
};

template <class Scan, class Input, class Sum>
void check_size(const Lie& lie, const GpuLimits& limits) {
  SCOPED_TRACE(std::to_string(lie.size.width) + "x" + std::to_string(lie.size.height));
  const auto turned = Lie::odd({lie.size.height, lie.size.width});
  const auto pixels = numbers<Input>(lie.elements());
  auto sums = numbers<Sum>(turned.elements(), 2);  // must stay unchanged around and between the rows
  const OnDevice<Input> there(pixels);
  const OnDevice<Sum> seen(sums);
  for (int y = 0; y < lie.size.height; ++y) {
    Sum sum = 0;
    for (int x = 0; x < lie.size.width; ++x)
      turned.view(sums.data())(y, x) = sum += term<Sum>(lie.view(pixels.data())(x, y));
  }
  auto context = Context::on_stream(nullptr, {});
  context.set_limits(limits);
  launch_scan_and_transpose<Scan>(context, ImageView<const Input>(lie.view(there.data())), turned.view(seen.data()));
  EXPECT_TRUE(same(seen.back(), sums));
}

// Sizes around the 32 rows of a block and the 512 columns (256 of 8-byte sums) of its step; a tall image of several
// steps, and lower ones with the same kernel.
template <class Scan, class Input, class Sum>
void check_sizes() {
  const auto usual = current_gpu_limits();
  GpuLimits little = usual;
  little.shared_bytes = sizeof(BrltShared<Sum, brlt_warps<Sum>>) - 1;
  for (const Size size : {Size{1, 1}, Size{33, 31}, Size{512, 32}, Size{513, 33}, Size{255, 64}, Size{1100, 70}})
    for (const auto& lie : {Lie::aligned(size), Lie::odd(size)}) {
      check_size<Scan, Input, Sum>(lie, usual);
      check_size<Scan, Input, Sum>(lie, little);
    }
  check_size<Scan, Input, Sum>(Lie::odd({300, tall_image + 1}), usual);
}

class BrltTest : public NeedsGpu<testing::Test> {};

TEST_F(BrltTest, ScansRowsBeforeTheTranspose) {
  check_sizes<Before, std::uint8_t, std::uint32_t>();
  check_sizes<Before, double, double>();
}
TEST_F(BrltTest, ScansRowsAfterTheTranspose) {
  check_sizes<After, float, float>();
  check_sizes<After, std::uint8_t, std::uint32_t>();
  check_sizes<After, std::uint8_t, std::uint64_t>();
}

}  // namespace
}  // namespace gpu::sat
