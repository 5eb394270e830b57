// The tilted table: sums over triangles that open upwards (gpu/tables/tables.h).
//
// A triangle consists of the triangle whose tip lies one step up and to the left, and two lines along its right side. With
//     rising(x, y) = image(x, y) + image(x+1, y-1) + image(x+2, y-2) + ...
// this is tilted(x, y) = tilted(x-1, y-1) + rising(x, y) + rising(x, y-1), with 0 for pixels outside the image.
//
// On a GPU each thread takes one diagonal: in the first kernel one of `rising`, in the last one of the triangles. Threads
// of neighbouring diagonals are in the same row at the same time, so that a warp's accesses are coalesced. No thread waits
// for another. The kernels are simple, not fast: there are few threads, each with a long diagonal.
//
// A triangle whose tip is left of the image ends in the first column, and grows there by one line per row. The diagonals that come
// from the left therefore begin with prefix sums of the first column of `rising`: tilted(0, y). One warp computes them between
// the two.
//
// On the host one pass over the rows is enough, by Lienhart's recurrence: the two triangles one row above, minus the one two
// rows above, in which they overlap.
#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/sat/block/warp.cuh"
#include "gpu/tables/tables.h"

namespace gpu {
namespace {

using Pixels = ImageView<const std::uint8_t>;
using Sums = ImageView<std::uint32_t>;

constexpr int threads = 128;
constexpr int rows_of_lane = 16;  // of the first column, at once

constexpr int diagonals(Size size) { return size.width + size.height - 1; }

// Thread a takes the pixels with x + y = a, from the top right downwards.
__global__ void __launch_bounds__(threads) rising_kernel(Pixels image, Sums rising) {
  const int first = static_cast<int>(blockIdx.x) * threads, a = first + static_cast<int>(threadIdx.x);
  std::uint32_t sum = 0;
  for (int y = max(0, first - image.width + 1); y < image.height; ++y) {
    const int x = a - y;
    if (x < 0) break;
    if (x >= image.width) continue;  // not yet in the image
    sum += image(x, y);
    rising(x, y) = sum;
  }
}

// The first column of the table, by one warp: a lane takes some rows at a time, and the warp scans their sums.
__global__ void __launch_bounds__(sat::warp_lanes) first_column_kernel(ImageView<const std::uint32_t> rising, Sums tilted) {
  const int lane = static_cast<int>(threadIdx.x);
  std::uint32_t above = 0;
  for (int first = 0; first < rising.height; first += sat::warp_lanes * rows_of_lane) {
    const int y = first + lane * rows_of_lane;
    std::uint32_t sums[rows_of_lane], sum = 0;
#pragma unroll
    for (int i = 0; i < rows_of_lane; ++i) sums[i] = y + i < rising.height ? rising(0, y + i) : 0u;
#pragma unroll
    for (int i = 0; i < rows_of_lane; ++i) sums[i] = sum += sums[i];
    const auto end = above + sat::inclusive_scan(sum);
#pragma unroll
    for (int i = 0; i < rows_of_lane; ++i)
      if (y + i < rising.height) tilted(0, y + i) = end - sum + sums[i];
    above = __shfl_sync(sat::whole_warp, end, sat::warp_lanes - 1);
  }
}

// Thread c takes the pixels with x - y = c - (height - 1), from the top left downwards.
__global__ void __launch_bounds__(threads) triangle_kernel(ImageView<const std::uint32_t> rising, Sums tilted) {
  const int first = static_cast<int>(blockIdx.x) * threads, c = first + static_cast<int>(threadIdx.x);
  std::uint32_t sum = 0;
  for (int y = max(0, rising.height - first - threads); y < rising.height; ++y) {
    const int x = c - (rising.height - 1) + y;
    if (x >= rising.width) break;
    if (x < 0) continue;  // not yet in the image
    if (x == 0) {
      sum = tilted(0, y);
      continue;
    }
    sum += rising(x, y) + (y > 0 ? rising(x, y - 1) : 0u);
    tilted(x, y) = sum;
  }
}

void tilted_on_device(Context& context, Pixels image, Sums tilted) {
  const Context::ScratchScope scope(context);
  const auto rising = context.scratch_image<std::uint32_t>(image.size());
  const Grid shape{dim3(static_cast<unsigned>(ceil_div(diagonals(image.size()), threads))), dim3(threads)};
  context.launch("rising diagonals", rising_kernel, shape, image, rising);
  context.launch("first column", first_column_kernel, {dim3(1), dim3(sat::warp_lanes)}, rising, tilted);
  context.launch("triangles", triangle_kernel, shape, rising, tilted);
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
    tilted_on_device(context, image, tilted);
}

}  // namespace gpu
