// 1r1w_skss: one kernel, one read and one write per pixel; each block walks down a column of tiles.
//
// Paper: Funasaka, Nakano, Ito, Single kernel soft synchronization technique for task arrays on CUDA-enabled GPUs, with
// applications, CANDAR 2017; as Emoto et al. 2018 (000), sec. III.C.
// Idea: the block of a tile has just computed what the tile needs from above; only the row sums of the left neighbour come
// from another block, which is one tile ahead.
//
//        block 0   block 1   block 2          GRS(I, J-1) from the left, through global memory
//          |         |         |              GCP(I-1, J) from above, inside the block
//          v  ---->  v  ---->  v
//
// Kernels: 1. Traffic: one read and one write per pixel; W slots of two words per tile.
// Synchronisation: blocks take columns in the order in which they start (run_slots.cuh), so that the block of column J knows
// that the block of column J-1 is running or has finished; the leftmost unfinished column waits for no other. Slots say which
// run has published them (run_slots.cuh). They lie in memory that persists between runs, and are not cleared.
//
// Departures from the paper:
// - GRS and its flag R are in one word (tagged_word.cuh), so that no fence is needed between them.
// - GCP(I-1, J) is kept as its two parts: GCS(I-1, J), which grows by LCS from tile to tile, and GS(I-1, J-1), which grows
//   by the row sums that come from the left. GRS(I, J) = GRS(I, J-1) + LRS(I, J) can then be published as soon as the left
//   neighbour's has arrived, before any table is computed: nothing else delays the next block.
// - A block takes one column, not one after another: as many blocks are started as there are columns.
// - The next tiles of the column are loaded into shared memory meanwhile (Tile::stage): the n / W blocks are fewer than the
//   multiprocessors of a large GPU, so that a block alone must keep its multiprocessor's memory accesses busy.
// - The tile lies in registers, not in shared memory in the diagonal arrangement (tile.cuh).
//
// Tried on an H200, slower, and not kept: GRS passed from block to block inside clusters of 8 through distributed shared
// memory (st.async and mbarriers), even more so for images so large that not all clusters are resident at once.
#include <algorithm>
#include <iterator>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/tuning.h"

namespace gpu::sat {
namespace {

constexpr auto tile_side = choice<128, 64, 32>("W", "tile side in pixels");

// Twice the usual bands, and so twice the threads: a block mostly has a multiprocessor to itself, so that the latency of
// each tile dominates.
template <class Input, class Sum, int W>
using SkssTile = Tile<Input, Sum, W, 2 * usual_groups<Sum>>;

// Shared memory of one block, after the staged tiles. All of it is dynamic, so that the launch states its size.
template <class Input, class Sum, int W>
struct Shared {
  RunTickets::Ticket ticket;  // its serial number is that of the column
  Bands<Sum, W, 2 * usual_groups<Sum>> bands;
  Sum row[W];                   // LRS(I, J)
  Prefix<Sum, W> left;          // of GRS(I, J-1)
  alignas(16) Sum above[2][W];  // GCS(I-1, J) and, meanwhile, GCS(I, J)
};

// Tiles in shared memory: one in use, the others in flight. With W = 128 each SM has one block. Fewer if a block has only
// `available` bytes; 0, the slow fallback, if not even one tile fits.
template <class Input, class Sum, int W>
constexpr int staged_tiles(std::size_t available) {
  constexpr std::size_t tile = W * W * sizeof(Input), one = 1, eight = 8;
  constexpr std::size_t usual = std::clamp(staged_bytes_of_skss(W) / tile, one, eight);
  return static_cast<int>(std::min((available - sizeof(Shared<Input, Sum, W>)) / tile, usual));
}

// Waits for the slot, which is published once, as global. `seen`: the result of an earlier read.
template <class Sum>
__device__ Sum wait_for(RunSlot<Sum> slot, Published<Sum> seen) {
  while (seen.status != Status::global) seen = slot->read();
  return seen.value;
}

// One column of tiles, from the top down. `slots`: [J][I][W], GRS of every tile.
template <int Depth, class Input, class Sum, int W, class Aligned, class Trace>
__device__ void walk_down(int J, ImageView<const Input> image, ImageView<Sum> sat, RunSlot<Sum> slots, Aligned aligned,
                          Four<Input>* staging, Shared<Input, Sum, W>& shared, Trace trace) {
  using TileType = SkssTile<Input, Sum, W>;
  const int thread = static_cast<int>(threadIdx.x), index = thread % W;
  const int tile_rows = ceil_div(image.height, W), tile_columns = ceil_div(image.width, W);
  const auto stage = [&](int I) {
    if constexpr (Depth > 0) TileType::stage(staging + (I % Depth) * (W * W / 4), image, J * W, I * W, aligned.image);
  };
  for (int I = 0; I < Depth; ++I) stage(I);
  if (thread < W) shared.above[0][thread] = 0;
  Sum corner = 0;  // GS(I-1, J-1)

  for (int I = 0; I < tile_rows; ++I) {
    trace.start(I, J);
    // An early read of the left neighbour's row sums: when they are needed, they have usually arrived.
    const RunSlot<Sum> mine = slots + (static_cast<std::ptrdiff_t>(J) * tile_rows + I) * W + index;
    const RunSlot<Sum> neighbour = mine - static_cast<std::ptrdiff_t>(tile_rows) * W;
    Published<Sum> seen{Sum(0), Status::global};
    if (J > 0 && thread < W) seen = neighbour->read();

    // The tile into registers, its local sums into shared memory; then a copy of another tile starts in the same place.
    TileType tile;
    if constexpr (Depth > 0)
      tile.template unstage<Depth - 1>(staging + (I % Depth) * (W * W / 4));
    else
      tile.load(image, J * W, I * W, aligned.image);
    shared.bands.put(tile.band_column_sums());
    const Sum row = tile.row_sum();
    if (tile.lane() % tile.lanes_per_row == 0) shared.row[tile.first_row() + tile.summed_row()] = row;
    __syncthreads();
    stage(I + Depth);

    // Thread i reads GRS(I, J-1)[i] and publishes GRS(I, J)[i]; thread W + j adds this tile's LCS to GCS.
    if (thread < W) {
      const Sum left = wait_for(neighbour, seen);
      if (J + 1 < tile_columns) mine->publish(Status::global, left + shared.row[index]);
      shared.left.put(index, left);
    } else if (thread < 2 * W) {
      shared.above[(I + 1) % 2][index] = shared.above[I % 2][index] + shared.bands.scan_column(index);
    }
    __syncthreads();
    trace.carry(I, J);

    // GSAT. What is the same for all rows of a band is added to the first column; the scan of each row passes it on.
    auto above = *reinterpret_cast<const Four<Sum>*>(&shared.above[I % 2][tile.first_column()]);
    shared.bands.add_scanned(above);
    const Sum rest = corner + shared.left.before(tile.first_row());
    if (tile.lane() == 0) above.at[0] += rest;
    tile.store_table(sat, J * W, I * W, aligned.sat, above, shared.left.at);
    corner += shared.left.all();
    trace.finish(I, J);
  }
}

template <class Input, class Sum, int W, int Depth, class Aligned, class Trace>
__global__ void __launch_bounds__(SkssTile<Input, Sum, W>::threads, blocks_of_skss(W))
    skss(ImageView<const Input> image, ImageView<Sum> sat, RunSlots<Sum> slots, Aligned aligned, Trace trace) {
  unsigned char* const dynamic = dynamic_shared();
  auto* staging = reinterpret_cast<Four<Input>*>(dynamic);
  auto& shared = *reinterpret_cast<Shared<Input, Sum, W>*>(dynamic + Depth * W * W * sizeof(Input));
  if (threadIdx.x == 0) shared.ticket = slots.tickets->take(gridDim.x);
  __syncthreads();
  const auto [J, run] = shared.ticket;
  walk_down<Depth>(J, image, sat, RunSlot<Sum>{slots.words, run}, aligned, staging, shared, trace);
  if (threadIdx.x == 0) slots.end(shared.ticket.run, gridDim.x);
}

template <class Input, class Sum, int W>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat) {
  const int rows = ceil_div(image.height, W), columns = ceil_div(image.width, W);
  const auto slots = RunSlots<Sum>::of(context, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * W);
  const TracedPass<Input, Sum> pass(context, "1r1w_skss", W, rows, columns);
  // One kernel per amount of shared memory that GPUs have; several amounts often share one.
  constexpr auto depth = staged_tiles<Input, Sum, W>;
  const auto* within = std::find_if(std::begin(shared_sizes), std::end(shared_sizes) - 1,
                                    [&](std::size_t size) { return size <= context.limits().shared_bytes; });
  visit_constant<depth(shared_sizes[0]), depth(shared_sizes[1]), depth(shared_sizes[2]), depth(shared_sizes[3])>(
      depth(*within), [&]<int Depth>() {
        visit_alignment(image, sat, [&](auto aligned) {
          pass.launch([&](auto trace) {
            context.launch("1r1w_skss", skss<Input, Sum, W, Depth, decltype(aligned), decltype(trace)>,
                           {dim3(static_cast<unsigned>(columns)), dim3(SkssTile<Input, Sum, W>::threads),
                            Depth * W * W * sizeof(Input) + sizeof(Shared<Input, Sum, W>)},
                           image, sat, slots, aligned, trace);
          });
        });
      });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    tile_side.visit(arguments, [&]<int W>() { launch<Input, Sum, W>(context, input, output); });
  });
}

// The block of the next column reads a column's slots once. In memory that persists: the first run also clears it.
Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const TileGrid grid(size, arguments.integer("W"));
  const auto W = static_cast<std::uint64_t>(grid.W), slot = slot_bytes(bytes);
  const auto columns = static_cast<std::uint64_t>(grid.columns), rows = grid.rows * W;
  const auto passed_on = rows * (columns - 1) * slot;
  return tickets_taken(columns) + one_pass(size.pixels(), bytes.input, bytes.sum) + Traffic{passed_on, passed_on, 0};
}

constexpr Parameter parameters[] = {tile_side};

}  // namespace

extern constinit const SatAlgorithm sat_1r1w_skss{
    .name = "1r1w_skss",
    .year = 2017,
    .paper =
        "Funasaka, Nakano, Ito, Single kernel soft synchronization technique for task arrays; as Emoto et al. 2018, "
        "sec. III.C",
    .idea = "One kernel: a block walks down a column of tiles and waits for the block on its left, one tile ahead.",
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
