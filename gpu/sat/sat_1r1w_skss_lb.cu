// 1r1w_skss_lb: one kernel, one read and one write per pixel, carries by three look-backs.
//
// Paper: Emoto, Funasaka, Tokura, Honda, Nakano, Ito, An Optimal Parallel Algorithm for Computing the Summed Area Table
// on the GPU, IPDPS Workshops 2018, sec. IV.
// Idea: one block per tile. A tile needs three carries, and finds each by looking back over its predecessors' sums until
// it meets one that is already global, so that no tile waits for a whole neighbour, only for its small sums.
//
//        diagonal: GS(I-1,J-1)   up: GCS(I-1,J)
//                           \       |
//      left: GRS(I,J-1)  --- [ tile I,J ]
//
// Kernels: 1. Traffic: one read and one write per pixel; 2 W + 1 slots of two words per tile, O(n^2 / W).
// Synchronisation: a tile's status and values lie in slots (look_back.cuh): LRS then GRS for each of its rows, LCS then
// GCS for each of its columns, GLS then GS for its corner. Blocks take serial numbers (run_tickets.cuh), which stand for tiles
// in diagonal-major order (000, Fig. 9), so that all tiles at which a tile looks back have smaller numbers and are running or
// done: the smallest unfinished tile waits for no other, in whatever order the hardware starts blocks. Slots say which run has
// published them (run_slots.cuh). They lie in memory that persists between runs, and are not cleared.
//
// Departures from the paper:
// - The paper keeps one status R in 0..4 and one C in 0..2 per tile beside the values, with fences between them. Here every
//   value is in one word with its own status (R = 1, 2 are the row slots' local and global, R = 3, 4 the corner's; C the
//   column slots'), so that a reader loads once, not twice, and no fence is needed.
// - A look-back reads several predecessors at once (look_back.cuh), the corner's 32.
// - The tile lies in registers, not in shared memory in the diagonal arrangement (tile.cuh).
//
// Tried on an H200 with large float images, not faster, and not kept:
// - persistent blocks that load the next tiles into shared memory by cp.async or bulk copies, and publish their local sums
//   one tile ahead; persistent blocks that take the next number while they store (slower for small images);
// - blocks divided into warps that sum, look back and store concurrently;
// - the corner's look-back begun together with the others, or by a warp of its own: tiles do not wait for it;
// - tables stored by bulk copies or with a streaming hint; loads of 256 bytes, or loads that bypass the L1 cache;
// - prefetching the tiles of later blocks into the L2 cache.
// The clock inside the kernel shows that a look-back takes several times longer while a tile of stores is in flight: the
// likely cause of the remaining overhead.
#include "gpu/sat.h"
#include "gpu/sat/block/bands.cuh"
#include "gpu/sat/block/look_back.cuh"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_order.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/tile_traffic.h"
#include "gpu/shared_memory.cuh"

namespace gpu::sat {
namespace {

// The slots of all tiles. Tile (I, J) of a grid of `columns` tile columns is number I * columns + J.
template <class Sum>
struct Lines {
  RunSlots<Sum> all;
  TaggedWord<Sum>* row;     // [tile][W]: LRS, then GRS
  TaggedWord<Sum>* column;  // [tile][W]: LCS, then GCS
  TaggedWord<Sum>* corner;  // [tile]:    GLS, then GS
};

template <class Input, class Sum, int W, int Groups>
struct Shared {
  TilePlace tile;
  std::uint32_t run;
  Bands<Input, Sum, W, Groups> bands;
  Sum row[W];                              // LRS(I, J)
  Prefix<Sum, W> left;                     // of GRS(I, J-1)
  alignas(16) Sum above[W];                // GCS(I-1, J)
  BlockScan<Sum, W / warp_lanes> columns;  // of GCS(I-1, J) + LCS(I, J)
  Sum corner;                              // GS(I-1, J-1)
};

// Bands of a tile if the image has so few tiles that all are resident at once: then the latency of one block dominates, and
// twice the threads shorten it. For large images they are slower. The parameter m chooses either for any image: a thread has
// 4 W / bands pixels (the paper's m).
template <class Sum>
constexpr int groups_of_few_tiles = sizeof(Sum) == 4 ? 2 * usual_groups<Sum> : usual_groups<Sum>;
constexpr int few_tiles(int multiprocessors) { return 2 * multiprocessors; }

// The number of resident blocks per SM to compile for. With W = 128, a third block makes byte images faster, but not images
// of words, whose tiles do not fit in the 80 registers per thread that remain. With twice the bands, two blocks have 64
// registers per thread.
template <class Input, class Sum, int W, int Groups>
constexpr int blocks_per_sm() {
  if (W < 128 || sizeof(Sum) == 8) return 1;
  return sizeof(Input) == 1 && Groups == usual_groups<Sum> ? 3 : 2;
}

template <class Input, class Sum, int W, int Groups, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W, Groups>::threads, blocks_per_sm<Input, Sum, W, Groups>())
    skss_lb(ImageView<const Input> image, ImageView<Sum> sat, Lines<Sum> lines, bool image_aligned, bool sat_aligned,
            Trace trace) {
  auto& shared = static_shared<Shared<Input, Sum, W, Groups>>();
  const int thread = static_cast<int>(threadIdx.x);
  const int tile_columns = ceil_div(image.width, W), tile_rows = ceil_div(image.height, W);

  // Take the next tile.
  if (thread == 0) {
    const auto ticket = lines.all.tickets->take(gridDim.x);
    shared.tile = diagonal_major(ticket.serial, tile_rows, tile_columns);
    shared.run = ticket.run;
  }
  __syncthreads();
  const auto [I, J] = shared.tile;
  const std::ptrdiff_t number = static_cast<std::ptrdiff_t>(I) * tile_columns + J;
  trace.start(I, J);

  // Step 1: the tile into registers, and its local sums into shared memory.
  Tile<Input, Sum, W, Groups> tile;
  tile.load(image, J * W, I * W, image_aligned);
  shared.bands.put(tile.band_column_sums());
  const Sum row = tile.row_sum();
  if (tile.lane() % tile.lanes_per_row == 0) shared.row[tile.first_row() + tile.summed_row()] = row;
  __syncthreads();

  // Steps 2.A and 2.B, side by side: thread j looks up its column, thread W + i looks left along its row.
  const int index = thread % W;
  LookBackDepths depths{};  // of this thread, for the trace
  const auto up = [&](int tiles) { depths.up = tiles; };
  const auto left = [&](int tiles) { depths.left = tiles; };
  const auto diagonal = [&](int tiles) { depths.diagonal = tiles; };
  if (thread < W) {
    const Sum local = shared.bands.column(index);
    const RunSlot<Sum> mine{lines.column + number * W + index, shared.run};
    const Sum carry = carry_along_observed(up, mine, local, I, tile_columns * W);
    shared.above[index] = carry;
    shared.columns.put_sum(index / warp_lanes, carry + local);
  } else if (thread < 2 * W) {
    const RunSlot<Sum> mine{lines.row + number * W + index, shared.run};
    shared.left.put(index, carry_along_observed(left, mine, shared.row[index], J, W));
  }
  __syncthreads();

  // Step 3: GLS is the sum of the three pieces of the L; the first warp looks back along the diagonal for GS.
  if (thread < warp_lanes) {
    const Sum l_shape = shared.left.all() + shared.columns.all();
    const int predecessors = I < J ? I : J;
    const RunSlot<Sum> mine{lines.corner + number, shared.run};
    if (thread == 0 && predecessors > 0) mine->publish(Status::local, l_shape);
    const Sum carry = look_back_warp<Sum>(
        predecessors, [&](int d) { return mine - d * (tile_columns + 1); }, diagonal);
    if (thread == 0) {
      mine->publish(Status::global, carry + l_shape);
      shared.corner = carry;
    }
  }
  // Meanwhile: the sums of this thread's columns from the image's top edge down to its band.
  auto above = *reinterpret_cast<const Four<Sum>*>(shared.above + tile.first_column());
  shared.bands.add_above(above);
  __syncthreads();
  trace.carry(I, J);

  // Step 4: GSAT. The part of the entry left of a row that left.at[] lacks is the same for all rows of a band. It is added
  // to the first column only; the scan of each row passes it on to all others.
  const Sum rest = shared.corner + shared.left.before(tile.first_row());
  if (tile.lane() == 0) above.at[0] += rest;
  tile.store_table(sat, J * W, I * W, sat_aligned, above, shared.left.at);
  trace.finish(I, J, depths);
  if (thread == 0) lines.all.end(shared.run, gridDim.x);
}

template <class Input, class Sum, int W>
void launch(Context& context, TileRecorder* recorder, ImageView<const Input> image, ImageView<Sum> sat, std::string_view m) {
  const int rows = ceil_div(image.height, W), columns = ceil_div(image.width, W), tiles = rows * columns;
  const auto slots = static_cast<std::size_t>(tiles) * W;
  // Corners come last, so that the W slots of a tile fill whole 32-byte sectors.
  const auto all = RunSlots<Sum>::of(context, 2 * slots + static_cast<std::size_t>(tiles));
  const Lines<Sum> lines{all, all.words, all.words + slots, all.words + 2 * slots};
  const TracedPass<Input, Sum> pass(recorder, context, "1r1w_skss_lb", W, rows, columns);
  const auto start = [&]<int Groups>() {
    pass.launch([&](auto trace) {
      context.launch("1r1w_skss_lb", skss_lb<Input, Sum, W, Groups, decltype(trace)>,
                     {dim3(static_cast<unsigned>(tiles)), dim3(Tile<Input, Sum, W, Groups>::threads)}, image, sat, lines,
                     aligned_to_four(image), aligned_to_four(sat), trace);
    });
  };
  const bool few = tiles <= few_tiles(context.limits().multiprocessors);
  const int groups = m == "W/2" ? 8 : m == "W/4" ? 16 : few ? groups_of_few_tiles<Sum> : usual_groups<Sum>;
  visit_constant<8, 16>(groups, start);
}

void run_traced(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments,
                TileRecorder* recorder) {
  const auto& m = arguments.text("m");
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    visit_constant<128, 64, 32>(arguments.integer("W"),
                                [&]<int W>() { launch<Input, Sum, W>(context, recorder, input, output, m); });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_traced(context, image, sat, arguments, nullptr);
}

// The look-backs of all corners: one lane of a warp per predecessor on the diagonal, up to 32.
Traffic corner_carries(const TileGrid& grid, std::uint64_t slot) {
  const int shorter = std::min(grid.rows, grid.columns);
  Traffic all{0, grid.tiles() * slot, 0};  // the global sums
  for (int predecessors = 1; predecessors < shorter; ++predecessors) {
    const auto tiles = static_cast<std::uint64_t>(grid.rows + grid.columns - 2 * predecessors - 1);
    const auto read = std::min<std::uint64_t>(static_cast<std::uint64_t>(predecessors), warp_lanes);
    all += Traffic{tiles * read * slot, tiles * slot, 0};
  }
  return all;
}

// In memory that persists: the first run also clears it.
Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const TileGrid grid(size, arguments.integer("W"));
  const auto W = static_cast<std::uint64_t>(grid.W), slot = slot_bytes(bytes);
  return tickets_taken(grid.tiles()) + one_pass(size.pixels(), bytes.input, bytes.sum) +
         carries_along(grid.rows * W, grid.columns, slot) + carries_along(grid.columns * W, grid.rows, slot) +
         corner_carries(grid, slot);
}

constexpr Parameter parameters[] = {
    choice("W", "128,64,32", "tile side in pixels"),
    choice("m", "auto,W/2,W/4", "pixels per thread; auto: W/4 for few tiles or sums of 8 bytes, else W/2")};

}  // namespace

extern constinit const SatAlgorithm sat_1r1w_skss_lb{
    .name = "1r1w_skss_lb",
    .year = 2018,
    .paper =
        "Emoto, Funasaka, Tokura, Honda, Nakano, Ito, An Optimal Parallel Algorithm for Computing the Summed Area "
        "Table on the GPU, sec. IV",
    .idea = "One kernel, one block per tile: each tile finds its three carries by looking back over its neighbours' sums.",
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

extern constinit const TracedSat traced_1r1w_skss_lb{.name = "1r1w_skss_lb", .run = run_traced};

}  // namespace gpu::sat
