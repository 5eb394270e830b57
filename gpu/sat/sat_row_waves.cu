// row_waves: look-backs of tiles that are taken row after row. For images of bytes, whose tables come near to the time of a copy.
//
// Idea (our own): decoupled_fallback takes tiles in the order of the diagonals, so that a look-back finds global sums soon. But
// then the tiles in flight lie in as many rows of memory as there are tile rows, and that order alone costs a tenth of the
// time. Here block b takes tile b in the order of rows. What this would cost in waiting is taken back in four ways:
//   - Tiles of bytes are large, 256 x 128, and wait in shared memory, where four of them fit on a multiprocessor.
//   - All tiles of a tile row are on their way at once. Row sums are therefore found in two levels: those of the tiles before
//     in the same group are added all at once, and only the sums of whole groups are looked back over.
//   - The tiles above lie a whole tile row back, and have their global sums.
//   - So does the tile diagonally above. A warp of its own looks for its sum while others look for theirs.
//
//      block    0  1  2  3 | 4  5  6  7         tile row 0: groups of four tiles
//               8  9 10 11 |12 13 14 15         tile row 1: block 14 adds the row sums of 13 and 12, then those of the
//                                               group 8..11; columns from 6; corner from 5
//
// Pixels come by asynchronous copies (row_wave_pixels.cuh), are read once, and the table streams out: both leave the L2 cache to
// the published sums (intrinsics.cuh) and to tiles that are fetched ahead. Where rows begin anywhere, the lanes exchange the
// table's entries before they store them (four.cuh), by usual stores: a sector of two tiles waits in the L2 cache for its other
// part.
//
// Why every block ends: each waits for tiles with smaller numbers only, and blocks nearly always start in the order of their
// numbers. As in decoupled_fallback, a block that waits too long computes the missing sums itself, for tiles 0, 1, ... up to
// its own, except those whose corner has come: whoever published a corner has published, or has on the way, all other sums of
// that tile. Two blocks may publish the same sum; either is right.
//
// Kernels: 1. Traffic: one read and one write per pixel; per tile W + H + 1 words of two sums are written once or twice, and
// a few times as many are read, from the L2 cache.
// Synchronisation: slots with a run's number (run_slots.cuh), as in decoupled_fallback.
//
// GPUs: a block needs 38 to 47 KB of shared memory. On sm_80, sm_90 and sm_100 four of 4-byte sums are resident per
// multiprocessor, on sm_86, sm_89 and sm_120 two, on sm_75 one. A block that is alone loads nothing while it looks back and
// stores, and before sm_80 its loads pass through registers: there it runs, but decoupled_fallback, which has two or three blocks
// of registers, should be taken.
//
// Tried on an H100, and not kept: rows of tiles by bulk copies (sm_90, "cp.async.bulk") in place of asynchronous ones: a little
// faster at 4096 x 4096 if all blocks start at once, slower at 8192 x 8192. On an H200: copies that the L2 cache evicts first, for
// rows that begin anywhere. Not tried: three sums of 16 bits and a tag in one word; smaller tiles for the first and the last rows,
// while not all multiprocessors are busy.
//
// Tables of floats, too, are faster by decoupled_fallback: a tile of as many bytes has a quarter of the pixels, but half of the
// sums.
#include <algorithm>
#include <cstdint>

#include "gpu/context.h"
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/look_back_tile.cuh"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/row_wave_tile.cuh"
#include "gpu/sat/block/tile_of_block.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat {
namespace {

using namespace row_waves;

// Polls in vain before a block turns to the fallback; simulated, one: a poll there reads all places of a batch.
constexpr int usual_polls = polls_in_vain(polls_of_row_waves);

// Resident blocks per multiprocessor to compile for.
template <class Sum>
constexpr int resident_tiles = blocks_of_row_waves(sizeof(Sum));

template <class Input, class Sum, int Group, class Trace>
__global__ void __launch_bounds__(block_threads, resident_tiles<Sum>)
    row_waves_kernel(ImageView<const Input> image, ImageView<Sum> sat, Launch<Sum> launch,
                     Alignment<ImageAlignment, bool> aligned, Trace trace) {
  using TileType = RowWaveTile<Input, Sum, Group>;
  auto& shared = static_shared<typename TileType::OfBlock>();
  launch.start.wait_for_turn(static_cast<int>(blockIdx.x));
  const int own = TileType::own_tile(launch);
  TileType tile(shared, launch, own);
  trace.start(tile.place.I, tile.place.J);

  // Step 1: the tile into shared memory, and its local sums; meanwhile the number of this run, which comes with a ticket. The
  // ticket's serial number is not used.
  const auto& slots = launch.lines.all;
  const bool takes_ticket = threadIdx.x == corner_thread;
  const auto before = takes_ticket ? slots.tickets->draw() : 0;
  tile.load(image, aligned.image);
  if (launch.ahead > 0) tile.fetch_ahead(image, own + launch.ahead);
  if (takes_ticket) shared.run = slots.tickets->drawn(before, gridDim.x).run;
  tile.put_local_sums(image, aligned.image);
  __syncthreads();

  // Steps 2 and 3: the carries, by looking back. Step 4: GSAT.
  if (tile.find_carries(PollBudget{launch.order.most_polls}))
    tile.store_table(sat, aligned.sat, trace);
  else
    fall_back<TileType>(image, sat, launch, aligned, trace);
  // By the thread that publishes the corner, which does so last: the block's other accesses to slots lie before a barrier.
  if (takes_ticket) slots.end(shared.run, gridDim.x);
}

constexpr Grid grid_of(Size size, Shape tile) {
  return {ceil_div(size.height, tile.H), ceil_div(size.width, tile.W), size.width};
}

template <class Input, class Sum, int Group>
void launch_tiles(Context& context, ImageView<const Input> image, ImageView<Sum> sat, int ahead) {
  constexpr Shape shape = shape_of(sizeof(Input));
  const auto grid = grid_of(image.size(), shape);
  const auto& limits = context.limits();
  const auto order = context.impatient() ? TilesOfBlocks{true, 0} : TilesOfBlocks{false, usual_polls};
  const Launch<Sum> launch{
      Lines<Sum>::of(context, shape, grid, Group), grid,
      staggered_start(grid.tiles(), resident_tiles<Sum> * limits.multiprocessors, tuning_for(limits).clocks_of_row_waves),
      ahead, order};
  const Alignment<ImageAlignment, bool> aligned{{aligned_to_four(image), aligned_to<CopiedPiece>(image)},
                                                aligned_to_four(sat)};
  const TracedPass<Input, Sum> pass(context, "row_waves", Size{shape.W, shape.H}, grid.rows, grid.columns);
  pass.launch([&](auto trace) {
    context.launch("row_waves", row_waves_kernel<Input, Sum, Group, decltype(trace)>,
                   {dim3(static_cast<unsigned>(grid.tiles())), dim3(block_threads)}, image, sat, launch, aligned, trace);
  });
}

int group_of(const Arguments& arguments) { return arguments.text("group") == "four" ? 4 : 8; }

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    int ahead = 0;
    if (arguments.text("ahead") != "none")
      ahead = tuning_for(context.limits())
                  .row_of_tiles.of(tile_bytes, image.size().pixels() * sizeof(Input), context.limits().l2_bytes);
    visit_constant<4, 8>(group_of(arguments),
                         [&]<int Group>() { launch_tiles<Input, Sum, Group>(context, input, output, ahead); });
  });
}

// The traffic of every run but the first, which clears the memory that persists; blocks run one by one (traffic.h).
Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const Shape shape = shape_of(bytes.input);
  const Grid grid = grid_of(size, shape);
  const int group = group_of(arguments), groups = published_groups(grid.columns, group);
  const auto width = static_cast<std::uint64_t>(size.width), H = static_cast<std::uint64_t>(shape.H);
  const auto R = static_cast<std::uint64_t>(grid.rows), C = static_cast<std::uint64_t>(grid.columns);
  const auto G = static_cast<std::uint64_t>(groups), tiles = R * C;
  const auto batch = static_cast<std::uint64_t>(column_batch(shape.W / piece_columns));
  // Columns: local sums only below the first tile row, none in the last one.
  Traffic slots{width * slots_read(R, batch), R > 1 ? width * (2 * R - 3) : 0, 0};
  // Rows: every tile but the last publishes its own sums, or those of its group.
  std::uint64_t row_reads = 0;
  for (int J = 0; J < grid.columns; ++J)
    row_reads += static_cast<std::uint64_t>(J % group + std::min(J / group, group_batch));
  slots += Traffic{R * H * row_reads, R * H * (C - 1 - G) + R * H * G, 0};
  slots += Traffic{corner_slots_read(grid.rows, grid.columns), tiles, 0};
  const auto slot = slot_bytes(bytes);
  return tickets_taken(tiles) + one_pass(size.pixels(), bytes.input, bytes.sum) +
         Traffic{slots.read_bytes * slot, slots.written_bytes * slot, 0};
}

constexpr Parameter parameters[] = {
    choice("group", "eight,four", "tiles of a tile row that form a group: their sums are looked back over together"),
    fetch_ahead};

}  // namespace

extern constinit const SatAlgorithm sat_row_waves{
    .name = "row_waves",
    .year = 2026,
    .paper =
        "our own: large tiles of bytes in the order of rows, row sums in two levels, and the fallback of Smith, Levien, "
        "Owens, SPAA 2025",
    .idea = "Tiles are taken row after row; row sums are passed on in groups of tiles, column sums by looking back.",
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .repeatable = false,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
