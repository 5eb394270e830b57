// prefix_tree_blocked: the tree of interval sums over groups of k numbers, one group after another.
//
// Paper: Nakano, Optimal parallel algorithms for computing the sum, the prefix-sums, and the summed area table on the memory
// machine models (002), sec. 7, Corollary 6; for the table as in sec. 8.
// Idea: a tree over n numbers needs work space for n more. A tree over k numbers needs only k: groups of k numbers are
// scanned one after another, each seeded with the last prefix sum of the previous group.
//
//      row:  [ k numbers ] -> seed -> [ k numbers ] -> seed -> ...          in each: up the tree, down the tree
//
// Kernels: 4: rows, transpose, rows, transpose. Traffic: 4 reads and 4 writes per pixel: one of each in every scan and every
// transpose. Work space: k numbers in the registers of the block that scans a row, and a table in scratch memory for the
// transpose.
// Synchronisation: each row has its own block. Two barriers per group, around the levels above those of a warp.
//
// Departures: the paper's p threads are one block, and barriers separate its steps, not kernels: at 4096 x 4096 and k = 4096
// that would be 200 000 launches. Each row has its own block, and rows are scanned concurrently. An interval is held by the
// thread, or by the warp, that it covers: the two lowest levels in registers, the next five in shuffles between lanes, the
// uppermost in shared memory. The additions are the paper's.
#include <algorithm>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {
namespace {

constexpr int most_threads = 1024, most_warps = most_threads / warp_lanes;

// Five levels of the tree, up and down: the prefix sums of one number per lane. On the way up, the last lane of an interval
// adds the sum of the left half to its own; on the way down, the last lane of a left half adds the prefix sum that ends
// where its interval begins.
template <class Sum>
__device__ Sum tree_over_lanes(Sum value) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
  for (int half = 1; half < warp_lanes; half *= 2) {
    const Sum left = __shfl_up_sync(whole_warp, value, half);
    if (lane % (2 * half) == 2 * half - 1) value += left;
  }
#pragma unroll
  for (int half = warp_lanes / 4; half > 0; half /= 2) {
    const Sum before = __shfl_up_sync(whole_warp, value, half);
    if (lane >= 2 * half && lane % (2 * half) == half - 1) value += before;
  }
  return value;
}

// The tree over the intervals of whole warps.
template <class Sum>
struct WarpIntervals {
  Sum sum[most_warps];      // of each warp's part of the group
  Sum through[most_warps];  // prefix sums, from the start of the row
};

// A thread holds `Fours` x 4 numbers of a group. Those of a warp lie side by side: 128 numbers, the next 128, ...
template <class Input, class Sum, int Fours>
__global__ void __launch_bounds__(most_threads)
    scan_rows(ImageView<const Input> image, bool image_aligned, ImageView<Sum> sums, bool sums_aligned) {
  auto& intervals = static_shared<WarpIntervals<Sum>>();
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const int warps = static_cast<int>(blockDim.x) / warp_lanes, group = static_cast<int>(blockDim.x) * 4 * Fours;
  const int y = static_cast<int>(blockIdx.x), first = (warp * Fours * warp_lanes + lane) * 4;
  const Input* row = image.row(y);
  Sum* target = sums.row(y);

  Four<Input> next[Fours];
  const auto load = [&](int x0) {
#pragma unroll
    for (int f = 0; f < Fours; ++f) next[f] = load_four(row, x0 + first + f * 4 * warp_lanes, image.width, image_aligned);
  };
  load(0);
  Sum seed = 0;
  for (int x0 = 0; x0 < image.width; x0 += group) {
    // Up, in registers: after this, entry 1 is the sum of the first pair, 3 that of the second, and `four` that of both.
    Four<Sum> entry[Fours];
    Sum scanned[Fours];
#pragma unroll
    for (int f = 0; f < Fours; ++f) {
#pragma unroll
      for (int c = 0; c < 4; ++c) entry[f].at[c] = term<Sum>(next[f].at[c]);
      entry[f].at[1] += entry[f].at[0];
      entry[f].at[3] += entry[f].at[2];
    }
    // The next group is on its way while this one is summed.
    if (x0 + group < image.width) load(x0 + group);

      // Up and down, over the lanes; then the intervals of 128 numbers of this warp, of which there are 1 or 4.
#pragma unroll
    for (int f = 0; f < Fours; ++f) scanned[f] = tree_over_lanes(entry[f].at[1] + entry[f].at[3]);
    Sum before[Fours], all = 0;
    if constexpr (Fours == 1) {
      before[0] = 0;
      all = scanned[0];
    } else {
      static_assert(Fours == 4);
      const Sum pair = scanned[0] + scanned[1];
      before[0] = 0;
      before[1] = __shfl_sync(whole_warp, scanned[0], warp_lanes - 1);
      before[2] = __shfl_sync(whole_warp, pair, warp_lanes - 1);
      before[3] = before[2] + __shfl_sync(whole_warp, scanned[2], warp_lanes - 1);
      all = pair + (scanned[2] + scanned[3]);
    }
    if (lane == warp_lanes - 1) intervals.sum[warp] = all;
    __syncthreads();
    // Up and down, over the warps. The seed is part of the first interval, and so of all prefix sums behind it.
    if (warp == 0) {
      Sum interval = lane < warps ? intervals.sum[lane] : Sum(0);
      if (lane == 0) interval += seed;
      intervals.through[lane] = tree_over_lanes(interval);
    }
    __syncthreads();
    const Sum left_of_warp = warp > 0 ? intervals.through[warp - 1] : seed;
    seed = intervals.through[warps - 1];

    // Down, in registers.
#pragma unroll
    for (int f = 0; f < Fours; ++f) {
      const Sum lower = __shfl_up_sync(whole_warp, scanned[f], 1);
      const Sum left = left_of_warp + before[f] + (lane > 0 ? lower : Sum(0));
      const Sum pair = left + entry[f].at[1];
      const Four<Sum> prefix{{left + entry[f].at[0], pair, pair + entry[f].at[2], pair + entry[f].at[3]}};
      const int x = x0 + first + f * 4 * warp_lanes;
      store_four<warp_lanes>(target + x, x, image.width, sums_aligned, prefix);
    }
  }
}

template <class Input, class Sum>
void launch_scan(Context& context, ImageView<const Input> image, ImageView<Sum> sums, int k) {
  const int group = std::min(k, image.width);  // a short row needs only a small tree
  const auto launch = [&]<int Fours>() {
    const int threads = std::min(ceil_div(ceil_div(group, 4 * Fours), warp_lanes) * warp_lanes, most_threads);
    context.launch("row scan", scan_rows<Input, Sum, Fours>,
                   {dim3(static_cast<unsigned>(image.height)), dim3(static_cast<unsigned>(threads))}, image,
                   aligned_to_four(image), sums, aligned_to_four(sums));
  };
  if (k > 4 * most_threads)
    launch.template operator()<4>();
  else
    launch.template operator()<1>();
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const int k = arguments.integer("k");
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<32, BlockOrder::plain>(context, input, output, 8,
                                                    [&](auto from, auto to) { launch_scan(context, from, to, k); });
  });
}

constexpr Parameter parameters[] = {choice("k", "4096,1024,16384", "numbers of a group, and of its work space")};

}  // namespace

extern constinit const SatAlgorithm sat_prefix_tree_blocked{
    .name = "prefix_tree_blocked",
    .year = 2013,
    .paper = "Nakano, Optimal parallel algorithms for the summed area table on the memory machine models, Corollary 6",
    .idea = "The tree of interval sums over groups of k numbers in turn, each seeded with the last sum of the one before.",
    .reads = "4",
    .writes = "4",
    .traffic = traffic_of_scans_and_transposes,
    .parameters = parameters,
    .run = run,
};

}  // namespace gpu::sat
