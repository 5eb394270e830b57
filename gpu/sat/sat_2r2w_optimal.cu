// 2r2w_optimal: rows, then columns, each in one pass with coalesced access.
//
// Paper: Emoto et al. 2018 (000), sec. I.B, "2R2W-optimal"; rows by the decoupled look-back of Merrill and Garland
// (Single-pass parallel prefix scan with decoupled look-back, 2016), columns by the tile-wise single pass of Tokura, Fujita,
// Nakano, Ito, Bordim (Almost optimal column-wise prefix-sum computation on the GPU, The Journal of Supercomputing, 2018).
// Idea: as 2r2w, but each direction is divided into tiles, so that many threads work on a line, and all accesses are
// coalesced.
//
//      kernel 1: row i of tile J needs            kernel 2: column j of tile I needs
//                sum of the row left of it                  the sum of the column above it
//
//      GRS(I,J-1)[i] -> [ tile ] ->               GCS(I-1,J)[j]
//                                                     [ tile ]
//
// Kernels: 2. Traffic: 2 reads and 2 writes per pixel, and W slots per tile
// and direction. The second kernel works in place, on the table.
// Synchronisation: look-back over the slots of one line of tiles (look_back_walk.h), which are numbered with the run
// (run_slots.cuh), so that nothing is cleared. Blocks take tiles from a counter, in an
// order in which a tile's predecessors come first: tile columns from left to right in kernel 1, tile rows downwards in
// kernel 2. Concurrent tiles then mostly lie in different lines, and predecessors are mostly done. (Tried, slower, and not
// kept: bands of tile rows from the bottom upwards, so that kernel 2 begins with data that is still in the L2 cache.)
//
// Departure: Merrill and Garland's tile is a piece of one line; here the W lines of a tile look back side by side, as in
// Tokura's columns, so that both directions share their code.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tile.cuh"
#include "gpu/sat/block/tile_trace.cuh"
#include "gpu/sat/block/traffic.h"

namespace gpu::sat {
namespace {

constexpr auto tile_side = choice<64, 128, 32>("W", "tile side in pixels");

template <class Sum, int W>
struct RowShared {
  RunTickets::Ticket ticket;  // its serial number is that of the tile
  Sum row[W], left[W];
};
template <class Sum, int W>
struct ColumnShared {
  RunTickets::Ticket ticket;  // its serial number is that of the tile
  Bands<Sum, W> bands;
  alignas(16) Sum above[W];
};

// The W slots of the tile with this ticket.
template <class Sum>
__device__ RunSlot<Sum> tile_slots(const RunSlots<Sum>& slots, const RunTickets::Ticket& ticket, int W) {
  return RunSlot<Sum>{slots.words, ticket.run} + static_cast<std::ptrdiff_t>(ticket.serial) * W;
}

template <class Input, class Sum, int W, class Aligned, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    scan_rows(ImageView<const Input> image, ImageView<Sum> sums, RunSlots<Sum> slots, Aligned aligned, Trace trace) {
  auto& [ticket, row, left] = static_shared<RowShared<Sum, W>>();
  const int thread = static_cast<int>(threadIdx.x), tile_rows = ceil_div(image.height, W);
  if (thread == 0) ticket = slots.tickets->take(gridDim.x);
  __syncthreads();
  const int serial = ticket.serial;
  const int I = serial % tile_rows, J = serial / tile_rows;
  trace.start(I, J);

  Tile<Input, Sum, W> tile;
  tile.load(image, J * W, I * W, aligned.image);
  const Sum local = tile.row_sum();
  if (tile.lane() % tile.lanes_per_row == 0) row[tile.first_row() + tile.summed_row()] = local;
  __syncthreads();
  // Slots: [J][I][W], in the order of tiles.
  LookBackDepths depths{};  // of this thread, for the trace
  if (thread < W)
    left[thread] = carry_along_observed([&](int tiles) { depths.left = tiles; }, tile_slots(slots, ticket, W) + thread,
                                        row[thread], J, static_cast<std::ptrdiff_t>(tile_rows) * W);
  __syncthreads();
  if (thread == 0) slots.end(ticket.run, gridDim.x);
  trace.carry(I, J);
  tile.store_row_sums(sums, J * W, I * W, aligned.sat, left);
  trace.finish(I, J, depths);
}

template <class Sum, int W, class Aligned, class Trace>
__global__ void __launch_bounds__(Tile<Sum, Sum, W>::threads)
    scan_columns(ImageView<Sum> sums, RunSlots<Sum> slots, Aligned aligned, Trace trace) {
  auto& [ticket, bands, above] = static_shared<ColumnShared<Sum, W>>();
  const int thread = static_cast<int>(threadIdx.x), tile_columns = ceil_div(sums.width, W);
  if (thread == 0) ticket = slots.tickets->take(gridDim.x);
  __syncthreads();
  const int serial = ticket.serial;
  const int I = serial / tile_columns, J = serial % tile_columns;
  trace.start(I, J);

  Tile<Sum, Sum, W> tile;
  tile.load(sums, J * W, I * W, aligned.image);
  bands.put(tile.band_column_sums());
  __syncthreads();
  // Slots: [I][J][W].
  LookBackDepths depths{};  // of this thread, for the trace
  if (thread < W)
    above[thread] = carry_along_observed([&](int tiles) { depths.up = tiles; }, tile_slots(slots, ticket, W) + thread,
                                         bands.column(thread), I, static_cast<std::ptrdiff_t>(tile_columns) * W);
  __syncthreads();
  if (thread == 0) slots.end(ticket.run, gridDim.x);
  trace.carry(I, J);
  auto carry = *reinterpret_cast<const Four<Sum>*>(above + tile.first_column());
  bands.add_above(carry);
  tile.store_column_sums(sums, J * W, I * W, aligned.sat, carry);
  trace.finish(I, J, depths);
}

template <class Input, class Sum, int W>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat) {
  const int rows = ceil_div(image.height, W), columns = ceil_div(image.width, W);
  const auto tiles = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  const auto slots = RunSlots<Sum>::of(context, tiles * W);  // each kernel is a run of its own
  const dim3 grid(static_cast<unsigned>(tiles));
  const TracedPass<Input, Sum> first(context, "row scan", W, rows, columns), last(context, "column scan", W, rows, columns);
  visit_alignment(image, sat, [&](auto aligned) {
    first.launch([&](auto trace) {
      context.launch("row scan", scan_rows<Input, Sum, W, decltype(aligned), decltype(trace)>,
                     {grid, dim3(Tile<Input, Sum, W>::threads)}, image, sat, slots, aligned, trace);
    });
  });
  visit_alignment(ImageView<const Sum>(sat), sat, [&](auto aligned) {
    last.launch([&](auto trace) {
      context.launch("column scan", scan_columns<Sum, W, decltype(aligned), decltype(trace)>,
                     {grid, dim3(Tile<Sum, Sum, W>::threads)}, sat, slots, aligned, trace);
    });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    tile_side.visit(arguments, [&]<int W>() { launch<Input, Sum, W>(context, input, output); });
  });
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const auto [input, sum] = bytes;
  const TileGrid grid(size, arguments.integer("W"));
  const auto W = static_cast<std::uint64_t>(grid.W), rows = grid.rows * W, columns = grid.columns * W;
  const auto slot = slot_bytes(bytes);
  return tickets_taken(grid.tiles()) + tickets_taken(grid.tiles()) + one_pass(size.pixels(), input, sum) +
         carries_along(rows, grid.columns, slot) + one_pass(size.pixels(), sum, sum) +
         carries_along(columns, grid.rows, slot);
}

constexpr Parameter parameters[] = {tile_side};

}  // namespace

extern constinit const SatAlgorithm sat_2r2w_optimal{
    .name = "2r2w_optimal",
    .year = 2018,
    .paper = "Merrill and Garland's rows, Tokura et al.'s columns; as Emoto et al. 2018, sec. I.B",
    .idea = "Rows, then columns, each in one pass over tiles that look back along their lines.",
    .reads = "2",
    .writes = "2",
    .traffic = traffic,
    .parameters = parameters,
    .repeatable = false,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
