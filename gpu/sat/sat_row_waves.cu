// row_waves: look-backs of tiles that are taken row after row. For images of bytes, whose tables come near to the time of a copy.
//
// Idea (our own): decoupled_fallback takes tiles in the order of the diagonals, so that a look-back finds global sums soon. But
// then the tiles in flight lie in as many rows of memory as there are tile rows, and that order alone costs a tenth of the
// time. Here block b takes tile b in the order of rows. What this would cost in waiting is taken back in four ways
// (row_wave_tile.cuh):
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
// Pixels come by asynchronous copies, past the registers, are read once, and the table streams out: both leave the L2 cache to
// the published sums (relaxed_word.cuh) and to tiles that are fetched ahead. Warps at the right and at the lower edge of the
// image look at every pixel; no other does.
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
// faster at 4096 x 4096 if all blocks start at once, slower at 8192 x 8192. Not tried: three sums of 16 bits and a tag in one
// word; smaller tiles for the first and the last rows, while not all multiprocessors are busy.
//
// Tables of floats, too, are faster by decoupled_fallback: a tile of as many bytes has a quarter of the pixels, but half of the
// sums.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gpu/context.h"
#include "gpu/sat.h"
#include "gpu/sat/block/look_back_tile.cuh"
#include "gpu/sat/block/look_back_walk.h"
#include "gpu/sat/block/row_wave_tile.cuh"
#include "gpu/sat/block/staggered_start.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/shared_memory.cuh"

namespace gpu::sat {
namespace {

using namespace row_waves;

// Polls in vain before a block turns to the fallback. On the simulated GPU one: a poll there reads all places of a batch.
#ifdef SATSCOPE_SIMULATED
constexpr int polls_in_vain = 1;
#else
constexpr int polls_in_vain = 5000;
#endif

struct Launch {
  Grid grid;
  StaggeredStart start;
  int ahead;  // a block fetches the tile that is so many later
  Alignment image;
  bool sat_aligned;
  bool backward;  // the last tile first, for tests
  int patience;

  __device__ int own_tile() const {
    const int block = static_cast<int>(blockIdx.x);
    return backward ? grid.tiles() - 1 - block : block;
  }
};

template <class Input, class Sum, int Group>
struct BlockShared {
  typename RowWaveTile<Input, Sum, Group>::Shared tile;
  std::uint32_t run;
};

// Resident blocks per multiprocessor to compile for: 8-byte sums need more registers.
template <class Sum>
constexpr int resident_tiles = sizeof(Sum) == 8 ? 3 : 4;

// All threads of the block. Not inlined, and with arguments by value, as in decoupled_fallback.
template <class Input, class Sum, int Group, class Trace>
[[gnu::noinline]] __device__ void compute_missing(ImageView<const Input> image, ImageView<Sum> sat, Lines<Sum> lines,
                                                  Launch launch, Trace trace) {
  auto& shared = static_shared<BlockShared<Input, Sum, Group>>();
  const int own = launch.own_tile();
  for (int number = 0; number <= own; ++number) {
    const RunSlot<Sum> corner{lines.corner + number, shared.run};
    const bool has_come = number < own && threadIdx.x == 0 && corner->read().status == Status::global;
    if (__syncthreads_or(has_come)) continue;
    RowWaveTile<Input, Sum, Group> tile(shared.tile, launch.grid, launch.grid.place(number));
    tile.load(image, launch.image);
    tile.put_local_sums();
    __syncthreads();
    tile.find_carries(lines, shared.run, Endless{});
    if (number == own) tile.store_table(sat, launch.sat_aligned, trace);
  }
}

template <class Input, class Sum, int Group, class Trace>
__global__ void __launch_bounds__(block_threads, resident_tiles<Sum>)
    row_waves_kernel(ImageView<const Input> image, ImageView<Sum> sat, Lines<Sum> lines, Launch launch, Trace trace) {
  auto& shared = static_shared<BlockShared<Input, Sum, Group>>();
  launch.start.wait_for_turn(static_cast<int>(blockIdx.x));
  const int own = launch.own_tile();
  RowWaveTile<Input, Sum, Group> tile(shared.tile, launch.grid, launch.grid.place(own));
  trace.start(tile.place.I, tile.place.J);

  // Step 1: the tile into shared memory, and its local sums; meanwhile the number of this run, which comes with a ticket. The
  // ticket's serial number is not used.
  const bool takes_ticket = threadIdx.x == corner_thread;
  const auto before = takes_ticket ? lines.all.tickets->draw() : 0;
  tile.load(image, launch.image);
  if (launch.ahead > 0) tile.fetch_ahead(image, own + launch.ahead);
  if (takes_ticket) shared.run = lines.all.tickets->drawn(before, gridDim.x).run;
  tile.put_local_sums();
  __syncthreads();

  // Steps 2 and 3: the carries, by looking back. Step 4: GSAT.
  if (tile.find_carries(lines, shared.run, Patience{launch.patience}))
    tile.store_table(sat, launch.sat_aligned, trace);
  else
    compute_missing<Input, Sum, Group>(image, sat, lines, launch, trace);
  // By the thread that publishes the corner, which does so last: the block's other accesses to slots lie before a barrier.
  if (takes_ticket) lines.all.end(shared.run, gridDim.x);
}

// As tiles_ahead() of tile_order.cuh. In the order of rows the tiles ahead are neighbours in memory: fewer lines of the cache are
// in use, so that they may take a larger part of it.
int row_tiles_ahead(Size image, std::size_t pixel_bytes, std::size_t l2_bytes) {
  if (image.pixels() * pixel_bytes > 16 * l2_bytes) return 0;
  constexpr std::size_t usual = 80;
  return static_cast<int>(std::min(usual, l2_bytes / 12 / tile_bytes));
}

constexpr Grid grid_of(Size size, Shape tile) {
  return {ceil_div(size.height, tile.H), ceil_div(size.width, tile.W), size.width};
}

template <class Input, class Sum, int Group>
void launch_tiles(Context& context, TileRecorder* recorder, ImageView<const Input> image, ImageView<Sum> sat,
                  Launch launch) {
  constexpr Shape shape = shape_of(sizeof(Input));
  const auto grid = launch.grid = grid_of(image.size(), shape);
  constexpr int clocks_of_tile = 14000;
  launch.start = staggered_start(grid.tiles(), resident_tiles<Sum> * context.limits().multiprocessors, clocks_of_tile);
  launch.image = {aligned_to_four(image), aligned_to<CopiedPiece>(image)};
  launch.sat_aligned = aligned_to_four(sat);
  const auto lines = Lines<Sum>::of(context, shape, grid, Group);
  const TracedPass<Input, Sum> pass(recorder, context, "row_waves", Size{shape.W, shape.H}, grid.rows, grid.columns);
  pass.launch([&](auto trace) {
    context.launch("row_waves", row_waves_kernel<Input, Sum, Group, decltype(trace)>,
                   {dim3(static_cast<unsigned>(grid.tiles())), dim3(block_threads)}, image, sat, lines, launch, trace);
  });
}

int group_of(const Arguments& arguments) { return arguments.text("group") == "four" ? 4 : 8; }

void run_with(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments,
              TileRecorder* recorder, bool backward, int patience) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    Launch launch{};
    launch.backward = backward, launch.patience = patience;
    if (arguments.text("ahead") != "none")
      launch.ahead = row_tiles_ahead(image.size(), sizeof(Input), context.limits().l2_bytes);
    visit_constant<4, 8>(group_of(arguments),
                         [&]<int Group>() { launch_tiles<Input, Sum, Group>(context, recorder, input, output, launch); });
  });
}

void run_traced(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments,
                TileRecorder* recorder) {
  run_with(context, image, sat, arguments, recorder, false, polls_in_vain);
}
void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_with(context, image, sat, arguments, nullptr, false, polls_in_vain);
}
void run_backward(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_with(context, image, sat, arguments, nullptr, true, 0);
}

// Each place of a line reads a batch of the slots before it, once.
constexpr std::uint64_t slots_read(int places, int batch) {
  std::uint64_t read = 0;
  for (int place = 0; place < places; ++place) read += static_cast<std::uint64_t>(std::min(place, batch));
  return read;
}

// Of every run but the first, which also clears the memory that persists; as traffic.h says, blocks run one after another.
Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const Shape shape = shape_of(bytes.input);
  const Grid grid = grid_of(size, shape);
  const int group = group_of(arguments), groups = published_groups(grid.columns, group);
  const auto width = static_cast<std::uint64_t>(size.width), H = static_cast<std::uint64_t>(shape.H);
  const auto R = static_cast<std::uint64_t>(grid.rows), C = static_cast<std::uint64_t>(grid.columns);
  const auto G = static_cast<std::uint64_t>(groups), tiles = R * C;
  // Columns: local sums only below the first tile row, none in the last one.
  Traffic slots{width * slots_read(grid.rows, column_batch(shape.W / piece_columns)), R > 1 ? width * (2 * R - 3) : 0, 0};
  // Rows: every tile but the last publishes its own sums, or those of its group.
  std::uint64_t row_reads = 0, corner_reads = 0;
  for (int J = 0; J < grid.columns; ++J)
    row_reads += static_cast<std::uint64_t>(J % group + std::min(J / group, group_batch));
  slots += Traffic{R * H * row_reads, R * H * (C - 1 - G) + R * H * G, 0};
  // Corners: a lane of a warp per predecessor on the diagonal.
  const int shorter = std::min(grid.rows, grid.columns);
  for (int predecessors = 1; predecessors < shorter; ++predecessors)
    corner_reads += static_cast<std::uint64_t>(grid.rows + grid.columns - 2 * predecessors - 1) *
                    static_cast<std::uint64_t>(std::min(predecessors, warp_lanes));
  slots += Traffic{corner_reads, tiles, 0};
  const auto slot = slot_bytes(bytes);
  return tickets_taken(tiles) + one_pass(size.pixels(), bytes.input, bytes.sum) +
         Traffic{slots.read_bytes * slot, slots.written_bytes * slot, 0};
}

constexpr Parameter parameters[] = {
    choice("group", "eight,four", "tiles of a tile row that form a group: their sums are looked back over together"),
    fetch_ahead};

constexpr SatAlgorithm forward_rows{
    .name = "row_waves",
    .year = 2026,
    .paper =
        "our own: large tiles of bytes in the order of rows, row sums in two levels, and the fallback of Smith, Levien, "
        "Owens, SPAA 2025",
    .idea = "Tiles are taken row after row; row sums are passed on in groups of tiles, column sums by looking back.",
    .device = Device::cuda,
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .repeatable = false,
    .run = run,
};
constexpr SatAlgorithm backward_rows() {
  auto algorithm = forward_rows;
  algorithm.run = run_backward;
  return algorithm;
}

}  // namespace

extern constinit const SatAlgorithm sat_row_waves = forward_rows;
extern constinit const SatAlgorithm sat_row_waves_backward = backward_rows();  // for tests

extern constinit const TracedSat traced_row_waves{.name = "row_waves", .run = run_traced};

}  // namespace gpu::sat
