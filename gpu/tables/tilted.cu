// The tilted table: sums over triangles that open upwards (gpu/tables/tables.h).
//
// A triangle is what lies left of its right side, without what lies left of its left side. With
//     right(x, y) = sum of image(i, j) for j <= y, i <= x + (y - j)
//     left(x, y)  = sum of image(i, j) for j <= y, i <  x - (y - j)
// this is tilted(x, y) = right(x, y) - left(x, y). All sums are modulo 2^32.
//
// On a GPU the image is divided into bands of `Rows` rows. What a band needs of all that is above it are the two sums of the
// row above: a row further down, right() goes on one column further right, left() one further left. So there are three
// kernels, of which none waits inside for another block:
//
//   bands      for each column of each band's last row, the part of both sums that the band's own rows contribute
//   diagonals  adds up the parts of the bands above: those of right() lie on a line that rises to the right, Rows columns per
//              band, those of left() on one that rises to the left. Right of the image all of a band's pixels count; nothing
//              does left of it. So a line that leaves the image at the right goes on with prefix sums of the bands' totals
//   triangles  the table. A warp takes the columns of one band that it can compute from the sums above it, row by row, by
//              Lienhart's recurrence: the two triangles one row above, minus the one two rows above, in which they overlap.
//              Every row takes one column from either end of what the warp knows, so that warps overlap by 2 Rows columns
//
// On the host one pass over the rows, by the recurrence, is enough.
#include <algorithm>
#include <cstdint>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/warp.cuh"
#include "gpu/tables/tables.h"

namespace gpu {
namespace {

using Pixels = ImageView<const std::uint8_t>;
using Sums = ImageView<std::uint32_t>;
using sat::Four;
using sat::warp_lanes;

// Of a band. Fewer rows are more sums between the kernels, but also more blocks, and less overlap.
constexpr int rows_of_band = 8;

constexpr int columns_of_lane = 4;
constexpr int most_band_warps = 16, most_band_threads = most_band_warps * warp_lanes;
constexpr int triangle_warps = 4;

// Both sums in the last row of each band, but of the last band, to which nothing is below. As wide as the image, rounded up to
// whole Fours. Of right() without what lines bring from right of the image: that is in `totals`.
struct Sides {
  Sums right, left;
  std::uint32_t* totals;  // of each band's pixels; then those of all bands down to it

  __host__ __device__ int width() const { return right.width; }
  __host__ __device__ int bands() const { return right.height; }
};

// Columns x .. x + 3 of `Rows` rows, each as one word, the first pixel in its lowest byte; zeros outside the image. x is
// divisible by 4. `by_words`: so is the width, and all rows begin at a word.
template <int Rows>
__device__ void load_rows(std::uint32_t (&words)[Rows], Pixels image, int x, int y, bool by_words) {
  if (by_words) {
    const bool inside = x >= 0 && x < image.width;
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      words[r] = inside && y + r < image.height ? *reinterpret_cast<const std::uint32_t*>(image.row(y + r) + x) : 0u;
    return;
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    words[r] = 0;
#pragma unroll
    for (int i = 0; i < columns_of_lane; ++i)
      if (x + i >= 0 && x + i < image.width && y + r < image.height)
        words[r] |= static_cast<std::uint32_t>(image(x + i, y + r)) << 8 * i;
  }
}

// The sums of up to 257 words, byte by byte, two in each register.
struct SumsOfBytes {
  std::uint32_t even = 0, odd = 0;

  __device__ void add(std::uint32_t word) {
    even += word & 0x00ff00ffu;
    odd += word >> 8 & 0x00ff00ffu;
  }
  __device__ Four<std::uint32_t> prefix_sums() const {
    Four<std::uint32_t> sums{{even & 0xffffu, odd & 0xffffu, even >> 16, odd >> 16}};
#pragma unroll
    for (int c = 1; c < columns_of_lane; ++c) sums.at[c] += sums.at[c - 1];
    return sums;
  }
};

template <int Rows>
struct BandShared {
  // Four in each word, from Rows columns left of the first thread's on.
  std::uint32_t pixels[Rows][most_band_threads + Rows / 2];
  sat::BlockScan<std::uint32_t, most_band_warps> right, left;
};

// A block for each band. From column to column right() grows by the pixels of a line that rises to the right, left() by those
// of a line that rises to the left: a thread has the sums of four of each, and a scan over the block adds them up. Wide bands
// take several turns. The first line of right() that meets the image begins almost Rows columns left of it.
template <int Rows>
__global__ void __launch_bounds__(most_band_threads) bands_kernel(Pixels image, Sides sides, bool by_words) {
  static_assert(Rows % columns_of_lane == 0);
  let_next_launch_start();
  auto& shared = static_shared<BandShared<Rows>>();
  const int band = static_cast<int>(blockIdx.x), threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / warp_lanes;
  std::uint32_t right_before = 0, left_before = 0;  // what earlier turns added up
  for (int first = -Rows; first < sides.width(); first += threads * columns_of_lane) {
    std::uint32_t own[Rows], behind[Rows];
    const int x = first + thread * columns_of_lane;
    load_rows(own, image, x - Rows, band * Rows, by_words);
    const bool has_behind = thread < Rows / 2;
    if (has_behind) load_rows(behind, image, x - Rows + threads * columns_of_lane, band * Rows, by_words);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      shared.pixels[r][thread] = own[r];
      if (has_behind) shared.pixels[r][threads + thread] = behind[r];
    }
    __syncthreads();

    SumsOfBytes right_lines, left_lines;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const auto pixels_from = [&](int column) {  // of row r; column 0 is x - Rows
        const auto* const words = &shared.pixels[r][thread + column / 4];
        return column % 4 == 0 ? words[0] : __funnelshift_r(words[0], words[1], static_cast<unsigned>(column % 4 * 8));
      };
      right_lines.add(pixels_from(2 * Rows - 1 - r));
      left_lines.add(pixels_from(r));
    }
    auto right = right_lines.prefix_sums(), left = left_lines.prefix_sums();
    const auto right_scan = shared.right.put(warp, right.at[3]), left_scan = shared.left.put(warp, left.at[3]);
    __syncthreads();

    const auto right_start = right_before + shared.right.before(warp) + right_scan - right.at[3];
    const auto left_start = left_before + shared.left.before(warp) + left_scan - left.at[3];
#pragma unroll
    for (int c = 0; c < columns_of_lane; ++c) right.at[c] += right_start, left.at[c] += left_start;
    if (x >= 0 && x < sides.width()) {
      *reinterpret_cast<Four<std::uint32_t>*>(&sides.right(x, band)) = right;
      *reinterpret_cast<Four<std::uint32_t>*>(&sides.left(x, band)) = left;
      if (x + columns_of_lane == sides.width()) sides.totals[band] = right.at[3];
    }
    if (first + threads * columns_of_lane < sides.width()) {  // then all warps are there
      right_before += shared.right.all();
      left_before += shared.left.all();
    }
  }
}

// Bands that a warp of the second kernel takes at once, and its warps: together 1152 rows.
constexpr int steps = 9;
template <int Rows>
constexpr int diagonal_warps = 128 / Rows;

template <int Warps>
struct DiagonalsShared {
  std::uint32_t sums[Warps][warp_lanes];
  sat::BlockScan<std::uint32_t, Warps> totals;
};

// Prefix sums of the bands' totals, in place.
template <int Warps>
__device__ void scan_totals(const Sides& sides, sat::BlockScan<std::uint32_t, Warps>& scan) {
  std::uint32_t before = 0;
  for (int first = 0; first < sides.bands(); first += Warps * warp_lanes) {
    const int warp = static_cast<int>(threadIdx.x) / warp_lanes, band = first + static_cast<int>(threadIdx.x);
    const auto prefix = scan.put(warp, band < sides.bands() ? sides.totals[band] : 0u);
    __syncthreads();
    if (band < sides.bands()) sides.totals[band] = before + scan.before(warp) + prefix;
    before += scan.all();
    __syncthreads();
  }
}

// Prefix sums downwards along 32 neighbouring lines, a lane for each; each warp takes some bands. `to_right`: the lines of
// right(), Rows columns further left in each band than in the one above it; otherwise those of left(), further right.
// `rightmost`: the column of the first line in the band where it is furthest right, as if the image were wide enough.
template <int Rows>
__device__ void scan_lines(Sums sums, int rightmost, bool to_right,
                           std::uint32_t (&shared)[diagonal_warps<Rows>][warp_lanes]) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  // So many bands away from there the first of the lines is inside the image, and the last one no longer is.
  const int begin = ceil_div(max(0, rightmost - sums.width + 1), Rows);
  const int end = min(sums.height, (rightmost + warp_lanes - 1) / Rows + 1);
  const int top = to_right ? begin : sums.height - end, step = to_right ? -Rows : Rows;
  const int x_at_top = rightmost + lane - (to_right ? begin : end - 1) * Rows;
  std::uint32_t before = 0;
  for (int done = 0; done < end - begin; done += diagonal_warps<Rows> * steps) {
    const int first = done + warp * steps, x = x_at_top + first * step;
    std::uint32_t* const place = &sums(x, top + first);
    const auto inside = [&](int i) { return first + i < end - begin && x + i * step >= 0 && x + i * step < sums.width; };
    const auto at = [&](int i) -> std::uint32_t& { return place[i * (sums.stride + step)]; };
    std::uint32_t values[steps], sum = 0;
#pragma unroll
    for (int i = 0; i < steps; ++i) values[i] = inside(i) ? at(i) : 0u;
#pragma unroll
    for (int i = 0; i < steps; ++i) values[i] = sum += values[i];
    shared[warp][lane] = sum;
    __syncthreads();
    std::uint32_t start = before;
#pragma unroll
    for (int w = 0; w < diagonal_warps<Rows>; ++w) {
      const auto of_warp = shared[w][lane];
      if (w < warp) start += of_warp;
      before += of_warp;
    }
#pragma unroll
    for (int i = 0; i < steps; ++i)
      if (inside(i)) at(i) = start + values[i];
    __syncthreads();
  }
}

// Blocks of 32 lines of right(), as many of left(), and the first block for the totals.
template <int Rows>
__host__ __device__ int line_blocks(const Sides& sides) {
  return ceil_div(sides.width() + (sides.bands() - 1) * Rows, warp_lanes);
}

template <int Rows>
__global__ void __launch_bounds__(diagonal_warps<Rows>* warp_lanes) diagonals_kernel(Sides sides) {
  wait_for_previous_launch();
  let_next_launch_start();
  auto& shared = static_shared<DiagonalsShared<diagonal_warps<Rows>>>();
  if (blockIdx.x == 0) return scan_totals(sides, shared.totals);
  const int block = static_cast<int>(blockIdx.x) - 1, blocks = line_blocks<Rows>(sides);
  const bool to_right = block < blocks;
  scan_lines<Rows>(to_right ? sides.right : sides.left, block % blocks * warp_lanes, to_right, shared.sums);
}

// Columns x .. x + 3 of both sums in the last row of a band; zeros where no triangle has a side.
template <int Rows>
struct SidesAt {
  Four<std::uint32_t> right{}, left{};

  __device__ SidesAt(const Sides& sides, int x, int band) {
    if (x < 0 || x >= sides.width() + Rows || band < 0) return;
    if (x < sides.width()) {
      right = *reinterpret_cast<const Four<std::uint32_t>*>(&sides.right(x, band));
      left = *reinterpret_cast<const Four<std::uint32_t>*>(&sides.left(x, band));
    }
    // The bands in which the line that rises to the right is outside the image. It is the same for all four columns.
    const int outside = band - ceil_div(max(0, sides.width() - x), Rows);
    const auto total = outside >= 0 ? sides.totals[outside] : 0u;
#pragma unroll
    for (int c = 0; c < columns_of_lane; ++c) right.at[c] += total;
  }
};

// Stores those of columns x .. x + 3 that are inside the row and in `begin` .. `end` - 1; x, `begin` and `end` are divisible
// by 4. By all lanes of a warp, which have neighbouring columns.
__device__ inline void store_columns(std::uint32_t* row, int width, int x, int begin, int end, bool aligned,
                                     Four<std::uint32_t> four) {
  if (aligned) {
    if (x < begin || x >= end) return;
    if (x + columns_of_lane <= width) {
      *reinterpret_cast<Four<std::uint32_t>*>(row + x) = four;
      return;
    }
#pragma unroll
    for (int c = 0; c < columns_of_lane - 1; ++c)
      if (x + c < width) row[x + c] = four.at[c];
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int first = x - columns_of_lane * lane + sat::neighbours_place<warp_lanes>(lane);
  sat::exchange_fours<warp_lanes>(four, lane);
#pragma unroll
  for (int k = 0; k < columns_of_lane; ++k)
    if (const int at = first + k * warp_lanes; at >= begin && at < min(end, width)) row[at] = four.at[k];
}

// Columns that a warp of the last kernel stores.
template <int Rows>
constexpr int stored_columns = warp_lanes* columns_of_lane - 2 * Rows;

template <int Rows>
__global__ void __launch_bounds__(triangle_warps* warp_lanes)
    triangles_kernel(Pixels image, Sides sides, Sums tilted, bool by_words, bool aligned) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes, across = ceil_div(image.width, stored_columns<Rows>);
  const int tile = static_cast<int>(blockIdx.x) * triangle_warps + static_cast<int>(threadIdx.x) / warp_lanes;
  const int begin = tile % across * stored_columns<Rows>, band = tile / across;
  const int x = begin - Rows + lane * columns_of_lane, y = band * Rows;
  std::uint32_t pixels[Rows];
  load_rows(pixels, image, x, y, by_words);
  wait_for_previous_launch();
  let_next_launch_start();
  if (y >= image.height) return;

  // The row above, and the one above that without the pixels of the row above: the first row would add them again.
  const SidesAt<Rows> above(sides, x, band - 1);
  Four<std::uint32_t> sums, earlier;
#pragma unroll
  for (int c = 0; c < columns_of_lane; ++c) sums.at[c] = above.right.at[c] - above.left.at[c];
  const auto right_before = __shfl_up_sync(sat::whole_warp, above.right.at[3], 1);
  const auto left_behind = __shfl_down_sync(sat::whole_warp, above.left.at[0], 1);
#pragma unroll
  for (int c = 0; c < columns_of_lane; ++c)
    earlier.at[c] = (c > 0 ? above.right.at[c - 1] : right_before) - (c < 3 ? above.left.at[c + 1] : left_behind);

#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const auto before = __shfl_up_sync(sat::whole_warp, sums.at[3], 1);
    const auto behind = __shfl_down_sync(sat::whole_warp, sums.at[0], 1);
    Four<std::uint32_t> next;
#pragma unroll
    for (int c = 0; c < columns_of_lane; ++c) {
      const auto pixel = pixels[r] >> 8 * c & 0xffu;
      next.at[c] = (c > 0 ? sums.at[c - 1] : before) + (c < 3 ? sums.at[c + 1] : behind) - earlier.at[c] + pixel;
      earlier.at[c] = sums.at[c] - pixel;  // the next row adds this row's pixels, too
    }
    sums = next;
    if (y + r >= image.height) return;
    store_columns(tilted.row(y + r), image.width, x, begin, begin + stored_columns<Rows>, aligned, sums);
  }
}

template <int Rows>
void tilted_on_device(Context& context, Pixels image, Sums tilted) {
  const Context::ScratchScope scope(context);
  const int bands = ceil_div(image.height, Rows);
  const bool by_words = sat::aligned_to_four(image) && image.width % columns_of_lane == 0;
  Sides sides{};
  if (bands > 1) {
    const Size size{ceil_div(image.width, columns_of_lane) * columns_of_lane, bands - 1};
    sides = {context.scratch_image<std::uint32_t>(size), context.scratch_image<std::uint32_t>(size),
             context.scratch<std::uint32_t>(static_cast<std::size_t>(size.height))};
    const int warps = std::min(most_band_warps, ceil_div(size.width + Rows, columns_of_lane * warp_lanes));
    context.launch("sides of bands", bands_kernel<Rows>,
                   {dim3(static_cast<unsigned>(size.height)), dim3(static_cast<unsigned>(warps * warp_lanes))}, image, sides,
                   by_words);
    context.launch("sides of triangles", diagonals_kernel<Rows>,
                   {.grid = dim3(static_cast<unsigned>(1 + 2 * line_blocks<Rows>(sides))),
                    .block = dim3(diagonal_warps<Rows> * warp_lanes),
                    .start = Start::dependent},
                   sides);
  }
  const int tiles = ceil_div(image.width, stored_columns<Rows>) * bands;
  context.launch("triangles", triangles_kernel<Rows>,
                 {.grid = dim3(static_cast<unsigned>(ceil_div(tiles, triangle_warps))),
                  .block = dim3(triangle_warps * warp_lanes),
                  .start = bands > 1 ? Start::dependent : Start::in_order},
                 image, sides, tilted, by_words, sat::aligned_to_four(tilted));
}

void tilted_on_host(Pixels image, Sums tilted) {
  const int right = image.width - 1;
  for (int y = 0; y < image.height; ++y) {
    const auto* pixels = image.row(y);
    auto* sums = tilted.row(y);
    if (y == 0) {
      for (int x = 0; x <= right; ++x) sums[x] = pixels[x];
      continue;
    }
    const auto* pixels_above = image.row(y - 1);
    const auto *above = tilted.row(y - 1), *above2 = y > 1 ? tilted.row(y - 2) : nullptr;
    // A triangle whose tip is one column outside equals that of the neighbouring column one row above.
    const auto outside = [&](int x) { return above2 ? above2[x] : 0u; };
    const auto at = [&](int x) {
      const auto left = x > 0 ? above[x - 1] : outside(0), beyond = x < right ? above[x + 1] : outside(right);
      return left + beyond - outside(x) + pixels[x] + pixels_above[x];
    };
    sums[0] = at(0);
    if (above2)
      for (int x = 1; x < right; ++x) sums[x] = above[x - 1] + above[x + 1] - above2[x] + pixels[x] + pixels_above[x];
    else
      for (int x = 1; x < right; ++x) sums[x] = above[x - 1] + above[x + 1] + pixels[x] + pixels_above[x];
    if (right > 0) sums[right] = at(right);
  }
}

}  // namespace

void compute_tilted(Context& context, Pixels image, Sums tilted) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::compute_tilted))
    return there(context, image, tilted);
  check_views(context, "compute_tilted", {{"the image", image}, {"its table", tilted, ViewArgument::written}});
  if (context.device() == Device::host)
    context.parallel("tilted", 1, [=](int) { tilted_on_host(image, tilted); });
  else
    tilted_on_device<rows_of_band>(context, image, tilted);
}

}  // namespace gpu
