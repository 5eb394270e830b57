// Context::for_each_colour: one function of a pixel's position and colour, run by a kernel or by the host's threads.
//
// A pixel has three bytes. Where rows begin at multiples of 16 bytes, and the function has sixteen(x, y, colours), each thread
// takes 16 pixels: three loads of 16 bytes, and one store of the function's own.
//
// Otherwise a warp loads 128 pixels of a row as 96 words, three per lane, and exchanges them through shared memory; each lane
// then has four pixels, 32 apart, so that the lanes of a warp write to adjacent addresses. With one pixel per thread, a warp
// would access every sector of memory three times, and each thread would have few bytes in flight.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/pictures/host_vectors.h"
#include "gpu/pictures/row_grid.cuh"

namespace gpu {
namespace detail {

constexpr int colour_lanes = 32, colour_rows = 8;  // of one block: one warp per row
constexpr int colours_per_lane = 4, colours_per_warp = colour_lanes * colours_per_lane;
constexpr int words_per_lane = colours_per_lane * static_cast<int>(sizeof(Bgr)) / 4;

__host__ __device__ inline const Bgr* colour_row(const BgrView& colour, int y) {
  return reinterpret_cast<const Bgr*>(reinterpret_cast<const unsigned char*>(colour.data) + y * colour.pitch);
}

struct ColourShared {
  std::uint32_t words[colour_rows][colour_lanes * words_per_lane];
};

constexpr int colours_of_thread = 16;

template <class F>
concept TakesSixteen = requires(const F& f, const Bgr (&colours)[colours_of_thread]) {
  f.sixteen(0, 0, colours);
};

template <class F>
__global__ void __launch_bounds__(colour_lanes* colour_rows) sixteen_colours_kernel(BgrView colour, F f) {
  const int x = (static_cast<int>(blockIdx.x) * colour_lanes + static_cast<int>(threadIdx.x)) * colours_of_thread;
  const int y = row_of_block() * colour_rows + static_cast<int>(threadIdx.y);
  if (x >= colour.width || y >= colour.height) return;
  if (x + colours_of_thread > colour.width) {  // the right edge
    for (int i = x; i < colour.width; ++i) f(i, y, colour_row(colour, y)[i]);
    return;
  }

  // All loads start before the first byte is used.
  struct alignas(16) Words {
    std::uint32_t at[4];
  };
  constexpr int loads = colours_of_thread * static_cast<int>(sizeof(Bgr)) / static_cast<int>(sizeof(Words));
  Words fetched[loads];
  const auto* words = reinterpret_cast<const Words*>(colour_row(colour, y) + x);
#pragma unroll
  for (int i = 0; i < loads; ++i) fetched[i] = words[i];
  Bgr colours[colours_of_thread];
  memcpy(colours, fetched, sizeof colours);
  f.sixteen(x, y, colours);
}

// `aligned`: every row, and thus every 128th pixel, starts at a word boundary.
template <class F>
__global__ void __launch_bounds__(colour_lanes* colour_rows) colour_kernel(BgrView colour, bool aligned, F f) {
  const int lane = static_cast<int>(threadIdx.x), x0 = static_cast<int>(blockIdx.x) * colours_per_warp;
  const int y = row_of_block() * colour_rows + static_cast<int>(threadIdx.y);
  if (y >= colour.height) return;
  const Bgr* const first = colour_row(colour, y) + x0;

  // At the right edge, and if rows do not start at word boundaries: pixel by pixel.
  if (!aligned || x0 + colours_per_warp > colour.width) {
    for (int x = x0 + lane; x < std::min(colour.width, x0 + colours_per_warp); x += colour_lanes)
      f(x, y, colour_row(colour, y)[x]);
    return;
  }

  // All three loads start before the first word is used.
  std::uint32_t fetched[words_per_lane];
#pragma unroll
  for (int i = 0; i < words_per_lane; ++i)
    fetched[i] = reinterpret_cast<const std::uint32_t*>(first)[i * colour_lanes + lane];
  auto& words = static_shared<ColourShared>().words[threadIdx.y];
#pragma unroll
  for (int i = 0; i < words_per_lane; ++i) words[i * colour_lanes + lane] = fetched[i];
  __syncwarp();

  // Neighbouring lanes read neighbouring bytes: no bank conflicts.
#pragma unroll
  for (int i = 0; i < colours_per_lane; ++i) {
    const int k = i * colour_lanes + lane;
    f(x0 + k, y, reinterpret_cast<const Bgr*>(words)[k]);
  }
}

}  // namespace detail

template <class F>
void Context::for_each_colour(std::string_view name, const BgrView& colour, const F& f) {
  static_assert(std::is_trivially_copyable_v<F>);
  if (colour.empty()) return;
  if (device_ != Device::host) {
    using namespace detail;
    const auto starts_at_multiples_of = [&](int bytes) {
      return reinterpret_cast<std::uintptr_t>(colour.data) % static_cast<unsigned>(bytes) == 0 && colour.pitch % bytes == 0;
    };
    if constexpr (TakesSixteen<F>)
      if (starts_at_multiples_of(16) && f.takes_sixteen())
        return launch(
            name, sixteen_colours_kernel<F>,
            {row_grid(ceil_div(colour.width, colour_lanes * colours_of_thread), ceil_div(colour.height, colour_rows)),
             dim3(colour_lanes, colour_rows)},
            colour, f);
    const bool aligned = starts_at_multiples_of(4);
    return launch(name, colour_kernel<F>,
                  {row_grid(ceil_div(colour.width, colours_per_warp), ceil_div(colour.height, colour_rows)),
                   dim3(colour_lanes, colour_rows)},
                  colour, aligned, f);
  }
  for_each_band(name, colour.height, [&](int begin, int end) {
    run_with(host_vectors_here().back(), [&] {
      const F local = f;  // a copy that the compiler can keep in registers
      for (int y = begin; y < end; ++y) {
        const Bgr* row = detail::colour_row(colour, y);
#pragma GCC ivdep
        for (int x = 0; x < colour.width; ++x) local(x, y, row[x]);
      }
    });
  });
}

}  // namespace gpu
