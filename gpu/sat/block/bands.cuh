// What the threads of a tile exchange through shared memory: the column sums of its bands, and prefix sums along its sides.
#pragma once

#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {

// The column sums of a tile's bands, in shared memory. Its threads are divided as in tile.cuh: W / 4 of them have four columns
// each of a band.
template <class Sum, int W, int Groups = usual_groups<Sum>>
struct Bands {
  alignas(16) Sum at[Groups][W];

  __device__ void put(const Four<Sum>& four) { own(band()) = four; }
  // Column j over all bands: LCS[j].
  __device__ Sum column(int j) const {
    Sum sum = 0;
#pragma unroll
    for (int g = 0; g < Groups; ++g) sum += at[g][j];
    return sum;
  }
  // The same; also replaces each band's sum of column j by the sum of all bands above it. For tiles of many bands, where
  // add_above() would read too much.
  __device__ Sum scan_column(int j) {
    Sum part[Groups];
#pragma unroll
    for (int g = 0; g < Groups; ++g) part[g] = at[g][j];
    Sum sum = 0;
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      at[g][j] = sum;
      sum = static_cast<Sum>(sum + part[g]);
    }
    return sum;
  }
  // After scan_column() of all columns and a barrier: the same as add_above() without scan_column(). Total: Sum or larger.
  template <class Total>
  __device__ void add_scanned(Four<Total>& sum) const {
    const auto above = own(band());
#pragma unroll
    for (int c = 0; c < 4; ++c) sum.at[c] += static_cast<Total>(above.at[c]);
  }
  // Adds the sums of this thread's columns over the bands above its own.
  __device__ void add_above(Four<Sum>& sum) const {
#pragma unroll
    for (int g = 0; g < Groups - 1; ++g) {
      if (g >= band()) break;
      const auto four = own(g);
#pragma unroll
      for (int c = 0; c < 4; ++c) sum.at[c] += four.at[c];
    }
  }

 private:
  // This thread's band, and its columns of a band.
  static __device__ int band() { return static_cast<int>(threadIdx.x) / (W / 4); }
  static __device__ int first_column() { return static_cast<int>(threadIdx.x) % (W / 4) * 4; }
  __device__ Four<Sum>& own(int band) { return *reinterpret_cast<Four<Sum>*>(&at[band][first_column()]); }
  __device__ const Four<Sum>& own(int band) const { return *reinterpret_cast<const Four<Sum>*>(&at[band][first_column()]); }
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
