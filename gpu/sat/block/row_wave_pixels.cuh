// The pixels of a tile of row_waves, in shared memory: 32 KB, 256 x 128 of bytes. Eight warps have pieces of 128 columns: of
// bytes two beside each other and four below each other, otherwise eight below each other.
//
// They come by asynchronous copies, past the registers, and leave the L2 cache to the published sums (intrinsics.cuh) and to
// tiles that are fetched ahead. Of an aligned image only warps at its right and at its lower edge look at each pixel. Rows
// that begin anywhere: bytes come as the aligned words that contain them, and are moved in shared memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/image.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/tile_order.cuh"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat::row_waves {

// The tile of pixels of so many bytes.
struct Shape {
  int W, H;
};
constexpr int tile_bytes = 32768, piece_columns = 128, pixel_warps = 8;
constexpr Shape shape_of(std::size_t pixel_bytes) {
  const int W = pixel_bytes == 1 ? 2 * piece_columns : piece_columns;
  return {W, tile_bytes / static_cast<int>(pixel_bytes) / W};
}

__device__ inline int thread() { return static_cast<int>(threadIdx.x); }
__device__ inline int lane() { return thread() % warp_lanes; }
__device__ inline int warp() { return thread() / warp_lanes; }

// Whether rows of an image begin at places where 4 pixels, and 16 bytes, are loaded at once.
struct ImageAlignment {
  bool four, copies;
};

// 16 bytes: what one asynchronous copy moves.
struct alignas(16) CopiedPiece {
  unsigned char bytes[16];
};

template <class Input>
struct PixelsOfTile {
  static constexpr int W = shape_of(sizeof(Input)).W, H = shape_of(sizeof(Input)).H;
  static constexpr int pieces = W / piece_columns, bands = pixel_warps / pieces, rows = H / bands;  // of a warp
  static_assert(H % warp_lanes == 0 && warp_lanes % rows == 0);

  struct Shared {
    alignas(16) Four<Input> at[pixel_warps][rows][warp_lanes];
    // For bytes in rows that begin anywhere: the word behind the last lane's, which contains its last bytes.
    std::uint32_t behind[pixel_warps][sizeof(Input) == 1 ? rows : 1];
  };

  Shared& shared;
  TilePlace place;

  static __device__ int piece() { return warp() % pieces; }
  static __device__ int band() { return warp() / pieces; }
  __device__ int x0() const { return place.J * W + piece() * piece_columns; }  // of the warp
  __device__ int y0() const { return place.I * H + band() * rows; }
  // Whether the warp's pixels lie in an image of this size. Other warps look at edges.
  __device__ bool inside(int width, int height) const { return x0() + piece_columns <= width && y0() + rows <= height; }

  // Row r of the warp, four columns in each lane; after wait().
  __device__ const Four<Input>& row(int r) const { return shared.at[warp()][r][lane()]; }

  // Starts to load the tile, by the warps of pixels. Pixels outside the image count as 0.
  __device__ void load(ImageView<const Input> image, ImageAlignment aligned) const {
    if (aligned.copies && inside(image.width, image.height))
      copy(image);
    else if constexpr (sizeof(Input) == 1)
      copy_words(image);
    else
      copy_pixels(image);
    commit_async_copies();
  }
  // Waits for the pixels of this warp.
  __device__ void wait(ImageView<const Input> image, ImageAlignment aligned) const {
    wait_for_async_copies<0>();
    __syncwarp();
    if constexpr (sizeof(Input) == 1)
      if (!aligned.four) shift_pixels(image);
  }

  // Starts to bring the tile at `later` into the L2 cache: 128 bytes per thread.
  static __device__ void fetch_into_l2(ImageView<const Input> image, TilePlace later) {
    constexpr int line = 128 / static_cast<int>(sizeof(Input)), lines_of_row = W / line;
    static_assert(H * lines_of_row == pixel_warps * warp_lanes);
    if (thread() >= H * lines_of_row) return;
    const int x = later.J * W + thread() % lines_of_row * line, y = later.I * H + thread() / lines_of_row;
    if (x < image.width && y < image.height) gpu::fetch_into_l2(image.row(y) + x);
  }

 private:
  // Rows that begin at 16 bytes, inside the image.
  __device__ void copy(ImageView<const Input> image) const {
    constexpr int pixels = 16 / static_cast<int>(sizeof(Input)), of_row = piece_columns / pixels;
    constexpr int rows_at_once = warp_lanes / std::min(of_row, warp_lanes), of_lane = rows * of_row / warp_lanes;
    auto* target = reinterpret_cast<CopiedPiece*>(shared.at[warp()]) + lane();
    if constexpr (of_row <= warp_lanes) {
      const Input* source = image.row(y0() + lane() / of_row) + x0() + lane() % of_row * pixels;
#pragma unroll
      for (int i = 0; i < of_lane; ++i, target += warp_lanes, source += rows_at_once * image.stride)
        copy_async_once(target, reinterpret_cast<const CopiedPiece*>(source));
    } else {
      const Input* source = image.row(y0()) + x0() + lane() * pixels;
#pragma unroll
      for (int i = 0; i < of_lane; ++i, target += warp_lanes) {
        constexpr int parts = of_row / warp_lanes;
        copy_async_once(target, reinterpret_cast<const CopiedPiece*>(source + i % parts * warp_lanes * pixels));
        if (i % parts == parts - 1) source += image.stride;
      }
    }
  }

  // Bytes, where copy() does not apply: the aligned words that contain them; shift_pixels() then moves rows that do not begin
  // at a word. Words that lie in the row in part, one at each of its ends, are put together from bytes: each lane has those of
  // one row, so that all rows are loaded at once.
  __device__ void copy_words(ImageView<const Input> image) const {
    const auto bytes_before = [&](int r) {  // of the row's first word
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(image.row(y0() + r) + x0()) % 4);
    };
    // Whether word k of row r lies in the image.
    const auto first_of = [&](int k, int before) { return x0() + 4 * k - before; };
    const auto word_at = [&](int r, int k, int before) {
      return reinterpret_cast<const std::uint32_t*>(image.row(y0() + r) + first_of(k, before));
    };
    const auto is_whole = [&](int r, int k, int before) {
      return y0() + r < image.height && first_of(k, before) >= 0 && first_of(k, before) + 4 <= image.width;
    };
    if (x0() > 0 && inside(image.width, image.height)) {
#pragma unroll 8
      for (int r = 0; r < rows; ++r) copy_async(pixel_word(r, lane()), word_at(r, lane(), bytes_before(r)));
    } else {
#pragma unroll 1
      for (int r = 0; r < rows; ++r) {
        const int before = bytes_before(r);
        if (is_whole(r, lane(), before))
          copy_async(pixel_word(r, lane()), word_at(r, lane(), before));
        else
          *pixel_word(r, lane()) = 0;
      }
    }
    __syncwarp();
    static_assert(rows == warp_lanes, "a lane for each row");
    const int r = lane(), before = bytes_before(r), last = (image.width - 1 - x0() + before) / 4;
    // A row that begins at a word has nothing in the word behind the last lane's.
    if (before > 0 && is_whole(r, warp_lanes, before))
      copy_async(&shared.behind[warp()][r], word_at(r, warp_lanes, before));
    else
      shared.behind[warp()][r] = before > 0 && last == warp_lanes ? bytes_of_word(image, r, last, before) : 0;
    if (x0() == 0 && before > 0) *pixel_word(r, 0) = bytes_of_word(image, r, 0, before);
    if (last >= 0 && last < warp_lanes && !is_whole(r, last, before))
      *pixel_word(r, last) = bytes_of_word(image, r, last, before);
  }
  __device__ std::uint32_t* pixel_word(int r, int k) const {
    return reinterpret_cast<std::uint32_t*>(&shared.at[warp()][r][k]);
  }
  // Word k of row r, of which `before` bytes lie before its first pixel; zeros outside the image.
  __device__ std::uint32_t bytes_of_word(ImageView<const Input> image, int r, int k, int before) const {
    std::uint32_t word = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int x = x0() + 4 * k - before + i;
      if (x >= 0 && x < image.width && y0() + r < image.height)
        word |= static_cast<std::uint32_t>(image(x, y0() + r)) << 8 * i;
    }
    return word;
  }
  // Moves the bytes of rows that do not begin at a word.
  __device__ void shift_pixels(ImageView<const Input> image) const {
    const auto first = 8 * static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(image.row(y0()) + x0()));
    const auto step = 8 * static_cast<unsigned>(image.stride);
#pragma unroll 8
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t own = packed(row(r));
      const std::uint32_t next = __shfl_sync(whole_warp, lane() == 0 ? shared.behind[warp()][r] : own,
                                             (lane() + 1) % warp_lanes);
      const std::uint32_t word = __funnelshift_r(own, next, (first + static_cast<unsigned>(r) * step) % 32);
      memcpy(&shared.at[warp()][r][lane()], &word, sizeof word);
    }
  }

  // Larger pixels, where copy() does not apply: neighbouring lanes copy neighbouring pixels.
  __device__ void copy_pixels(ImageView<const Input> image) const {
    auto* target = reinterpret_cast<Input*>(shared.at[warp()]) + lane();
#pragma unroll 8
    for (int i = 0; i < rows * 4; ++i, target += warp_lanes) {
      const int x = x0() + i % 4 * warp_lanes + lane(), y = y0() + i / 4;
      if (x < image.width && y < image.height)
        copy_async(target, &image(x, y));
      else
        *target = Input(0);
    }
  }
};

}  // namespace gpu::sat::row_waves
