// Context::for_each_pixel: one pixel function, run by a kernel or by the host's threads.
//
// A pixel function F has one of two forms:
//   f(x, y)          draws one pixel;
//   f.row(y, spans)  draws row y, for pixels that share work, or if some pixels are simpler than others. It passes each
//                    kind of pixel to `spans` as a function of x:
//                      spans.within(begin, end, pixel)   the pixels with begin <= x < end
//                      spans.without(begin, end, pixel)  all others of the row
//                    The host runs each as a loop that the compiler can vectorise; a device thread runs the one
//                    function that applies to its x.
// Pixels are independent: none reads what another one writes.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/host_vectors.h"
#include "gpu/row_grid.cuh"

namespace gpu {
namespace detail {

// F::row on the host: loops over the columns.
struct RowSpans {
  static constexpr bool loops = true;  // the whole row at once: its pixels can share sums
  int width;

  template <class Pixel>
  void within(int begin, int end, const Pixel& pixel) const {
    const Pixel local = pixel;  // a copy that the compiler can keep in registers
#pragma GCC ivdep
    for (int x = begin; x < end; ++x) local(x);
  }
  template <class Pixel>
  void without(int begin, int end, const Pixel& pixel) const {
    within(0, std::min(begin, width), pixel);
    within(std::max(begin, end), width, pixel);
  }
};

// F::row on the device: one pixel of the row.
struct OneOfRow {
  int x;

  template <class Pixel>
  __device__ void within(int begin, int end, const Pixel& pixel) const {
    if (x >= begin && x < end) pixel(x);
  }
  template <class Pixel>
  __device__ void without(int begin, int end, const Pixel& pixel) const {
    if (x < begin || x >= end) pixel(x);
  }
};

template <class F>
concept RowFunction = requires(const F& f) {
  f.row(0, RowSpans{0});
};

constexpr int pixel_block_width = 32, pixel_block_height = 8;

template <class F>
__global__ void __launch_bounds__(pixel_block_width* pixel_block_height) pixel_kernel(Size size, F f) {
  const int x = static_cast<int>(blockIdx.x) * pixel_block_width + static_cast<int>(threadIdx.x);
  const int y = row_of_block() * pixel_block_height + static_cast<int>(threadIdx.y);
  if (x >= size.width || y >= size.height) return;
  if constexpr (RowFunction<F>)
    f.row(y, OneOfRow{x});
  else
    f(x, y);
}

template <class F>
void host_row(const F& f, int y, int width) {
  if constexpr (RowFunction<F>)
    f.row(y, RowSpans{width});
  else
    RowSpans{width}.within(0, width, [f, y](int x) { f(x, y); });
}

}  // namespace detail

template <class F>
void Context::for_each_pixel(std::string_view name, Size size, const F& f) {
  static_assert(std::is_trivially_copyable_v<F>);
  if (size.width <= 0 || size.height <= 0) return;
  if (device_ != Device::host) {
    using namespace detail;
    const auto grid = row_grid(ceil_div(size.width, pixel_block_width), ceil_div(size.height, pixel_block_height));
    return launch(name, pixel_kernel<F>, {grid, dim3(pixel_block_width, pixel_block_height)}, size, f);
  }
  for_each_band(name, size.height, [&](int begin, int end) {
    run_with(host_vectors_here().back(), [&] {
      const F local = f;
      for (int y = begin; y < end; ++y) detail::host_row(local, y, size.width);
    });
  });
}

}  // namespace gpu
