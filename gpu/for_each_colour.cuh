// Context::for_each_colour: one function of a pixel's place and colour, run by a kernel or by the host's threads.
//
// A pixel has three bytes. Threads that read their own would touch each sector of memory three times; here the lanes of
// a warp read the 96 bytes of their 32 pixels as one word per lane, and pass them on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/context.h"
#include "gpu/row_grid.cuh"

namespace gpu {
namespace detail {

constexpr int colour_block_width = 32, colour_block_height = 8;  // a warp per row

// The pixels x0 .. x0 + 31 of a row, one per lane. The row starts on a word's boundary, and so does pixel x0.
__device__ inline Bgr colour_of_lane(const Bgr* first) {
  constexpr unsigned all_lanes = 0xffffffffu;
  constexpr int words = colour_block_width * static_cast<int>(sizeof(Bgr)) / 4;
  const int lane = static_cast<int>(threadIdx.x), offset = lane * static_cast<int>(sizeof(Bgr));
  const std::uint32_t mine = lane < words ? reinterpret_cast<const std::uint32_t*>(first)[lane] : 0;
  const std::uint64_t low = __shfl_sync(all_lanes, mine, offset / 4);
  const std::uint64_t high = __shfl_sync(all_lanes, mine, offset / 4 + 1);
  const auto bytes = (high << 32 | low) >> (8 * (offset % 4));
  return {static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes >> 8),
          static_cast<std::uint8_t>(bytes >> 16)};
}

template <class F>
__global__ void __launch_bounds__(colour_block_width* colour_block_height)
    colour_kernel(ImageView<const Bgr> colour, bool aligned, F f) {
  const int x0 = static_cast<int>(blockIdx.x) * colour_block_width, x = x0 + static_cast<int>(threadIdx.x);
  const int y = row_of_block() * colour_block_height + static_cast<int>(threadIdx.y);
  if (y >= colour.height) return;
  if (aligned && x0 + colour_block_width <= colour.width)
    f(x, y, colour_of_lane(colour.row(y) + x0));
  else if (x < colour.width)
    f(x, y, colour(x, y));
}

}  // namespace detail

template <class F>
void Context::for_each_colour(std::string_view name, ImageView<const Bgr> colour, const F& f) {
  static_assert(std::is_trivially_copyable_v<F>);
  if (colour.empty()) return;
  if (device_ != Device::host) {
    using namespace detail;
    const bool aligned = reinterpret_cast<std::uintptr_t>(colour.data) % 4 == 0 &&
                         colour.stride * static_cast<std::ptrdiff_t>(sizeof(Bgr)) % 4 == 0;
    return launch(name, colour_kernel<F>,
                  {row_grid(ceil_div(colour.width, colour_block_width), ceil_div(colour.height, colour_block_height)),
                   dim3(colour_block_width, colour_block_height)},
                  colour, aligned, f);
  }
  for_each_band(name, colour.height, [&](int begin, int end) {
    const F local = f;  // a copy the compiler can keep in registers
    for (int y = begin; y < end; ++y) {
      const Bgr* row = colour.row(y);
#pragma GCC ivdep
      for (int x = 0; x < colour.width; ++x) local(x, y, row[x]);
    }
  });
}

}  // namespace gpu
