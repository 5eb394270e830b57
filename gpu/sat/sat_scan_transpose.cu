// scan_transpose: rows in one pass of Kogge-Stone sections, transpose, rows again, transpose.
//
// Paper: Bugetti, Integral Image with CUDA (2024, 001), sec. 2.2, kernels SinglePassRowWiseScan and Transpose.
// Idea: a block scans one section of one row; its left neighbour passes it the sum of all previous sections through global
// memory, with a flag ("adjacent synchronisation"), so that one pass over the row is enough.
//
//      row y:  [section 0] -> [section 1] -> [section 2] ->        logical block = section * rows + y
//               scan      sum  scan      sum  scan
//
// Kernels: 4. Traffic: 4 reads and 4 writes per pixel; a transposed table in scratch memory.
// Synchronisation: logical block ids come from a counter, section by section: a block that waits for section s - 1 of a row
// knows that the block of that section has started, and the first unfinished section waits for no other. The flags are numbered
// with the run (run_slots.cuh), so that nothing is cleared.
//
// Departures from the paper:
// - A thread scans four neighbouring pixels, loaded at once, before Kogge-Stone runs over the threads.
// - Kogge-Stone runs in the registers of each warp, and the warps' sums are added through shared memory: two barriers in
//   all, instead of two per step for the whole section in shared memory.
// - The flag and the sum are in one word (tagged_word.cuh). Counting and waiting are the paper's: a block reads only its left
//   neighbour, and only its final sum.
// - The second scan works in place. The transpose has a one-dimensional grid, from which the paper's two indices are
//   computed.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"
#include "gpu/sat/block/warp.cuh"

namespace gpu::sat {
namespace {

constexpr auto sections = choice<1024, 512, 256>("section", "pixels of a row per block");

constexpr int pixels_per_thread = 4;

template <class Sum, int Warps>
struct Shared {
  RunTickets::Ticket ticket;  // its serial number is that of the logical block
  BlockScan<Sum, Warps> threads;
  Sum carry;
};

template <class Input, class Sum, int Section>
__global__ void __launch_bounds__(Section / pixels_per_thread)
    single_pass_row_scan(ImageView<const Input> image, bool image_aligned, ImageView<Sum> sums, bool sums_aligned,
                         RunSlots<Sum> slots) {
  constexpr int warps = Section / pixels_per_thread / warp_lanes;
  auto& [ticket, threads, carry] = static_shared<Shared<Sum, warps>>();
  const int thread = static_cast<int>(threadIdx.x), warp = thread / warp_lanes;
  if (thread == 0) ticket = slots.tickets->take(gridDim.x);
  __syncthreads();
  const int logical_block = ticket.serial;
  const int section = logical_block / image.height, y = logical_block % image.height;
  const int x = section * Section + thread * pixels_per_thread;

  // Four pixels, then Kogge-Stone over the threads of the warp.
  const auto pixels = load_four(image.row(y), x, image.width, image_aligned);
  Four<Sum> row;
#pragma unroll
  for (int c = 0; c < pixels_per_thread; ++c)
    row.at[c] = c == 0 ? term<Sum>(pixels.at[0]) : row.at[c - 1] + term<Sum>(pixels.at[c]);
  const Sum scanned = threads.put(warp, row.at[pixels_per_thread - 1]);
  __syncthreads();

  // The section's own sum, and the sum from the left; both together are published for the right neighbour.
  Sum before = __shfl_up_sync(whole_warp, scanned, 1);
  if (thread % warp_lanes == 0) before = 0;
  before += threads.before(warp);
  if (thread == 0) {
    const Sum own = threads.all();
    const RunSlot<Sum> mine = RunSlot<Sum>{slots.words, ticket.run} + logical_block;
    Sum left = 0;
    if (section > 0)
      for (Published<Sum> seen{}; seen.status != Status::global; left = seen.value) seen = (mine - image.height)->read();
    mine->publish(Status::global, left + own);
    slots.end(ticket.run, gridDim.x);
    carry = left;
  }
  __syncthreads();
  before += carry;
#pragma unroll
  for (int c = 0; c < pixels_per_thread; ++c) row.at[c] += before;
  store_four<warp_lanes>(sums.row(y) + x, x, image.width, sums_aligned, row);
}

template <int Section, class Input, class Sum>
void launch_scan(Context& context, ImageView<const Input> image, ImageView<Sum> sums) {
  const auto blocks = static_cast<std::size_t>(ceil_div(image.width, Section)) * static_cast<std::size_t>(image.height);
  context.launch("row scan", single_pass_row_scan<Input, Sum, Section>,
                 {dim3(static_cast<unsigned>(blocks)), dim3(Section / pixels_per_thread)}, image, aligned_to_four(image),
                 sums, aligned_to_four(sums), RunSlots<Sum>::of(context, blocks));
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const int rows = arguments.integer("rows");
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    sections.visit(arguments, [&]<int Section>() {
      scan_and_transpose_twice<32, BlockOrder::diagonal>(
          context, input, output, rows, [&](auto from, auto to) { launch_scan<Section>(context, from, to); });
    });
  });
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const int section = arguments.integer("section");
  const auto slot = slot_bytes(bytes_of(type));
  return two_scans_and_transposes(size, type, [&](Size of, std::uint64_t from, std::uint64_t to) {
    const auto rows = static_cast<std::uint64_t>(of.height);
    const auto blocks = static_cast<std::uint64_t>(ceil_div(of.width, section)) * rows;
    return tickets_taken(blocks) + one_pass(of.pixels(), from, to) +
           Traffic{(blocks - rows) * slot, blocks * slot, 0};  // all but the first of a row read their left neighbour's
  });
}

constexpr Parameter parameters[] = {sections, choice("rows", "8,16", "threads down a tile of the transpose")};

}  // namespace

extern constinit const SatAlgorithm sat_scan_transpose{
    .name = "scan_transpose",
    .year = 2024,
    .paper = "Bugetti, Integral Image with CUDA, sec. 2.2, SinglePassRowWiseScan",
    .idea = "Blocks scan sections of rows and pass their sums to the right; transpose; the same again; transpose back.",
    .reads = "4",
    .writes = "4",
    .traffic = traffic,
    .parameters = parameters,
    .run = run,
};

}  // namespace gpu::sat
