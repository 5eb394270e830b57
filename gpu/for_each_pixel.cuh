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
//
// For the device F may also have
//   f.interior()     a PixelRange: pixels that need no care for the image's edge
//   f.inner(x, y)    the value of one of them: a level, or an Rgba
//   f.target         where it is drawn: put(x, y, value)
// Then a thread draws four pixels of a row, 32 apart, so that each load and store of a warp is of neighbouring addresses. All
// of its loads are in flight at once; the general form would need more registers and branches than that.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/edge_pixels.h"
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
template <class F>
concept FourFunction = requires(const F& f) {
  f.interior();
  f.target.put(0, 0, f.inner(0, 0));
};

constexpr int pixel_block_width = 32, pixel_block_height = 8, four_threads = pixel_block_width * pixel_block_height;
constexpr int pixels_of_thread = 4;

template <class F>
__device__ void one_pixel(const F& f, int x, int y) {
  if constexpr (RowFunction<F>)
    f.row(y, OneOfRow{x});
  else
    f(x, y);
}

template <class F>
__global__ void __launch_bounds__(pixel_block_width* pixel_block_height) pixel_kernel(Size size, F f) {
  const int x = static_cast<int>(blockIdx.x) * pixel_block_width + static_cast<int>(threadIdx.x);
  const int y = row_of_block() * pixel_block_height + static_cast<int>(threadIdx.y);
  if (x < size.width && y < size.height) one_pixel(f, x, y);
}

// The first blocks draw the pixels at the edge, one per thread: they take longer, whatever else there is. The others draw
// four per thread. Five blocks per multiprocessor: an edge's pixel may need more registers, but there are few.
template <class F>
__global__ void __launch_bounds__(four_threads, 5)
    four_pixels_kernel(EdgePixels edge, unsigned edge_blocks, int across, F f) {
  if (blockIdx.x < edge_blocks) {
    const auto i = std::int64_t{blockIdx.x} * four_threads + threadIdx.x;
    if (i >= edge.count()) return;
    const auto at = edge.at(i);
    return one_pixel(f, at.x, at.y);
  }
  const int block = static_cast<int>(blockIdx.x - edge_blocks), thread = static_cast<int>(threadIdx.x);
  const int first = edge.inside.x0 + block % across * pixel_block_width * pixels_of_thread + thread % pixel_block_width;
  const int y = edge.inside.y0 + block / across * pixel_block_height + thread / pixel_block_width;
  if (y >= edge.inside.y1) return;
  decltype(f.inner(first, y)) values[pixels_of_thread];
  const auto x = [first](int i) { return first + i * pixel_block_width; };
#pragma unroll
  for (int i = 0; i < pixels_of_thread; ++i)
    if (x(i) < edge.inside.x1) values[i] = f.inner(x(i), y);
#pragma unroll
  for (int i = 0; i < pixels_of_thread; ++i)
    if (x(i) < edge.inside.x1) f.target.put(x(i), y, values[i]);
}

template <class F>
void launch_four_pixels(Context& context, std::string_view name, Size size, const F& f) {
  const EdgePixels edge(size, f.interior());
  const auto& inside = edge.inside;
  const int across = ceil_div(inside.x1 - inside.x0, pixels_of_thread * pixel_block_width);
  const int down = ceil_div(inside.y1 - inside.y0, pixel_block_height);
  const auto edge_blocks = static_cast<unsigned>((edge.count() + four_threads - 1) / four_threads);
  context.launch(name, four_pixels_kernel<F>, {dim3(edge_blocks + static_cast<unsigned>(across * down)), dim3(four_threads)},
                 edge, edge_blocks, across, f);
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
    if constexpr (FourFunction<F>) return launch_four_pixels(*this, name, size, f);
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
