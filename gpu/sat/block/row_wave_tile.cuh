// A tile of row_waves: its sums, the look-backs by which its block finds its three carries, and its table. The letters are
// those of tile.cuh.
//
//      eight warps             pixels in shared memory (row_wave_pixels.cuh); the sums of the tile
//      128 of their threads    columns: carry GCS(I-1, J), by looking back up
//      the other 128           rows: carry GRS(I, J-1), by looking back left in two levels
//      a ninth warp            corner: carry GS(I-1, J-1), by looking back along the diagonal
//
// Rows in two levels: where tiles are taken row after row, all tiles of a tile row are on their way at once, and a look-back
// would walk over most of them. A tile therefore adds the local sums of the tiles before it in its group, all read at once;
// the last tile of each group publishes the sums of the group, over which the look-back proper goes.
//
//      tile      0 1 2 3 | 4 5 6 7 | 8 9 ...     tile 9 adds the row sums of tile 8,
//      group        0    |    1    |  2          and those of groups 1, 0: local, or global up to there
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/look_back.cuh"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/row_wave_pixels.cuh"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_of_block.cuh"
#include "gpu/sat/block/tile_order.cuh"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat::row_waves {

// The threads of a block. Those of the pixels become those of the columns, then those of the rows.
constexpr int column_threads = 128, corner_thread = pixel_warps * warp_lanes, block_threads = corner_thread + warp_lanes;

// Slots that a thread reads at once: of a column, of groups.
constexpr int column_batch(int columns_of_thread) { return columns_of_thread == 1 ? 4 : 2; }
constexpr int group_batch = 4;

struct Grid {
  int rows, columns;  // of tiles
  int width;          // of the image, in pixels

  // From a slot of a column to that of the same column one tile row below: from sector to sector.
  __host__ __device__ int step_down() const { return (width + 3) / 4 * 4; }

  __host__ __device__ int tiles() const { return rows * columns; }
  __host__ __device__ TilePlace place(int number) const { return {number / columns, number % columns}; }
};
// The groups of a tile row that publish their sums: the last one has no other behind it.
__host__ __device__ constexpr int published_groups(int columns, int group) { return (columns - 1) / group; }

// The slots of all tiles, except those that nobody would read.
template <class Sum>
struct Lines {
  RunSlots<Sum> all;
  TaggedWord<Sum>* column;  // [I][column of the image] for all tile rows but the last: LCS, then GCS
  TaggedWord<Sum>* row;     // [I][J][H] for all tile columns but the last: LRS; not used for the last tile of a group
  TaggedWord<Sum>* group;   // [I][group][H]: the sums of a group of tiles, then those of all tiles up to its end
  TaggedWord<Sum>* corner;  // [I][J]: GLS, then GS

  static Lines of(Context& context, Shape shape, Grid grid, int group) {
    const auto rows = static_cast<std::size_t>(grid.rows), columns = static_cast<std::size_t>(grid.columns);
    const auto H = static_cast<std::size_t>(shape.H);
    const auto of_columns = (rows - 1) * static_cast<std::size_t>(grid.step_down()), of_rows = rows * (columns - 1) * H;
    const auto of_groups = rows * static_cast<std::size_t>(published_groups(grid.columns, group)) * H;
    const auto all = RunSlots<Sum>::of(context, of_columns + of_rows + of_groups + rows * columns);
    auto* const row = all.words + of_columns;
    return {all, all.words, row, row + of_rows, row + of_rows + of_groups};
  }
};

// A look-back (look_back_walk.h) step by step, so that a thread goes along two lines at the same time.
template <class Sum, int Batch>
class Walk {
 public:
  __device__ explicit Walk(int count) : count_(count) {}
  __device__ bool ended() const { return next_ > count_; }
  __device__ Sum carry() const { return carry_; }

  // Reads the slots of the next places; slot(d): as look_back().
  template <class SlotAt>
  __device__ void read(SlotAt slot) {
    read_slots(slot, next_, count_, seen_);
  }
  // Adds what has come, in order. Returns whether anything has. Calls walked(d) for each place.
  template <class Walked>
  __device__ bool add(Walked walked) {
    bool added = false, waiting = false;
#pragma unroll
    for (int b = 0; b < Batch; ++b) {
      waiting |= seen_[b].status == Status::empty;
      if (waiting || ended()) continue;
      carry_ += seen_[b].value;
      walked(next_);
      added = true;
      next_ = seen_[b].status == Status::global ? count_ + 1 : next_ + 1;
    }
    return added;
  }

 private:
  int next_ = 1, count_;
  Sum carry_ = 0;
  Published<Sum> seen_[Batch];
};

template <class Sum>
struct Launch {
  Lines<Sum> lines;
  Grid grid;
  StaggeredStart start;
  int ahead;  // a block fetches the tile that is so many later
  TilesOfBlocks order;
};

// `Group`: tiles of a group.
template <class Input, class Sum, int Group>
struct RowWaveTile {
  using Pixels = PixelsOfTile<Input>;
  static constexpr int W = Pixels::W, H = Pixels::H, pieces = Pixels::pieces, rows = Pixels::rows;
  static_assert(H <= corner_thread - column_threads);
  // Sums of bytes in one piece fit 16 bits, so that two are added at once: 128 columns, 128 rows at most. Squares do not.
  static constexpr bool halves = sizeof(Input) == 1 && sizeof(Sum) == 4;
  using BandSum = std::conditional_t<halves, std::uint16_t, Sum>;

  struct Shared {
    typename Pixels::Shared pixels;
    unsigned char padding[64];  // moves what follows: measured on an H100 as faster for large tables, and not explained
    Bands<BandSum, W, Pixels::bands> bands;
    Sum row[pieces][H];                                   // LRS of a piece
    alignas(16) Sum above[W];                             // GCS(I-1, J)
    Prefix<Sum, H> left[pieces];                          // of the rows from the image's left edge to a piece
    BlockScan<Sum, column_threads / warp_lanes> columns;  // of GCS(I-1, J) + LCS(I, J)
    BlockScan<Sum, column_threads / warp_lanes> first;    // of GCS(I-1, J) in the first piece
    Sum corner;                                           // GS(I-1, J-1)
    bool corner_has_come;
  };

  struct OfBlock {
    Shared tile;
    std::uint32_t run;
  };

  OfBlock& block;
  Shared& shared;
  const Lines<Sum>& lines;
  const Grid& grid;
  TilePlace place;
  Pixels pixels;
  LookBackDepths depths{};  // of this thread, for the trace

  __device__ RowWaveTile(OfBlock& block, const Launch<Sum>& launch, int number)
      : block(block),
        shared(block.tile),
        lines(launch.lines),
        grid(launch.grid),
        place(grid.place(number)),
        pixels{shared.pixels, place} {}

  static __device__ int own_tile(const Launch<Sum>& launch) { return launch.order.own(launch.grid.tiles()); }

  // Step 1. Starts to load the tile.
  __device__ void load(ImageView<const Input> image, ImageAlignment aligned) const {
    if (warp() < pixel_warps) pixels.load(image, aligned);
  }
  // Starts to bring tile `number` into the L2 cache, if there is one.
  __device__ void fetch_ahead(ImageView<const Input> image, int number) const {
    if (number < grid.tiles()) Pixels::fetch_into_l2(image, grid.place(number));
  }

  // Waits for the pixels, and puts the local sums into shared memory. A barrier follows.
  __device__ void put_local_sums(ImageView<const Input> image, ImageAlignment aligned) {
    if (warp() >= pixel_warps) return;
    pixels.wait(image, aligned);
    if constexpr (halves)
      put_sums_of_halves();
    else
      put_sums();
  }

  // Steps 2 and 3: publishes the tile's sums, and finds its carries. Returns whether all have come; if not, `budget` was spent
  // in some thread, and what is not yet published of this tile stays so.
  template <class Waiting>
  __device__ bool find_carries(Waiting budget) {
    depths = {};
    const std::uint32_t run = block.run;
    const auto corner = own_corner(run);
    // Step 2: columns, rows and corner side by side.
    if (thread() < column_threads)
      find_above(run, budget);
    else if (thread() < column_threads + H)
      find_left(run, thread() - column_threads, budget);
    else if (thread() >= corner_thread)
      find_corner_at_once(corner);
    if (!all_came(budget)) return false;

    // Step 3: GLS is the sum of the three pieces of the L. Nearly always the corner has come, and nobody waits any more.
    if (shared.corner_has_come) {
      if (thread() == corner_thread) corner->publish(Status::global, shared.corner + l_shape());
      return true;
    }
    if (thread() >= corner_thread) {
      if (thread() == corner_thread) corner->publish(Status::local, l_shape());
      const Sum carry = look_back_along_diagonal(corner, budget);
      if (thread() == corner_thread && !budget.spent()) {
        corner->publish(Status::global, carry + l_shape());
        shared.corner = carry;
      }
    }
    return all_came(budget);
  }

  // For the fallback (tile_of_block.cuh). Whoever published a corner has published, or has on the way, all other sums of that
  // tile.
  __device__ bool is_published() const {
    return __syncthreads_or(thread() == 0 && own_corner(block.run)->read().status == Status::global);
  }
  __device__ void load_and_sum(ImageView<const Input> image, ImageAlignment aligned) {
    load(image, aligned);
    put_local_sums(image, aligned);
  }
  __device__ void publish(bool) { find_carries(Endless{}); }

  // Step 4: GSAT. The running sums of the columns go down the rows of a band, and are scanned along each. What is the same for
  // all rows of a band is added to the first column only.
  template <class Trace>
  __device__ void store_table(ImageView<Sum> sat, bool aligned, Trace trace) {
    trace.carry(place.I, place.J);
    if (warp() < pixel_warps) {
      if (!aligned)
        store_rows<Rows::anywhere>(sat);
      else if (pixels.inside(sat.width, sat.height))
        store_rows<Rows::inside>(sat);
      else
        store_rows<Rows::at_edge>(sat);
    }
    trace.finish(place.I, place.J, depths);
  }

 private:
  // Where a warp's rows are stored: in an aligned table, all of them or those that it has; in any other one.
  enum class Rows { inside, at_edge, anywhere };

  __device__ RunSlot<Sum> own_corner(std::uint32_t run) const {
    return {lines.corner + static_cast<std::ptrdiff_t>(place.I) * grid.columns + place.J, run};
  }

  // Two rows, and two columns, in the halves of a word each.
  __device__ void put_sums_of_halves() const {
    constexpr int pairs = 8;
    std::uint32_t even = 0, odd = 0;  // columns 0 and 2, 1 and 3
#pragma unroll
    for (int r0 = 0; r0 < rows; r0 += 2 * pairs) {
      std::uint32_t sums[pairs];
#pragma unroll
      for (int k = 0; k < pairs; ++k) {
        const std::uint32_t first = packed(pixels.row(r0 + 2 * k));
        const std::uint32_t second = packed(pixels.row(r0 + 2 * k + 1));
        sums[k] = __dp4a(first, 0x01010101u, 0u) + (__dp4a(second, 0x01010101u, 0u) << 16);
        even += (first & 0xff00ffu) + (second & 0xff00ffu);
        odd += (first >> 8 & 0xff00ffu) + (second >> 8 & 0xff00ffu);
      }
      const std::uint32_t two = segment_sums(sums);
      constexpr int lanes = warp_lanes / pairs;
      if (lane() % lanes < 2) {
        const int row = Pixels::band() * rows + r0 + lane() / lanes * 2 + lane() % lanes;
        shared.row[Pixels::piece()][row] = static_cast<Sum>(lane() % lanes == 0 ? two & 0xffffu : two >> 16);
      }
    }
    Four<std::uint16_t> columns;
    columns.at[0] = static_cast<std::uint16_t>(even & 0xffffu), columns.at[2] = static_cast<std::uint16_t>(even >> 16);
    columns.at[1] = static_cast<std::uint16_t>(odd & 0xffffu), columns.at[3] = static_cast<std::uint16_t>(odd >> 16);
    shared.bands.put(columns);
  }

  __device__ void put_sums() const {
    constexpr int at_once = std::min(rows, 8), lanes = warp_lanes / at_once;
    Four<Sum> columns{};
#pragma unroll 1
    for (int r0 = 0; r0 < rows; r0 += at_once) {
      Sum sums[at_once];
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        const auto row = pixels.row(r0 + r);
#pragma unroll
        for (int c = 0; c < 4; ++c) columns.at[c] += term<Sum>(row.at[c]);
        sums[r] = (term<Sum>(row.at[0]) + term<Sum>(row.at[1])) + (term<Sum>(row.at[2]) + term<Sum>(row.at[3]));
      }
      const Sum sum = segment_sums(sums);
      if (lane() % lanes == 0) shared.row[Pixels::piece()][Pixels::band() * rows + r0 + lane() / lanes] = sum;
    }
    shared.bands.put(columns);
  }

  // Each thread has a column of each piece.
  template <class Waiting>
  __device__ void find_above(std::uint32_t run, Waiting& budget) {
    const int step = grid.step_down(), x = place.J * W + thread();
    const RunSlot<Sum> mine{lines.column + static_cast<std::ptrdiff_t>(place.I) * step + x, run};
    Sum local[pieces], carry[pieces];
    int predecessors[pieces];
    bool read_by_others[pieces];
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      const bool in_image = x + p * piece_columns < grid.width;
      predecessors[p] = in_image ? place.I : 0;
      read_by_others[p] = in_image && place.I + 1 < grid.rows;
      local[p] = static_cast<Sum>(shared.bands.scan_column(thread() + p * piece_columns));
      if (place.I > 0 && read_by_others[p]) (mine + p * piece_columns)->publish(Status::local, local[p]);
    }
    using ColumnWalk = Walk<Sum, column_batch(pieces)>;
    const auto walked = [&](int d) { depths.up = std::max(depths.up, d); };
    const auto slot_of = [&](int p) { return [=](int d) { return mine + p * piece_columns - d * step; }; };
    ColumnWalk first(predecessors[0]);
    if constexpr (pieces == 1) {
      while (!first.ended()) {
        first.read(slot_of(0));
        if (!first.add(walked) && !budget.poll_again()) break;
      }
    } else {
      ColumnWalk second(predecessors[1]);
      while (!first.ended() || !second.ended()) {
        first.read(slot_of(0));
        second.read(slot_of(1));
        const bool added = first.add(walked);
        if (!second.add(walked) && !added && !budget.poll_again()) break;
      }
      carry[1] = second.carry();
    }
    carry[0] = first.carry();
    Sum all = 0;
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      if (read_by_others[p] && !budget.spent()) (mine + p * piece_columns)->publish(Status::global, carry[p] + local[p]);
      shared.above[thread() + p * piece_columns] = carry[p];
      all += carry[p] + local[p];
    }
    shared.columns.put_sum(warp(), all);
    if constexpr (pieces > 1) shared.first.put_sum(warp(), carry[0]);
  }

  // Row i of the tile: the tiles before it in its group, and the groups before that, at the same time.
  template <class Waiting>
  __device__ void find_left(std::uint32_t run, int i, Waiting& budget) {
    const int group = place.J / Group, in_group = place.J % Group;
    const bool read_by_others = place.J + 1 < grid.columns, last = in_group == Group - 1;
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(place.I) * (grid.columns - 1) + place.J;
    const RunSlot<Sum> mine{lines.row + row * H + i, run};
    const std::ptrdiff_t groups = static_cast<std::ptrdiff_t>(place.I) * published_groups(grid.columns, Group) + group;
    const RunSlot<Sum> of_group{lines.group + groups * H + i, run};
    Sum local = shared.row[0][i];
    if constexpr (pieces > 1) local += shared.row[1][i];
    if (read_by_others && !last) mine->publish(Status::local, local);

    bool group_known = !read_by_others || !last;  // or is published by another tile
    Walk<Sum, Group - 1> tiles(in_group);
    Walk<Sum, group_batch> far(group);
    while (!tiles.ended() || !far.ended()) {
      tiles.read([&](int d) { return mine - d * H; });
      far.read([&](int d) { return of_group - d * H; });
      const bool added = tiles.add([&](int d) { depths.left = std::max(depths.left, d); });
      const bool added_groups = far.add([&](int d) { depths.left = std::max(depths.left, in_group + d * Group); });
      if (!group_known && tiles.ended()) {
        if (!far.ended()) of_group->publish(Status::local, tiles.carry() + local);
        group_known = true;
      }
      if (!added && !added_groups && !budget.poll_again()) break;
    }
    const Sum carry = tiles.carry() + far.carry();
    if (read_by_others && last && !budget.spent()) of_group->publish(Status::global, carry + local);
    shared.left[0].put(i, carry);
    if constexpr (pieces > 1) shared.left[1].put(i, carry + shared.row[0][i]);
  }

  // By the corner's warp, before GLS is known: nearly always the corner has long been published, and then takes no time of its
  // own. If it is not there, it is not waited for, since others wait for this tile's GLS.
  __device__ void find_corner_at_once(RunSlot<Sum> corner) {
    PollBudget none{0};
    const Sum carry = look_back_along_diagonal(corner, none);
    if (thread() != corner_thread) return;
    shared.corner = carry;
    shared.corner_has_come = !none.spent();
  }
  template <class Waiting>
  __device__ Sum look_back_along_diagonal(RunSlot<Sum> corner, Waiting& budget) {
    return look_back_warp<Sum>(
        std::min(place.I, place.J), [&](int d) { return corner - d * (grid.columns + 1); },
        [&](int d) { depths.diagonal = d; }, budget);
  }
  __device__ Sum l_shape() const { return shared.left[0].all() + shared.columns.all(); }

  template <Rows Where>
  __device__ void store_rows(ImageView<Sum> sat) const {
    constexpr int at_once = sizeof(Sum) == 8 ? 2 : 4;  // rows whose scans are interleaved
    const int piece = Pixels::piece(), column = piece * piece_columns + 4 * lane(), first_row = Pixels::band() * rows;
    auto sums = *reinterpret_cast<const Four<Sum>*>(&shared.above[column]);
    shared.bands.add_scanned(sums);
    Sum rest = shared.corner + shared.left[piece].before(first_row);
    if constexpr (pieces > 1)
      if (piece == 1) rest += shared.first.all();
    if (lane() == 0) sums.at[0] += rest;

    const int x0 = pixels.x0(), y0 = pixels.y0(), x = x0 + 4 * lane();
    const int first_x = Where == Rows::anywhere ? x0 + neighbours_place<warp_lanes>(lane()) : x;
    Sum* target = sat.row(y0) + first_x;
#pragma unroll(Where == Rows::inside ? 2 : 1)  // more would not fit in the registers
    for (int r0 = 0; r0 < rows; r0 += at_once) {
      Four<Sum> entries[at_once];
      Sum scanned[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const auto row = pixels.row(r0 + k);
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          sums.at[c] += term<Sum>(row.at[c]);
          entries[k].at[c] = c == 0 ? sums.at[0] : entries[k].at[c - 1] + sums.at[c];
        }
        scanned[k] = entries[k].at[3];
      }
#pragma unroll
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        Sum left[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) left[k] = __shfl_up_sync(whole_warp, scanned[k], static_cast<unsigned>(distance));
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (lane() >= distance) scanned[k] += left[k];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k, target += sat.stride) {
        const Sum carry = shared.left[piece].at[first_row + r0 + k];
        const Sum before = __shfl_up_sync(whole_warp, scanned[k], 1);
        const Sum left = lane() == 0 ? carry : before + carry;
#pragma unroll
        for (int c = 0; c < 4; ++c) entries[k].at[c] += left;
        if constexpr (Where == Rows::anywhere) {
          exchange_fours<warp_lanes>(entries[k], lane());
          const int end = y0 + r0 + k < sat.height ? sat.width - first_x : 0;
          // Not by store_once(): a sector that is written in part stays in the cache until its other part comes.
#pragma unroll
          for (int c = 0; c < 4; ++c)
            if (c * warp_lanes < end) target[c * warp_lanes] = entries[k].at[c];
        } else if (Where == Rows::inside || (x + 4 <= sat.width && y0 + r0 + k < sat.height)) {
          store_once(reinterpret_cast<Four<Sum>*>(target), entries[k]);
        } else if (y0 + r0 + k < sat.height) {
#pragma unroll
          for (int c = 0; c < 3; ++c)
            if (x + c < sat.width) target[c] = entries[k].at[c];
        }
      }
    }
  }
};

}  // namespace gpu::sat::row_waves
