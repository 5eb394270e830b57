// The exchange of one_wave: what each block publishes of its tile, and what it adds up of the sums of other tiles.
//
//   column sums   [I][J W + j]   a block adds up those of all tiles above its own
//   row sums      [J][I H + i]   ... of all tiles on its left
//   sums          [I][J]         ... of all tiles above and left
//
// Threads that read in one step read neighbouring words. Where packs_sums() says so, a word holds the sums of two neighbours,
// [I][(J W + j) / 2] and [J][(I H + i) / 2]: half as many words pass through the L2 cache.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tagged_word.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/warp.cuh"
#include "gpu/sat/block/wave_shape.h"

namespace gpu::sat::wave {

// One launch: a rectangle of tiles, and the memory through which they exchange their sums.
template <class Sum>
struct Wave {
  int first_row, first_column;  // of tiles
  int rows, columns;
  const Sum* from_left;  // sums of the image's rows left of the rectangle; null if it begins at the left edge
  Sum* to_right;         // the same up to its end; null if it ends at the right edge
  RunSlots<Sum> slots;
  int most_polls;  // in vain, after which a block publishes itself what it waits for

  __device__ int tiles() const { return rows * columns; }
  // Word: as large as Sum.
  template <class Word>
  __device__ TaggedWord<Word>* column_words() const {
    return reinterpret_cast<TaggedWord<Word>*>(slots.words);
  }
  template <class Word>
  __device__ TaggedWord<Word>* row_words() const {
    return reinterpret_cast<TaggedWord<Word>*>(slots.words + tiles() * W);
  }
  __device__ TaggedWord<Sum>* tile_words(int H) const { return slots.words + tiles() * (W + H); }
};

// Half of the block's threads exchange column sums, half row sums and the sums of tiles. If there are more threads than lines,
// several share a line: each adds up a part of the tiles. `Packed`: words hold the sums of two lines. A thread then adds up both,
// and half of the threads have no line.
template <class Sum, int Warps, int H, bool Packed, class Waiting>
struct Exchange {
  using Word = std::conditional_t<Packed, std::uint32_t, Sum>;
  using Total = std::conditional_t<Packed, TwoSums<Sum>, Sum>;
  static constexpr int half = Warps * warp_lanes / 2, lines_of_word = Packed ? 2 : 1;
  static constexpr int threads_per_column = half / W, threads_per_row = half / H;
  // Whether rows and tiles are waited for at the same time: one trip to the L2 cache less, for a few registers more, which
  // threads with many rows do not have.
  static constexpr bool together = H / Warps <= 8;
  static constexpr bool rows_in_parts = Packed || threads_per_row > 1;
  static_assert(half % W == 0 && half % H == 0);
  static constexpr int padded_H = H < warp_lanes ? warp_lanes : H;

  struct Shared {
    Bands<Sum, W, Warps> bands;
    Sum row[H];                                    // LRS
    alignas(16) Sum above[threads_per_column][W];  // parts of the sums above
    Sum row_part[threads_per_row][H];              // parts of the sums on the left
    Prefix<Sum, padded_H> left;                    // of the sums on the left
    BlockScan<Sum, half / warp_lanes> corner;
  };

  const Wave<Sum>& wave;
  Shared& shared;
  int I, J;           // of the tile in the launch
  bool own;           // the block's tile; if not, its sums are published, and nothing else
  int most_polls;     // in vain, of each thread, before it gives up
  std::uint32_t tag;  // of the launch

  // All threads of the block, behind a barrier after Shared's `bands` and `row` have been written. Publishes before it waits.
  // Returns false if not all has come that this thread waited for.
  __device__ bool run() const {
    const int thread = static_cast<int>(threadIdx.x);
    Waiting budget{};
    if constexpr (Waiting::ends) budget.most = most_polls;
    if (thread < half)
      columns(thread, budget);
    else
      rows(thread - half, budget);
    if constexpr (rows_in_parts) {
      __syncthreads();
      if (thread >= half && thread < half + padded_H) add_row_parts(thread - half);
    }
    return !budget.spent();
  }

  // After another barrier: the sums of four columns from the launch's upper edge down to this thread's band.
  __device__ Four<Sum> above(int column) const {
    auto sums = *reinterpret_cast<const Four<Sum>*>(&shared.above[0][column]);
#pragma unroll
    for (int part = 1; part < threads_per_column; ++part) {
      const auto more = *reinterpret_cast<const Four<Sum>*>(&shared.above[part][column]);
#pragma unroll
      for (int c = 0; c < 4; ++c) sums.at[c] += more.at[c];
    }
    shared.bands.add_scanned(sums);
    return sums;
  }
  // What a band of the tile adds to left(): the sum above and left of the tile, and a part of the prefix sums on the left.
  __device__ Sum before_left(int first_row) const { return shared.corner.all() + shared.left.before(first_row); }
  __device__ const Sum* left() const { return shared.left.at; }

 private:
  __device__ void columns(int t, Waiting& budget) const {
    constexpr int words_of_tile = W / lines_of_word;
    const int line = t % words_of_tile, part = t / words_of_tile, step = wave.columns * words_of_tile;
    auto* const words = wave.template column_words<Word>() + J * words_of_tile;
    if (t < W) {
      const Sum sum = shared.bands.scan_column(t);
      const Word word = word_of(sum, Packed ? __shfl_xor_sync(whole_warp, sum, 1) : 0);
      if (I + 1 < wave.rows && t % lines_of_word == 0) words[I * step + t / lines_of_word].publish(tag, word);
    }
    if (part < threads_per_column)
      put(shared.above[part], line,
          sum_of_words<Total, Word>({words + line, step, part, I, threads_per_column}, tag, budget));
  }

  __device__ void rows(int t, Waiting& budget) const {
    constexpr int words_of_tile = H / lines_of_word;
    const int line = t % words_of_tile, part = t / words_of_tile, step = wave.rows * words_of_tile;
    auto* const words = wave.template row_words<Word>() + I * words_of_tile + line;
    if (part == 0 && J + 1 < wave.columns) {
      const Sum* const row = &shared.row[line * lines_of_word];
      words[J * step].publish(tag, word_of(row[0], row[lines_of_word - 1]));
    }
    if (t >= half - warp_lanes && I + 1 < wave.rows && J + 1 < wave.columns) publish_tile(t);
    const bool has_line = part < threads_per_row;
    const auto [left, corner] = left_and_corner({words, step, part, has_line ? J : 0, threads_per_row}, t, budget);
    shared.corner.put_sum(t / warp_lanes, corner);
    if constexpr (!rows_in_parts)
      put_left(line, left);
    else if (has_line)
      put(shared.row_part[part], line, left);
  }

  static __device__ Word word_of(Sum sum, [[maybe_unused]] Sum next) {
    if constexpr (Packed)
      return TwoSums<Sum>::word(sum, next);
    else
      return sum;
  }
  static __device__ void put(Sum* lines, int line, const Total& sum) {
    if constexpr (Packed)
      lines[2 * line] = sum.first, lines[2 * line + 1] = sum.second;
    else
      lines[line] = sum;
  }

  // LS, by one warp.
  __device__ void publish_tile(int t) const {
    Sum sum = 0;
    for (int r = t % warp_lanes; r < H; r += warp_lanes) sum += shared.row[r];
    sum = segment_sum(sum);
    if (t == half - 1) wave.tile_words(H)[I * wave.columns + J].publish(tag, sum);
  }

  struct LeftAndCorner {
    Total left;
    Sum corner;
  };
  // The sum of a line of words, and what thread t adds to the corner: sums of tiles above and left. Few images have more
  // tile columns than half a block has threads: only they take more turns.
  __device__ LeftAndCorner left_and_corner(const Places<Word>& row, int t, Waiting& budget) const {
    if (I == 0 || J == 0) return {sum_of_words<Total>(row, tag, budget), 0};
    LeftAndCorner sums{};
    if constexpr (!together) sums.left = sum_of_words<Total>(row, tag, budget);
    const int lines = J < half ? J : half, sharing = half / lines, part = t / lines;
    const int end = part < sharing ? I : 0;
    auto* const words = wave.tile_words(H) + t % lines;
    if constexpr (together)
      add_words(row, sums.left, Places<Sum>{words, wave.columns, part, end, sharing}, sums.corner, tag, budget);
    else
      sums.corner = sum_of_words<Sum, Sum>({words, wave.columns, part, end, sharing}, tag, budget);
    for (int line = lines; line + t % lines < J; line += lines)
      sums.corner += sum_of_words<Sum, Sum>({words + line, wave.columns, part, end, sharing}, tag, budget);
    return sums;
  }

  // By whole warps.
  __device__ void add_row_parts(int i) const {
    Sum sum = 0;
    if (i < H)
#pragma unroll
      for (int part = 0; part < threads_per_row; ++part) sum += shared.row_part[part][i];
    put_left(i, sum);
  }
  __device__ void put_left(int i, Sum sum) const {
    if (i < H) {
      if (wave.from_left) sum += wave.from_left[i];
      if (wave.to_right && own && J + 1 == wave.columns) wave.to_right[i] = sum + shared.row[i];
    }
    shared.left.put(i, sum);
  }
};

}  // namespace gpu::sat::wave
