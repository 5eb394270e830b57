// Context::for_each_pixel: one pixel function, run by a kernel or by the host's threads. Below it for_each_colour.
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
//   f.interior()   a PixelRange: pixels that need no care for the image's edge
//   f.inner(x, y)  the value of one of them: a level, or an Rgba
//   f.target       where it is drawn: put(x, y, value), or a Canvas
// Then a warp draws a tile of 32 columns and four rows, and a thread one of its columns: neighbouring lanes load neighbouring
// addresses, and a thread has the loads of four pixels in flight; the general form would need more registers and branches.
// Such a kernel starts while the one before it may still run, and waits for its end (intrinsics.cuh): it is not the first of
// a run, because it reads what another one has computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/pictures/edge_pixels.h"
#include "gpu/pictures/host_vectors.h"
#include "gpu/pictures/row_grid.cuh"

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
concept TileFunction = requires(const F& f) {
  f.interior();
  f.target.put(0, 0, f.inner(0, 0));
};

constexpr int pixel_block_width = 32, pixel_block_height = 8;

// The tile of a warp, and the tiles of a block.
constexpr int tile_width = 32, tile_height = 4, tiles_across = 4, tiles_down = 2;
constexpr int tile_threads = tile_width * tiles_across * tiles_down;

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

__host__ __device__ constexpr int first_tile_row(const PixelRange& range) { return range.y0 & -tile_height; }

template <class F>
concept DrawsOnSurface = requires(const F& f) {
  f.target.has_surface;
};

template <class Value>
struct TileShared {
  struct alignas(tile_height * sizeof(Value)) Column {  // stored at once
    Value at[tile_height];
  };
  Column columns[tiles_across * tiles_down][tile_width];
};

// Draws the tile whose first pixel is (x0, y0), by one warp. `all`: the whole tile lies in `range`; otherwise those of its pixels
// that do.
template <bool all, class F>
__device__ void draw_tile(const F& f, const PixelRange& range, int x0, int y0) {
  const int lane = static_cast<int>(threadIdx.x % tile_width);
  const auto draws = [&range](int x, int y) { return all || range.contains(x, y); };
  using Value = decltype(f.inner(x0, y0));
  typename TileShared<Value>::Column values{};
#pragma unroll
  for (int i = 0; i < tile_height; ++i)
    if (draws(x0 + lane, y0 + i)) values.at[i] = f.inner(x0 + lane, y0 + i);

  // In the memory of a surface a line of 128 bytes is a rectangle of 8 x 4 pixels. The lanes exchange their values, so that each
  // store of the warp writes a whole line.
  if constexpr (DrawsOnSurface<F>)
    if (f.target.has_surface) {
      auto& columns = static_shared<TileShared<Value>>().columns[threadIdx.x / tile_width];
      columns[lane] = values;
      __syncwarp();
      const int row = static_cast<int>(threadIdx.x % tile_width / 8), first = static_cast<int>(threadIdx.x % 8);
      const auto for_each_line = [&](const auto& put) {
#pragma unroll
        for (int k = 0; k < tile_width / 8; ++k) {
          const int x = first + 8 * k;
          if (draws(x0 + x, y0 + row)) put(x0 + x, y0 + row, columns[x].at[row]);
        }
      };
      for_each_line([&](int x, int y, Value value) { f.target.put_on_surface(x, y, value); });
      if (f.target.rgba.data) for_each_line([&](int x, int y, Value value) { f.target.put_in_memory(x, y, value); });
      return;
    }
#pragma unroll
  for (int i = 0; i < tile_height; ++i)
    if (draws(x0 + lane, y0 + i)) f.target.put(x0 + lane, y0 + i, values.at[i]);
}

// Each row of blocks begins with its share of the pixels at the edge, one per thread: they take longer, and so others are drawn
// meanwhile. The other blocks draw tiles, which begin at multiples of eight columns and of four rows. Six blocks per
// multiprocessor: an edge's pixel may need more registers, but there are few.
template <class F>
__global__ void __launch_bounds__(tile_threads, 6) tiles_kernel(EdgePixels edge, int edge_blocks_per_row, F f) {
  let_next_launch_start();
  wait_for_previous_launch();
  const int column = static_cast<int>(blockIdx.x) - edge_blocks_per_row, row = row_of_block();
  if (column < 0) {
    const auto i = (std::int64_t{row} * edge_blocks_per_row + blockIdx.x) * tile_threads + threadIdx.x;
    if (i >= edge.count()) return;
    const auto at = edge.at(i);
    return one_pixel(f, at.x, at.y);
  }
  const auto& inside = edge.inside;
  const unsigned warp = threadIdx.x / tile_width;
  const int x0 = inside.x0 + (column * tiles_across + static_cast<int>(warp % tiles_across)) * tile_width;
  const int y0 = first_tile_row(inside) + (row * tiles_down + static_cast<int>(warp / tiles_across)) * tile_height;
  if (x0 >= inside.x1 || y0 >= inside.y1) return;
  if (x0 + tile_width <= inside.x1 && y0 >= inside.y0 && y0 + tile_height <= inside.y1)
    draw_tile<true>(f, inside, x0, y0);
  else
    draw_tile<false>(f, inside, x0, y0);
}

template <class F>
void launch_tiles(Context& context, std::string_view name, Size size, const F& f) {
  const EdgePixels edge(size, f.interior());
  const auto& inside = edge.inside;
  const int across = ceil_div(inside.x1 - inside.x0, tiles_across * tile_width);
  const int down = std::max(1, ceil_div(inside.y1 - first_tile_row(inside), tiles_down * tile_height));
  const auto edge_threads_per_row = std::int64_t{down} * tile_threads;
  const auto edge_blocks_per_row = static_cast<int>((edge.count() + edge_threads_per_row - 1) / edge_threads_per_row);
  context.launch(
      name, tiles_kernel<F>,
      {.grid = row_grid(edge_blocks_per_row + across, down), .block = dim3(tile_threads), .start = Start::dependent}, edge,
      edge_blocks_per_row, f);
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
    if constexpr (TileFunction<F>) return launch_tiles(*this, name, size, f);
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

// Context::for_each_colour: one function of a pixel's position and colour, run by a kernel or by the host's threads.
//
// A pixel has three bytes. Where rows begin at multiples of 16 bytes, and the function has sixteen(x, y, colours), each thread
// takes 16 pixels: three loads of 16 bytes, and one store of the function's own.
//
// Otherwise a warp loads 128 pixels of a row as 96 words, three per lane, and exchanges them through shared memory; each lane
// then has four pixels, 32 apart, so that the lanes of a warp write to adjacent addresses. With one pixel per thread, a warp
// would access every sector of memory three times, and each thread would have few bytes in flight.
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
