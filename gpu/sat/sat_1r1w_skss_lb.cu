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
// GCS for each of its columns, GLS then GS for its corner. Blocks take serial numbers (run_slots.cuh), which stand for tiles
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
// - A block starts to bring a later tile into the L2 cache (tuning.h, FetchAhead).
//
// Tried on an H200 with large float images, not faster, and not kept:
// - persistent blocks that load the next tiles into shared memory by cp.async or bulk copies, and publish their local sums
//   one tile ahead; persistent blocks that take the next number while they store (slower for small images);
// - blocks divided into warps that sum, look back and store concurrently;
// - the corner's look-back begun together with the others, or by a warp of its own: tiles do not wait for it;
// - tables stored by bulk copies or with a streaming hint; loads of 256 bytes, or loads that bypass the L1 cache.
// The clock inside the kernel shows that a look-back takes several times longer while a tile of stores is in flight: the
// likely cause of the remaining overhead.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/look_back_tile.cuh"

namespace gpu::sat {
namespace {

constexpr auto tile_side = choice<128, 64, 32>("W", "tile side in pixels");

template <class Input, class Sum, int W, int Groups, class Aligned, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W, Groups>::threads, resident_look_back_blocks<Input, Sum, W, Groups>())
    skss_lb(ImageView<const Input> image, ImageView<Sum> sat, LookBackLines<Sum, W> lines, int ahead, Aligned aligned,
            Trace trace) {
  compute_next_tile<LookBackTile<Input, Sum, W, Groups>>(image, sat, lines, ahead, aligned, trace);
}

template <class Input, class Sum, int W>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat, std::string_view m, int ahead) {
  const int rows = ceil_div(image.height, W), columns = ceil_div(image.width, W), tiles = rows * columns;
  const auto lines = LookBackLines<Sum, W>::of(context, tiles);
  const TracedPass<Input, Sum> pass(context, "1r1w_skss_lb", W, rows, columns);
  const auto start = [&]<int Groups>() {
    visit_alignment(image, sat, [&](auto aligned) {
      pass.launch([&](auto trace) {
        context.launch("1r1w_skss_lb", skss_lb<Input, Sum, W, Groups, decltype(aligned), decltype(trace)>,
                       {dim3(static_cast<unsigned>(tiles)), dim3(Tile<Input, Sum, W, Groups>::threads)}, image, sat, lines,
                       ahead, aligned, trace);
      });
    });
  };
  visit_constant<8, 16>(groups_for<Sum>(m, tiles, context.limits().multiprocessors), start);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const auto& m = arguments.text("m");
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    tile_side.visit(arguments, [&]<int W>() {
      launch<Input, Sum, W>(context, input, output, m, tiles_to_fetch_ahead<Input, W>(context, arguments, image.size()));
    });
  });
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  return look_back_tiles(TileGrid(size, arguments.integer("W")), bytes_of(type));
}

constexpr Parameter parameters[] = {tile_side, pixels_per_thread, fetch_ahead};

}  // namespace

extern constinit const SatAlgorithm sat_1r1w_skss_lb{
    .name = "1r1w_skss_lb",
    .year = 2018,
    .paper =
        "Emoto, Funasaka, Tokura, Honda, Nakano, Ito, An Optimal Parallel Algorithm for Computing the Summed Area "
        "Table on the GPU, sec. IV",
    .idea = "One kernel, one block per tile: each tile finds its three carries by looking back over its neighbours' sums.",
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .repeatable = false,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
