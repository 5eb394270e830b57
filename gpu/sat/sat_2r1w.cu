// 2r1w: the sums of every tile, then their prefix sums, then every tile's table.
//
// Paper: Nehab, Maximo, Lima, Hoppe, GPU-efficient recursive filtering and summed-area tables, ACM TOG 2011; as Emoto
// et al. 2018 (000), sec. III.A, Fig. 6.
// Idea: a tile needs only three small sets of sums from outside; they are computed for all tiles between two passes.
//
//      kernel 1: LRS, LCS, LS      kernel 2: GRS -> sums of LRS along the tile row
//      of every tile                         GCS -> sums of LCS down the tile column     kernel 3: GSAT of every tile
//                                            GS  -> the summed area table of LS
//
// Kernels: 3. Traffic: 2 reads and 1 write per pixel, and O(n^2 / W) for the sums. Synchronisation: the kernel boundaries; from sm_90 on
// kernels 2 and 3 start before the one before them ends, and wait for it (dependent_launch.cuh).
//
// Departures: the tile lies in registers (tile.cuh). Kernel 2's three kinds of prefix sums run concurrently in one launch:
// the first blocks take lines of row sums, the next ones lines of column sums, and the last block the table of LS, by 2R2W,
// which the paper allows. If the GPU has more threads than there are lines, several threads share a long line
// (tile_prefix.cuh).
#include "gpu/row_grid.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/tile_prefix.cuh"
#include "gpu/sat/block/tile_sums.cuh"
#include "gpu/sat/block/tile_traffic.h"

namespace gpu::sat {
namespace {

constexpr auto tile_side = choice<64, 32, 128>("W", "tile side in pixels");

template <class Input, class Sum, int W, bool DotProducts, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    tile_sums(ImageView<const Input> image, bool aligned, TileSums<Sum> sums, Trace trace) {
  const int I = row_of_block(), J = static_cast<int>(blockIdx.x);
  if (I >= sums.rows) return;
  trace.start(I, J);
  write_local_sums<Input, Sum, W, DotProducts>(image, aligned, sums, I, J);
  trace.finish(I, J);
}

template <class Input, class Sum, int W, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    tile_tables(ImageView<const Input> image, bool image_aligned, ImageView<Sum> sat, bool sat_aligned, TileSums<Sum> sums,
                Trace trace) {
  // From the last tile row to the first: the pixels that the first kernel read last are still in the L2 cache.
  const int I = sums.rows - 1 - row_of_block(), J = static_cast<int>(blockIdx.x);
  if (I < 0) return wait_for_previous_launch();
  trace.start(I, J);
  write_global_sat<Input, Sum, W>(image, image_aligned, sat, sat_aligned, sums, I, J, trace);
  trace.finish(I, J);
}

template <class Input, class Sum, int W>
void launch(Context& context, TileRecorder* recorder, ImageView<const Input> image, ImageView<Sum> sat) {
  const auto sums = TileSums<Sum>::in(context, image.size(), W);
  const Grid tiles{row_grid(sums.columns, sums.rows), dim3(Tile<Input, Sum, W>::threads)};
  const TracedPass<Input, Sum> first(recorder, context, "tile sums", W, sums.rows, sums.columns),
      last(recorder, context, "tile tables", W, sums.rows, sums.columns);
  visit_dot_products<Input, Sum>(image.size(), [&]<bool DotProducts>() {
    first.launch([&](auto trace) {
      context.launch("tile sums", tile_sums<Input, Sum, W, DotProducts, decltype(trace)>, tiles, image,
                     aligned_to_four(image), sums, trace);
    });
  });
  launch_prefix_sums(context, "prefix sums", sums, W, all_diagonals(sums));
  last.launch([&](auto trace) {
    context.launch_dependent("tile tables", tile_tables<Input, Sum, W, decltype(trace)>, tiles, image,
                             aligned_to_four(image), sat, aligned_to_four(sat), sums, trace);
  });
}

void run_traced(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments,
                TileRecorder* recorder) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    tile_side.visit(arguments, [&]<int W>() { launch<Input, Sum, W>(context, recorder, input, output); });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_traced(context, image, sat, arguments, nullptr);
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const auto bytes = bytes_of(type);
  const TileGrid grid(size, arguments.integer("W"));
  const TileCount tiles(grid, grid.all());
  return local_sums(grid, tiles, bytes) + prefix_launch(grid, tiles, type, grid.all()) + global_sat(grid, tiles, bytes);
}

constexpr Parameter parameters[] = {tile_side};

}  // namespace

extern constinit const SatAlgorithm sat_2r1w{
    .name = "2r1w",
    .year = 2011,
    .paper =
        "Nehab, Maximo, Lima, Hoppe, GPU-efficient recursive filtering and summed-area tables; as Emoto et al. 2018, "
        "sec. III.A",
    .idea = "The sums of every tile, then their prefix sums, then every tile's table from the three sums it needs.",
    .device = Device::cuda,
    .reads = "2",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

extern constinit const TracedSat traced_2r1w{.name = "2r1w", .run = run_traced};

}  // namespace gpu::sat
