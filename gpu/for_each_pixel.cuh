// Context::for_each_pixel: one pixel function, run by a kernel or by the host's threads.
#pragma once

#include "gpu/context.h"

namespace gpu {
namespace detail {

constexpr int pixel_block_width = 32, pixel_block_height = 8;

template <class F>
__global__ void __launch_bounds__(pixel_block_width* pixel_block_height) pixel_kernel(Size size, F f) {
  const int x = static_cast<int>(blockIdx.x) * pixel_block_width + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * pixel_block_height + static_cast<int>(threadIdx.y);
  if (x < size.width && y < size.height) f(x, y);
}

}  // namespace detail

template <class F>
void Context::for_each_pixel(std::string_view name, Size size, const F& f) {
  static_assert(std::is_trivially_copyable_v<F>);
  if (size.width <= 0 || size.height <= 0) return;
  if (device_ == Device::cuda) {
    using namespace detail;
    // grid.y holds 65535 blocks: 524 280 rows, far above any image that fits.
    const dim3 grid(static_cast<unsigned>(ceil_div(size.width, pixel_block_width)),
                    static_cast<unsigned>(ceil_div(size.height, pixel_block_height)));
    return launch(name, pixel_kernel<F>, {grid, dim3(pixel_block_width, pixel_block_height)}, size, f);
  }
  // Four bands a thread even out bands of unequal cost.
  const int bands = std::min(size.height, threads() * 4);
  parallel(name, bands, [&](int band) {
    const F local = f;  // a copy the compiler can keep in registers
    const int end = static_cast<int>(static_cast<long long>(size.height) * (band + 1) / bands);
    for (int y = static_cast<int>(static_cast<long long>(size.height) * band / bands); y < end; ++y)
      for (int x = 0; x < size.width; ++x) local(x, y);
  });
}

}  // namespace gpu
