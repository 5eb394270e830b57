// A tile whose block finds its three carries by looking back (000 sec. IV): the work that 1r1w_skss_lb, tensor_tiles and
// decoupled_fallback share. They differ in which tile a block takes, and in what proves that every look-back ends.
//
//        diagonal: GS(I-1,J-1)   up: GCS(I-1,J)
//                           \       |
//      left: GRS(I,J-1)  --- [ tile I,J ]
//
// The letters are those of tile.cuh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpu/sat/block/look_back.cuh"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_order.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat {

// The slots of all tiles of side W. Tile (I, J) of a grid of `columns` tile columns is number I * columns + J.
template <class Sum, int W>
struct LookBackLines {
  RunSlots<Sum> all;
  TaggedWord<Sum>* row;     // [tile][W]: LRS, then GRS
  TaggedWord<Sum>* column;  // [tile][W]: LCS, then GCS
  TaggedWord<Sum>* corner;  // [tile]:    GLS, then GS

  // As RunSlots::of(). Corners come last, so that the W slots of a tile fill whole 32-byte sectors.
  static LookBackLines of(Context& context, int tiles) {
    const auto slots = static_cast<std::size_t>(tiles) * W;
    const auto all = RunSlots<Sum>::of(context, 2 * slots + static_cast<std::size_t>(tiles));
    return {all, all.words, all.words + slots, all.words + 2 * slots};
  }
};

// Bands of a tile if the image has so few tiles that all are resident at once: then the latency of one block dominates, and
// twice the threads shorten it. For large images they are slower.
template <class Sum>
constexpr int groups_of_few_tiles = sizeof(Sum) == 4 ? 2 * usual_groups<Sum> : usual_groups<Sum>;
constexpr int few_tiles(int multiprocessors) { return few_tiles_per_multiprocessor * multiprocessors; }

// The parameter by which tiles are fetched ahead (tuning.h) or not.
inline constexpr Parameter fetch_ahead = choice(
    "ahead", "auto,none", "auto: a block also fetches a tile of a later block into the L2 cache; none: only its own");
template <class Input, int W>
int tiles_to_fetch_ahead(const Context& context, const Arguments& arguments, Size image) {
  if (arguments.text("ahead") == "none") return 0;
  constexpr std::size_t tile_bytes = W * W * sizeof(Input);
  const auto& tuning = tuning_for(context.limits());
  return (tile_bytes > 16384 ? tuning.large_tiles : tuning.small_tiles)
      .of(tile_bytes, image.pixels() * sizeof(Input), context.limits().l2_bytes);
}

// The parameter by which either is chosen for any image: a thread has 4 W / bands pixels (the paper's m).
inline constexpr Parameter pixels_per_thread = choice("m", "auto,W/2,W/4",
                                                      "pixels per thread; auto: W/4 for few tiles or sums of 8 bytes, else "
                                                      "W/2; sums of 8 bytes of types that few algorithms have: W/4");
template <class Sum>
int groups_for(std::string_view m, int tiles, int multiprocessors) {
  if (m != "auto") return m == "W/2" ? 8 : 16;
  return tiles <= few_tiles(multiprocessors) ? groups_of_few_tiles<Sum> : usual_groups<Sum>;
}

// The number of resident blocks per multiprocessor to compile for.
template <class Input, class Sum, int W, int Groups>
constexpr int resident_look_back_blocks() {
  return blocks_of_look_back(sizeof(Input), sizeof(Sum), W, Groups != usual_groups<Sum>);
}

template <class Input, class Sum, int W, int Groups>
struct LookBackTile {
  using TileType = Tile<Input, Sum, W, Groups>;

  struct Shared {
    Bands<Sum, W, Groups> bands;
    Sum row[W];                              // LRS(I, J)
    Prefix<Sum, W> left;                     // of GRS(I, J-1)
    alignas(16) Sum above[W];                // GCS(I-1, J)
    BlockScan<Sum, W / warp_lanes> columns;  // of GCS(I-1, J) + LCS(I, J)
    Sum corner;                              // GS(I-1, J-1)
  };

  TileType pixels;
  Shared& shared;
  Four<Sum> above;        // after find_carries() or sum_above()
  LookBackDepths depths;  // of this thread, for the trace

  __device__ explicit LookBackTile(Shared& shared) : shared(shared), above{}, depths{} {}

  // Starts to bring tile number `serial` in diagonal-major order, if there is one, into the L2 cache.
  static __device__ void fetch_ahead(ImageView<const Input> image, int serial, int tile_rows, int tile_columns) {
    if (serial >= tile_rows * tile_columns) return;
    const auto [I, J] = diagonal_major(serial, tile_rows, tile_columns);
    TileType::fetch_into_l2(image, J * W, I * W);
  }

  // Step 1, after load() of `pixels`: the local sums into shared memory. A barrier follows.
  __device__ void put_local_sums() {
    shared.bands.put(pixels.band_column_sums());
    const Sum row = pixels.row_sum();
    if (pixels.lane() % pixels.lanes_per_row == 0) shared.row[pixels.first_row() + pixels.summed_row()] = row;
  }

  // Steps 2 and 3: publishes the tile's sums, local ones at once and global ones when it has its carries. Ends with a
  // barrier. Returns whether all carries have come; if not, `budget` was spent in some thread, and what is not yet
  // published of this tile stays so.
  template <class Waiting>
  __device__ bool find_carries(const LookBackLines<Sum, W>& lines, std::uint32_t run, TilePlace tile, int tile_columns,
                               Waiting budget) {
    const auto [I, J] = tile;
    const std::ptrdiff_t number = static_cast<std::ptrdiff_t>(I) * tile_columns + J;
    const int thread = static_cast<int>(threadIdx.x);
    depths = {};

    // Steps 2.A and 2.B, side by side: thread j looks up its column, thread W + i looks left along its row.
    const int index = thread % W;
    if (thread < W) {
      const Sum local = shared.bands.column(index);
      const RunSlot<Sum> mine{lines.column + number * W + index, run};
      const Sum carry = carry_along_observed([&](int d) { depths.up = d; }, mine, local, I, tile_columns * W, budget);
      shared.above[index] = carry;
      shared.columns.put_sum(index / warp_lanes, carry + local);
    } else if (thread < 2 * W) {
      const RunSlot<Sum> mine{lines.row + number * W + index, run};
      const auto walked = [&](int d) { depths.left = d; };
      shared.left.put(index, carry_along_observed(walked, mine, shared.row[index], J, W, budget));
    }
    if (!all_came(budget)) return false;

    // Step 3: GLS is the sum of the three pieces of the L; the first warp looks back along the diagonal for GS.
    if (thread < warp_lanes) {
      const Sum l_shape = shared.left.all() + shared.columns.all();
      const int predecessors = I < J ? I : J;
      const RunSlot<Sum> mine{lines.corner + number, run};
      if (thread == 0 && predecessors > 0) mine->publish(Status::local, l_shape);
      const Sum carry = look_back_warp<Sum>(
          predecessors, [&](int d) { return mine - d * (tile_columns + 1); }, [&](int d) { depths.diagonal = d; }, budget);
      if (thread == 0 && !budget.spent()) {
        mine->publish(Status::global, carry + l_shape);
        shared.corner = carry;
      }
    }
    sum_above();  // meanwhile
    return all_came(budget);
  }

  // Sums this thread's columns from the image's top edge down to its band, after step 2.
  __device__ void sum_above() {
    above = *reinterpret_cast<const Four<Sum>*>(shared.above + pixels.first_column());
    shared.bands.add_above(above);
  }

  // Step 4: GSAT. The part of the entry left of a row that left.at[] lacks is the same for all rows of a band. It is added
  // to the first column only; the scan of each row passes it on to all others.
  template <class IsAligned, class Trace>
  __device__ void store_table(ImageView<Sum> sat, TilePlace tile, IsAligned aligned, Trace trace) {
    trace.carry(tile.I, tile.J);
    const Sum rest = shared.corner + shared.left.before(pixels.first_row());
    if (pixels.lane() == 0) above.at[0] += rest;
    pixels.store_table(sat, tile.J * W, tile.I * W, aligned, above, shared.left.at);
    trace.finish(tile.I, tile.J, depths);
  }
};

// What a block of a kernel does whose blocks take the tiles in the order of the diagonals by their tickets (000 sec. IV): a tile of
// TileType, a LookBackTile or one made from it. `ahead`: tiles_to_fetch_ahead().
template <class TileType, class Input, class Sum, int W, class Aligned, class Trace>
__device__ void compute_next_tile(ImageView<const Input> image, ImageView<Sum> sat, const LookBackLines<Sum, W>& lines,
                                  int ahead, Aligned aligned, Trace trace) {
  struct Shared {
    typename TileType::Shared tile;
    TilePlace place;
    RunTickets::Ticket ticket;
  };
  auto& shared = static_shared<Shared>();
  const int tile_columns = ceil_div(image.width, W), tile_rows = ceil_div(image.height, W);

  // Take the next tile.
  if (threadIdx.x == 0) {
    shared.ticket = lines.all.tickets->take(gridDim.x);
    shared.place = diagonal_major(shared.ticket.serial, tile_rows, tile_columns);
  }
  __syncthreads();
  const auto [serial, run] = shared.ticket;
  const TilePlace place = shared.place;
  let_next_launch_start();
  trace.start(place.I, place.J);

  // Step 1: the tile into registers, and its local sums into shared memory.
  TileType tile(shared.tile);
  tile.pixels.load(image, place.J * W, place.I * W, aligned.image);
  if (ahead > 0) tile.fetch_ahead(image, serial + ahead, tile_rows, tile_columns);
  tile.put_local_sums();
  __syncthreads();

  // Steps 2 and 3: the carries, by looking back. Step 4: GSAT.
  tile.find_carries(lines, run, place, tile_columns, Endless{});
  tile.store_table(sat, place, aligned.sat, trace);
  if (threadIdx.x == 0) lines.all.end(run, gridDim.x);
}

// One launch with a block per tile, each carry found one tile back, in memory that persists: the first run also clears it.
inline Traffic look_back_tiles(const TileGrid& grid, ElementBytes bytes) {
  const auto W = static_cast<std::uint64_t>(grid.W), slot = slot_bytes(bytes);
  // Every corner publishes its global sum, those that look back a local one before.
  const auto corners_written = grid.tiles() +
                               static_cast<std::uint64_t>(grid.rows - 1) * static_cast<std::uint64_t>(grid.columns - 1);
  return tickets_taken(grid.tiles()) + one_pass(grid.image.pixels(), bytes.input, bytes.sum) +
         carries_along(grid.rows * W, grid.columns, slot) + carries_along(grid.columns * W, grid.rows, slot) +
         Traffic{corner_slots_read(grid.rows, grid.columns) * slot, corners_written * slot, 0};
}

}  // namespace gpu::sat
