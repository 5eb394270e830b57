// What the threads of a tile exchange through shared memory: the column sums of its bands, and prefix sums along its sides.
#pragma once

#include "gpu/sat/block/block_scan.cuh"
#include "gpu/sat/block/tile.cuh"

namespace gpu::sat {

// The column sums of a tile's bands, in shared memory.
template <class Input, class Sum, int W, int Groups = usual_groups<Sum>>
struct Bands {
  using TileType = Tile<Input, Sum, W, Groups>;
  alignas(16) Sum at[TileType::groups][W];

  __device__ void put(const Four<Sum>& four) {
    *reinterpret_cast<Four<Sum>*>(&at[TileType::group()][TileType::first_column()]) = four;
  }
  // Column j over all bands: LCS[j].
  __device__ Sum column(int j) const {
    Sum sum = 0;
#pragma unroll
    for (int g = 0; g < TileType::groups; ++g) sum += at[g][j];
    return sum;
  }
  // The same; also replaces each band's sum of column j by the sum of all bands above it. For tiles of many bands, where
  // add_above() would read too much.
  __device__ Sum scan_column(int j) {
    Sum part[TileType::groups];
#pragma unroll
    for (int g = 0; g < TileType::groups; ++g) part[g] = at[g][j];
    Sum sum = 0;
#pragma unroll
    for (int g = 0; g < TileType::groups; ++g) {
      at[g][j] = sum;
      sum += part[g];
    }
    return sum;
  }
  // After scan_column() of all columns and a barrier: the same as add_above() without scan_column().
  __device__ void add_scanned(Four<Sum>& sum) const {
    const auto band = *reinterpret_cast<const Four<Sum>*>(&at[TileType::group()][TileType::first_column()]);
#pragma unroll
    for (int c = 0; c < 4; ++c) sum.at[c] += band.at[c];
  }
  // Adds the sums of this thread's columns over the bands above its own.
  __device__ void add_above(Four<Sum>& sum) const {
#pragma unroll
    for (int g = 0; g < TileType::groups - 1; ++g) {
      if (g >= TileType::group()) break;
      const auto band = *reinterpret_cast<const Four<Sum>*>(&at[g][TileType::first_column()]);
#pragma unroll
      for (int c = 0; c < 4; ++c) sum.at[c] += band.at[c];
    }
  }
};

// Prefix sums of W values in shared memory, one value per thread. After a barrier the i-th is at[i] + before(i).
template <class Sum, int W>
struct Prefix {
  Sum at[W];
  BlockScan<Sum, W / warp_lanes> warps;

  // Thread `index` of W puts its value; whole warps take part.
  __device__ void put(int index, Sum value) { at[index] = warps.put(index / warp_lanes, value); }
  __device__ Sum before(int index) const { return warps.before(index / warp_lanes); }
  __device__ Sum all() const { return warps.all(); }
};

}  // namespace gpu::sat
