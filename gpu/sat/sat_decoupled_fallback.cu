// decoupled_fallback: look-backs of blocks that do not wait for a ticket to know their tiles. If a block waits too long for
// another one, it computes the missing sums itself.
//
// Idea (our own, for tables): 1r1w_skss_lb proves that its look-backs end by tickets: a block asks an atomic counter which
// tile is next, so that all tiles at which it looks back have been taken before. The ticket costs each block a trip to the
// L2 cache before it can load anything, and mixes up the tiles of neighbouring multiprocessors. Here block b takes tile b at
// once. CUDA does not promise that blocks start in the order of their numbers. They nearly always do; if a block waits too
// long for one that may not have started, it computes the missing sums itself, from the image ("decoupled fallback": Smith,
// Levien, Owens, Decoupled Fallback: A Portable Single-Pass GPU Scan, SPAA 2025, for scans on GPUs without forward progress
// guarantees).
//
//      block b waits for tile t < b     too long: for tiles 0, 1, ... b - 1, in this order, unless their corner has come:
//                                       load, look back, publish, as their own blocks would; then for tile b
//
// Why every block ends: while tiles are computed in the order of their numbers, each needs only sums of tiles before it, and
// those have been published by whoever computed them. A block in its fallback therefore waits for nothing but words on their
// way. Two blocks may publish the same sum: either word is right (of floating-point sums the last bits may differ, as they
// do from run to run), and a `local` sum that replaces a `global` one only makes a look-back longer.
//
// Kernels: 1. Traffic: that of 1r1w_skss_lb, if no block needs the fallback.
// Synchronisation: slots with a run's number (run_slots.cuh), which comes with a ticket whose serial number is not used: it
// is on its way while the tile is.
//
// The blocks that are resident first start one after another (StaggeredStart). A block starts to bring a
// later tile into the L2 cache (tuning.h, FetchAhead).
//
// Tried on an H200, and not kept: the tile in shared memory, three of floats per multiprocessor (faster for float images
// from 16384 x 16384 on, slower for all others); bands of 8 or 16 tile rows, each in diagonal-major order; more threads per
// tile of large images; the fallback in a loop with what nearly always runs, or inlined beside it; the next launch starting
// before this one ends (intrinsics.cuh).
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/look_back_tile.cuh"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/tile_of_block.cuh"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat {
namespace {

// The side of a tile.
constexpr int side_for(std::uint64_t sum_bytes) { return sum_bytes == 8 ? 64 : 128; }
template <class Sum>
constexpr int side = side_for(sizeof(Sum));

// Polls in vain before a block turns to the fallback.
constexpr int usual_polls = polls_in_vain(polls_of_fallback);

template <class Input, class Sum, int Groups>
struct Shared {
  typename LookBackTile<Input, Sum, side<Sum>, Groups>::Shared tile;
  std::uint32_t run;
};

// Resident blocks per multiprocessor to compile for.
template <class Input, class Sum, int Groups>
constexpr int resident_blocks = std::min(resident_look_back_blocks<Input, Sum, side<Sum>, Groups>(),
                                         most_blocks_of_fallback(std::is_floating_point_v<Sum>));

// The fallback: steps 1 to 3 for all tiles up to `own`, but not for those before it whose corner has come; then step 4 for
// `own`. All threads of the block. Not inlined, and with arguments by value: what hardly ever runs must not cost what nearly
// always runs a register. The one of row_waves and one_wave (tile_of_block.cuh) makes this kernel slower for large images.
template <class Input, class Sum, int Groups, class Aligned, class Trace>
[[gnu::noinline]] __device__ void fall_back(ImageView<const Input> image, ImageView<Sum> sat,
                                            LookBackLines<Sum, side<Sum>> lines, TilesOfBlocks order, Aligned aligned,
                                            Trace trace) {
  constexpr int W = side<Sum>;
  auto& shared = static_shared<Shared<Input, Sum, Groups>>();
  const int tile_columns = ceil_div(image.width, W), tile_rows = ceil_div(image.height, W),
            own = order.own(static_cast<int>(gridDim.x));
  for (int number = 0; number <= own; ++number) {
    const TilePlace place = diagonal_major(number, tile_rows, tile_columns);
    const RunSlot<Sum> corner{lines.corner + static_cast<std::ptrdiff_t>(place.I) * tile_columns + place.J, shared.run};
    const bool has_come = number < own && threadIdx.x == 0 && corner->read().status == Status::global;
    if (__syncthreads_or(has_come)) continue;
    LookBackTile<Input, Sum, side<Sum>, Groups> tile(shared.tile);
    tile.pixels.load(image, place.J * W, place.I * W, aligned.image);
    tile.put_local_sums();
    __syncthreads();
    tile.find_carries(lines, shared.run, place, tile_columns, Endless{});
    if (number == own) tile.store_table(sat, place, aligned.sat, trace);
  }
}

template <class Input, class Sum, int Groups, class Aligned, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, side<Sum>, Groups>::threads, resident_blocks<Input, Sum, Groups>)
    decoupled_fallback(ImageView<const Input> image, ImageView<Sum> sat, LookBackLines<Sum, side<Sum>> lines,
                       StaggeredStart start, TilesOfBlocks order, int ahead, Aligned aligned, Trace trace) {
  constexpr int W = side<Sum>;
  auto& shared = static_shared<Shared<Input, Sum, Groups>>();
  const int tile_columns = ceil_div(image.width, W), tile_rows = ceil_div(image.height, W);
  start.wait_for_turn(static_cast<int>(blockIdx.x));
  const int own = order.own(static_cast<int>(gridDim.x));
  const TilePlace place = diagonal_major(own, tile_rows, tile_columns);
  trace.start(place.I, place.J);

  // Step 1: the tile into registers, and its local sums into shared memory.
  LookBackTile<Input, Sum, side<Sum>, Groups> tile(shared.tile);
  const auto before = threadIdx.x == 0 ? lines.all.tickets->draw() : 0;
  tile.pixels.load(image, place.J * W, place.I * W, aligned.image);
  if (ahead > 0) tile.fetch_ahead(image, own + ahead, tile_rows, tile_columns);
  tile.put_local_sums();
  if (threadIdx.x == 0) shared.run = lines.all.tickets->drawn(before, gridDim.x).run;
  __syncthreads();

  // Steps 2 and 3: the carries, by looking back. Step 4: GSAT.
  if (tile.find_carries(lines, shared.run, place, tile_columns, PollBudget{order.most_polls})) {
    tile.store_table(sat, place, aligned.sat, trace);
  } else {
    fall_back<Input, Sum, Groups>(image, sat, lines, order, aligned, trace);
  }
  if (threadIdx.x == 0) lines.all.end(shared.run, gridDim.x);
}

template <class Input, class Sum, int Groups>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat, int ahead) {
  constexpr int W = side<Sum>;
  const int rows = ceil_div(image.height, W), columns = ceil_div(image.width, W), tiles = rows * columns;
  const auto lines = LookBackLines<Sum, side<Sum>>::of(context, tiles);
  const auto& tuning = tuning_for(context.limits());
  const int multiprocessors = context.limits().multiprocessors;
  StaggeredStart start{};
  if (4 * tiles > 3 * few_tiles(multiprocessors))
    start = staggered_start(tiles, resident_blocks<Input, Sum, Groups> * multiprocessors,
                            std::is_floating_point_v<Sum> ? tuning.clocks_of_floating_fallback : tuning.clocks_of_fallback);
  const TilesOfBlocks order = context.impatient() ? TilesOfBlocks{true, 0} : TilesOfBlocks{false, usual_polls};
  const TracedPass<Input, Sum> pass(context, "decoupled_fallback", W, rows, columns);
  visit_alignment(image, sat, [&](auto aligned) {
    pass.launch([&](auto trace) {
      context.launch("decoupled_fallback", decoupled_fallback<Input, Sum, Groups, decltype(aligned), decltype(trace)>,
                     {dim3(static_cast<unsigned>(tiles)), dim3(Tile<Input, Sum, side<Sum>, Groups>::threads)}, image, sat,
                     lines, start, order, ahead, aligned, trace);
    });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const auto& m = arguments.text("m");
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    const auto tiles = static_cast<int>(TileGrid(image.size(), side<Sum>).tiles());
    const int ahead = tiles_to_fetch_ahead<Input, side<Sum>>(context, arguments, image.size());
    const auto start = [&]<int Groups>() { launch<Input, Sum, Groups>(context, input, output, ahead); };
    if constexpr (is_usual<Input, Sum>() || sizeof(Sum) == 4)
      visit_constant<8, 16>(groups_for<Sum>(m, tiles, context.limits().multiprocessors), start);
    else  // for half the kernels
      start.template operator()<usual_groups<Sum>>();
  });
}

Traffic traffic(Size size, SatType type, const Arguments&, const GpuLimits&) {
  return look_back_tiles(TileGrid(size, side_for(bytes_of(type).sum)), bytes_of(type));
}

constexpr Parameter parameters[] = {pixels_per_thread, fetch_ahead};

}  // namespace

extern constinit const SatAlgorithm sat_decoupled_fallback{
    .name = "decoupled_fallback",
    .year = 2026,
    .paper =
        "our own: 1r1w_skss_lb without waiting for tickets, by the fallback of Smith, Levien, Owens, Decoupled Fallback: "
        "A Portable Single-Pass GPU Scan, SPAA 2025",
    .idea =
        "Block b takes tile b, and looks back; if it waits too long for another block, it computes the missing sums itself.",
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .repeatable = false,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
