// 1r1w: one read and one write per pixel, one kernel per anti-diagonal of tiles.
//
// Paper: Kasagi, Nakano, Ito, Parallel algorithms for the summed area table on the asynchronous hierarchical memory
// machine, with GPU implementations, ICPP 2014; as Emoto et al. 2018 (000), sec. III.B, Fig. 7.
// Idea: a tile needs the global sums of its neighbours to the left, above and diagonally above it. Those lie on the two
// diagonals before its own, so that all tiles of a diagonal can be computed at once.
//
//      kernel K: all tiles with I + J = K            0 1 2 3
//      GRS from the left, GCS from above,            1 2 3 4
//      GS from the corner                            2 3 4 5
//
// Kernels: one per diagonal, 2 ceil(n / W) - 1 for a square. Traffic: one read and one write per pixel, and O(n^2 / W).
// Synchronisation: the kernel boundaries. The first and the last diagonals are short, so that most of the GPU is idle. The
// later algorithms of this family avoid this, and the many launches. From sm_90 on the blocks of a short diagonal are
// started while those of the one before still run, and wait for its end (intrinsics.cuh).
//
// GRS and GCS are differences of neighbours in the tile's last column and last row.
//
// Departures: the tile lies in registers (tile.cuh). Floating-point GRS and GCS are sums, because the errors of differences
// would grow with the number of tiles (tile_sums.cuh).
//
// Tiles are recorded by the kernels of sat_1_plus_r_r1w.cu, with a share of 0: if this file had traced kernels too, nvcc would inline the
// pieces that they share in another order, and the kernels without a trace would need more registers.
#include "gpu/sat.h"
#include "gpu/sat/block/tile_sums.cuh"
#include "gpu/sat/block/traffic.h"

namespace gpu::sat {
namespace {

constexpr auto tile_side = choice<128, 64, 32>("W", "tile side in pixels");

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  if (context.tile_recorder()) return record_1r1w(context, image, sat, arguments);
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    tile_side.visit(arguments, [&]<int W>() {
      const auto sums = TileSums<Sum>::in(context, input.size(), W);
      launch_diagonals<Input, Sum, W>(context, UntracedPass(), input, output, sums, 0, sums.rows + sums.columns - 1);
    });
  });
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const TileGrid grid(size, arguments.integer("W"));
  const int diagonals = grid.rows + grid.columns - 1;
  return diagonal_launches(grid, TileCount(grid, grid.all()), type, diagonals);
}

constexpr Parameter parameters[] = {tile_side};

}  // namespace

extern constinit const SatAlgorithm sat_1r1w{
    .name = "1r1w",
    .year = 2014,
    .paper =
        "Kasagi, Nakano, Ito, Parallel algorithms for the summed area table on the asynchronous hierarchical memory "
        "machine; as Emoto et al. 2018, sec. III.B",
    .idea = "One kernel per anti-diagonal of tiles: each tile takes its carries from the diagonals before.",
    .reads = "1",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
