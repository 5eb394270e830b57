// scanrow_column: rows by warp scans, columns by serial scans in registers.
//
// Paper: Chen, Wahib, Takizawa, Takano, Matsuoka, Efficient Algorithms for the Summed Area Tables Primitive on GPUs, IEEE
// CLUSTER 2018 (003), sec. IV.C, Fig. 4 and 5.
// Idea: no transpose at all. In kernel 1 a warp scans a row, 32 pixels at a time, and carries its last sum on. In kernel 2 a
// block scans 32 columns; each thread scans 32 rows of one of them without exchanging data.
//
//      kernel 1: one warp per row         kernel 2: 32 columns per block
//      [32]->[32]->[32]-> ...             | warp 0: rows 0..31    |
//         carry  carry                    | warp 1: rows 32..63   |  + carry of the warps above
//
// Kernels: 2, for all images of a batch too. Traffic: 2 reads and 2 writes per pixel, all coalesced. The second
// kernel works in place.
// Synchronisation: kernel 1 none; kernel 2 barriers within a block, which has 32 whole columns to itself.
//
// Departures:
// - In kernel 1 the paper adds the last sum of 32 pixels to the first of the next 32, and then scans those. Here a warp
//   first makes 32 scans of 32 pixels, which do not wait for each other, and then adds the carries. If sums have 8 bytes, a
//   lane holds 16 pixels, not 32.
// - In both kernels the next pixels are loaded while the current ones are scanned.
// - A block of kernel 1 has 4 warps, not up to 32: rows are independent, and smaller blocks use more multiprocessors. A
//   block of kernel 2 has 16 warps (8 if sums have 8 bytes), to have registers for the next matrix. Each warp adds the
//   partial sums of the previous warps itself, while the paper scans them.
#include <type_traits>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/pictures/row_grid.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/brlt.cuh"
#include "gpu/sat/block/traffic.h"

namespace gpu::sat {
namespace {

constexpr int row_warps = 4;

// `apart`: elements from a pixel to the next one, an int or a constant.
template <class WarpScan, class Input, class Sum, class Apart>
__device__ void rows_of(const ImageView<const Input>& image, const ImageView<Sum>& sums, Apart apart) {
  // Pixels per lane: 32 as in the paper, 16 if sums have 8 bytes.
  constexpr int count = sizeof(Sum) == 8 ? 16 : 32;
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int y = static_cast<int>(blockIdx.x) * row_warps + static_cast<int>(threadIdx.x) / warp_lanes;
  if (y >= image.height) return;
  const Input* row = image.row(y);
  Sum* target = sums.row(y);
  Input next[count];
  const auto load = [&](int x) {
#pragma unroll
    for (int j = 0; j < count; ++j)
      next[j] = x + j * warp_lanes < image.width ? row[(x + j * warp_lanes) * apart] : Input(0);
  };
  load(lane);
  Sum carry = 0;
  for (int x = lane; x - lane < image.width; x += count * warp_lanes) {
    Sum data[count];
#pragma unroll
    for (int j = 0; j < count; ++j) data[j] = term<Sum>(next[j]);
    if (x - lane + count * warp_lanes < image.width) load(x + count * warp_lanes);
      // The scans are independent of each other; only the carry goes from one to the next.
#pragma unroll
    for (int j = 0; j < count; ++j) data[j] = WarpScan::scan(data[j]);
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const Sum last = __shfl_sync(whole_warp, data[j], warp_lanes - 1);
      if (x + j * warp_lanes < image.width) target[x + j * warp_lanes] = data[j] + carry;
      carry += last;
    }
  }
}

template <class Sum>
__device__ void columns_of(const ImageView<Sum>& sums) {
  auto& stitch = static_shared<Stitch<Sum, brlt_warps<Sum>>>();
  constexpr int step_rows = brlt_warps<Sum> * matrix_side;
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const int x = static_cast<int>(blockIdx.x) * matrix_side + lane;
  const int steps = ceil_div(sums.height, step_rows);
  const ImageView<const Sum> row_sums = sums;
  Sum next[matrix_side], running = 0;
  load_matrix(row_sums, x, warp * matrix_side, next);
  for (int step = 0; step < steps; ++step) {
    const int y0 = step * step_rows + warp * matrix_side;
    Sum data[matrix_side];
#pragma unroll
    for (int j = 0; j < matrix_side; ++j) data[j] = next[j];
    if (step + 1 < steps) load_matrix(row_sums, x, y0 + step_rows, next);
    serial_scan(data);
    const Sum carry = stitch.carry(step, data[matrix_side - 1], running);
    store_matrix(sums, x, y0, [&](int j) { return data[j] + carry; });
  }
}

template <class WarpScan, class Input, class Sum>
__global__ void __launch_bounds__(row_warps* warp_lanes) scan_rows(ImageView<const Input> image, ImageView<Sum> sums) {
  rows_of<WarpScan>(image, sums, std::integral_constant<int, 1>{});
}
template <class Sum>
__global__ void __launch_bounds__(brlt_warps<Sum>* warp_lanes) scan_columns(ImageView<Sum> sums) {
  columns_of(sums);
}

// Batches: a row of the grid per table.
template <class T>
__device__ ImageView<T> from(ImageView<T> first, std::ptrdiff_t elements) {
  first.data += elements;
  return first;
}
template <class WarpScan, class Input, class Sum>
__global__ void __launch_bounds__(row_warps* warp_lanes)
    scan_rows_of_images(ImageView<const Input> image, ImageView<Sum> sums, ImageBatch batch) {
  const int table = row_of_block();
  if (table < batch.tables())
    rows_of<WarpScan>(from(image, batch.image_at(table)), from(sums, batch.sat_at(table)),
                      static_cast<std::ptrdiff_t>(batch.channels));
}
template <class Sum>
__global__ void __launch_bounds__(brlt_warps<Sum>* warp_lanes)
    scan_columns_of_images(ImageView<Sum> sums, ImageBatch batch) {
  const int table = row_of_block();
  if (table < batch.tables()) columns_of(from(sums, batch.sat_at(table)));
}

int blocks_of_rows(Size image) { return ceil_div(image.height, row_warps); }
int blocks_of_columns(Size image) { return ceil_div(image.width, matrix_side); }

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    visit_warp_scan(arguments.text("scan"), [&]<class WarpScan>() {
      context.launch("row scan", scan_rows<WarpScan, Input, Sum>,
                     {dim3(static_cast<unsigned>(blocks_of_rows(input.size()))), dim3(row_warps * warp_lanes)}, input,
                     output);
    });
    context.launch("column scan", scan_columns<Sum>,
                   {dim3(static_cast<unsigned>(blocks_of_columns(input.size()))), dim3(brlt_warps<Sum> * warp_lanes)},
                   output);
  });
}

void run_batch(Context& context, const AnyConstImageView& image, const AnyImageView& sat, const Arguments& arguments,
               const ImageBatch& batch) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    visit_warp_scan(arguments.text("scan"), [&]<class WarpScan>() {
      context.launch("row scan", scan_rows_of_images<WarpScan, Input, Sum>,
                     {row_grid(blocks_of_rows(input.size()), batch.tables()), dim3(row_warps * warp_lanes)}, input, output,
                     batch);
    });
    context.launch("column scan", scan_columns_of_images<Sum>,
                   {row_grid(blocks_of_columns(input.size()), batch.tables()), dim3(brlt_warps<Sum> * warp_lanes)}, output,
                   batch);
  });
}

constexpr Parameter parameters[] = {choice("scan", warp_scans, "scan across the lanes of a warp")};

}  // namespace

extern constinit const SatAlgorithm sat_scanrow_column{
    .name = "scanrow_column",
    .year = 2018,
    .paper = "Chen et al., Efficient Algorithms for the Summed Area Tables Primitive on GPUs, sec. IV.C",
    .idea = "One warp per row, 32 pixels at a time; then 32 columns per block, each thread summing 32 rows alone.",
    .reads = "2",
    .writes = "2",
    .traffic = traffic_of_two_passes,
    .parameters = parameters,
    .run = run,
    .run_batch = run_batch,
};

}  // namespace gpu::sat
