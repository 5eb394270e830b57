// A W x W tile held in the registers of one block, and the sums the papers take of it.
//
// Letters of 000 (Emoto et al. 2018), Table II, for the tile T(I, J) in tile row I and tile column J:
//   LRS[i]  local row sum: row i of the tile                GRS[i]  the same row from the image's left edge
//   LCS[j]  local column sum: column j of the tile          GCS[j]  the same column from the image's top edge
//   LS      local sum: the whole tile                       GS      everything above and left, the tile included
//   GLS     GS(I, J) - GS(I-1, J-1), an L-shape             GSAT    the tile of the summed area table
//
//            GS(I-1,J-1) | GCS(I-1,J)
//           -------------+------------     GSAT(i, j) = tile's own SAT(i, j) + GS(I-1,J-1)
//            GRS(I,J-1)  |   tile                       + GRS(I,J-1)[0..i] + GCS(I-1,J)[0..j]
//
// How the tile lies in the block: a thread owns `rows` rows of 4 neighbouring columns; W/4 neighbouring threads, the
// lanes of a row, own a band of `rows` whole rows; `groups` bands make the tile. So a row is loaded and stored in
// 16-byte pieces by neighbouring lanes, column sums down a band need no communication, and row sums need shuffles only.
// The papers keep the tile in shared memory in the diagonal arrangement (000 sec. II); registers are the departure all
// our tile algorithms share: the tile never makes the round trip through shared memory, and only band totals do.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/warp.cuh"

namespace gpu::sat {

// Four neighbouring pixels, loaded and stored in one piece where memory is aligned to it.
template <class T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) Four {
  T at[4];
};

// Whether every row of the view starts on a Four's boundary.
template <class T>
bool aligned_to_four(ImageView<T> view) {
  return reinterpret_cast<std::uintptr_t>(view.data) % alignof(Four<T>) == 0 &&
         static_cast<std::size_t>(view.stride) * sizeof(T) % alignof(Four<T>) == 0;
}

template <class Sum, int W>
struct Tile {
  static constexpr int groups = sizeof(Sum) == 8 ? 16 : 8;  // 8-byte sums take two registers each: half the rows
  static constexpr int columns = 4;
  static constexpr int lanes = W / columns;
  static constexpr int rows = W / groups;
  static constexpr int threads = lanes * groups;  // 2 W, or 4 W
  static_assert(warp_lanes % lanes == 0, "a row must lie in one warp");

  Sum at[rows][columns];

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  static __device__ int group() { return static_cast<int>(threadIdx.x) / lanes; }
  static __device__ int first_row() { return group() * rows; }         // in the tile
  static __device__ int first_column() { return lane() * columns; }    // in the tile

  // The tile whose top left pixel is (x0, y0); pixels outside the image count 0. `aligned`: aligned_to_four(image).
  template <class Input>
  __device__ void load(ImageView<const Input> image, int x0, int y0, bool aligned) {
    const int x = x0 + first_column(), y = y0 + first_row();
    if (aligned && x0 + W <= image.width && y0 + W <= image.height) {
      // All rows are asked for before the first is used: `rows` loads in flight a thread.
      Four<Input> loaded[rows];
      const Input* source = image.row(y) + x;
#pragma unroll
      for (int r = 0; r < rows; ++r) loaded[r] = *reinterpret_cast<const Four<Input>*>(source + r * image.stride);
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int c = 0; c < columns; ++c) at[r][c] = term<Sum>(loaded[r].at[c]);
      return;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < columns; ++c)
        at[r][c] = x + c < image.width && y + r < image.height ? term<Sum>(image(x + c, y + r)) : Sum(0);
  }

  __device__ void store(ImageView<Sum> sat, int x0, int y0, bool aligned) const {
    const int x = x0 + first_column(), y = y0 + first_row();
    if (aligned && x0 + W <= sat.width && y0 + W <= sat.height) {
      Sum* target = sat.row(y) + x;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        Four<Sum> four;
#pragma unroll
        for (int c = 0; c < columns; ++c) four.at[c] = at[r][c];
        *reinterpret_cast<Four<Sum>*>(target + r * sat.stride) = four;
      }
      return;
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (x + c < sat.width && y + r < sat.height) sat(x + c, y + r) = at[r][c];
  }

  // The sums of this thread's columns over its band's rows.
  __device__ Four<Sum> band_column_sums() const {
    Four<Sum> sums{at[0][0], at[0][1], at[0][2], at[0][3]};
#pragma unroll
    for (int r = 1; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < columns; ++c) sums.at[c] += at[r][c];
    return sums;
  }

  // Row r of the band summed over the tile's width, in every lane of the row.
  __device__ Sum row_sum(int r) const {
    return segment_sum<lanes>(at[r][0] + at[r][1] + at[r][2] + at[r][3]);
  }

  // Each row becomes its own prefix sums; afterwards the last lane's at[r][3] is LRS of row r.
  __device__ void scan_rows() {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int c = 1; c < columns; ++c) at[r][c] += at[r][c - 1];
      // What stands left of this lane: the scan of the neighbours' totals, moved by one lane.
      const Sum total = inclusive_scan<lanes>(at[r][columns - 1]);
      Sum left = __shfl_up_sync(whole_warp, total, 1, lanes);
      if (lane() == 0) left = 0;
#pragma unroll
      for (int c = 0; c < columns; ++c) at[r][c] += left;
    }
  }

  // Each column becomes its prefix sums inside the band. After scan_rows(), at[][] is the band's own SAT.
  __device__ void scan_band_columns() {
#pragma unroll
    for (int r = 1; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < columns; ++c) at[r][c] += at[r - 1][c];
  }

  __device__ Four<Sum> bottom_row() const {
    return {at[rows - 1][0], at[rows - 1][1], at[rows - 1][2], at[rows - 1][3]};
  }

  // Adds to every entry what stands above its column (`above`, this thread's 4) and left of its row (`left[i]`, i a row
  // of the tile).
  __device__ void add(const Four<Sum>& above, const Sum* left) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const Sum from_left = left[first_row() + r];
#pragma unroll
      for (int c = 0; c < columns; ++c) at[r][c] += above.at[c] + from_left;
    }
  }
};

// Band totals on their way between the bands of a tile, in shared memory.
template <class Sum, int W>
struct Bands {
  alignas(16) Sum at[Tile<Sum, W>::groups][W];

  __device__ void put(const Four<Sum>& four) {
    *reinterpret_cast<Four<Sum>*>(&at[Tile<Sum, W>::group()][Tile<Sum, W>::first_column()]) = four;
  }
  // Column j over all bands.
  __device__ Sum column(int j) const {
    Sum sum = 0;
#pragma unroll
    for (int g = 0; g < Tile<Sum, W>::groups; ++g) sum += at[g][j];
    return sum;
  }
  // This thread's columns over the bands above its own.
  __device__ Four<Sum> above() const {
    Four<Sum> sum{};
#pragma unroll
    for (int g = 0; g < Tile<Sum, W>::groups - 1; ++g) {
      if (g >= Tile<Sum, W>::group()) break;
      const auto band = *reinterpret_cast<const Four<Sum>*>(&at[g][Tile<Sum, W>::first_column()]);
#pragma unroll
      for (int c = 0; c < 4; ++c) sum.at[c] += band.at[c];
    }
    return sum;
  }
};

}  // namespace gpu::sat
