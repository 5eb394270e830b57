// 1_plus_r_r1w: 2R1W where the anti-diagonals are short, 1R1W where they are long.
//
// Paper: Kasagi, Nakano, Ito, Parallel algorithms for the summed area table on the asynchronous hierarchical memory
// machine, with GPU implementations, ICPP 2014; as Emoto et al. 2018 (000), sec. III.B, Fig. 8.
// Idea: 1R1W's first and last kernels have too few tiles to fill a GPU. The tiles of those diagonals, a share r of all, are
// computed by 2R1W instead, by three kernels per corner, at the price of reading them twice.
//
//      A: I + J < sqrt(r) n / W            A A B B       3 kernels for A
//      B: between                          A B B B       one per diagonal of B
//      C: as many diagonals as A, last     B B B C       3 kernels for C
//                                          B B C C
//
// Kernels: 6 and one per diagonal of B, together 2 (1 - sqrt(r)) n / W + 5 for a square. Traffic: 1 + r reads and one write
// per pixel, and O(n^2 / W). Synchronisation: the kernel boundaries.
//
// Departures: the tile lies in registers (tile.cuh). Floating-point carries are sums, not differences (tile_sums.cuh).
// Images need not be square: corner_of_share() computes how far A and C reach. An empty group starts no kernel.
#include <algorithm>

#include "gpu/sat.h"
#include "gpu/sat/block/diagonals.h"
#include "gpu/sat/block/tile_order.cuh"
#include "gpu/sat/block/tile_prefix.cuh"
#include "gpu/sat/block/tile_sums.cuh"
#include "gpu/sat/block/traffic.h"

namespace gpu::sat {
namespace {

constexpr auto tile_side = choice<32, 64, 128>("W", "tile side in pixels");

// Block b takes the tile with serial number first + b in diagonal-major order: a corner group is a run of them.
template <class Input, class Sum, int W, bool DotProducts, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    corner_tile_sums(ImageView<const Input> image, bool aligned, TileSums<Sum> sums, int first, Trace trace) {
  const auto [I, J] = diagonal_major(first + static_cast<int>(blockIdx.x), sums.rows, sums.columns);
  trace.start(I, J);
  write_local_sums<Input, Sum, W, DotProducts>(image, aligned, sums, I, J);
  trace.finish(I, J);
}

template <class Input, class Sum, int W, class Aligned, class Trace>
__global__ void __launch_bounds__(Tile<Input, Sum, W>::threads)
    corner_tile_tables(ImageView<const Input> image, ImageView<Sum> sat, Aligned aligned, TileSums<Sum> sums, int first,
                       Trace trace) {
  const auto [I, J] = diagonal_major(first + static_cast<int>(blockIdx.x), sums.rows, sums.columns);
  trace.start(I, J);
  write_global_sat<Input, Sum, W>(image, sat, aligned, sums, I, J, trace);
  trace.finish(I, J);
}

// How many diagonals A has, and C. In the paper they are sqrt(r) n / W, rounded up: with these, both corners together have a
// share r of a square's tiles if the tiles of their last diagonals count half. This definition holds for every rectangle.
// At least one diagonal is left to B.
int corner_of_share(double r, int rows, int columns) {
  const int most = (rows + columns - 2) / 2;
  int diagonals = 0;
  for (int without_last = 0, tiles = 0; diagonals < most && without_last + tiles < r * rows * columns;) {
    without_last = tiles;
    tiles += tiles_on_diagonal(diagonals++, rows, columns);
  }
  return diagonals;
}

template <class Input, class Sum>
struct Passes {
  TracedPass<Input, Sum> sums, tables;
};

// One corner group by 2R1W: `count` tiles from number `first` on, which are the tiles of `diagonals`.
template <class Input, class Sum, int W>
void launch_corner(Context& context, const Passes<Input, Sum>& passes, ImageView<const Input> image, ImageView<Sum> sat,
                   const TileSums<Sum>& sums, Diagonals diagonals, int first, int count) {
  const auto tiles = [&](Start start) {
    return Grid{dim3(static_cast<unsigned>(count)), dim3(Tile<Input, Sum, W>::threads), 0, start};
  };
  visit_dot_products<Input, Sum>(image.size(), [&]<bool DotProducts>() {
    passes.sums.launch([&](auto trace) {
      context.launch("tile sums", corner_tile_sums<Input, Sum, W, DotProducts, decltype(trace)>, tiles(Start::in_order),
                     image, aligned_to_four(image), sums, first, trace);
    });
  });
  launch_prefix_sums(context, "prefix sums", sums, W, diagonals);
  visit_alignment(image, sat, [&](auto aligned) {
    passes.tables.launch([&](auto trace) {
      context.launch("tile tables", corner_tile_tables<Input, Sum, W, decltype(aligned), decltype(trace)>,
                     tiles(Start::dependent), image, sat, aligned, sums, first, trace);
    });
  });
}

template <class Input, class Sum, int W>
void launch(Context& context, ImageView<const Input> image, ImageView<Sum> sat, double r) {
  const auto sums = TileSums<Sum>::in(context, image.size(), W);
  const int diagonals = sums.rows + sums.columns - 1, tiles = sums.rows * sums.columns;
  const int corner = corner_of_share(r, sums.rows, sums.columns), count = tiles_on(corner, sums.rows, sums.columns);
  using Pass = TracedPass<Input, Sum>;
  const Passes<Input, Sum> passes{corner > 0 ? Pass(context, "tile sums", W, sums.rows, sums.columns) : Pass(),
                                  Pass(context, "tile tables", W, sums.rows, sums.columns)};
  if (corner > 0) launch_corner<Input, Sum, W>(context, passes, image, sat, sums, {0, corner}, 0, count);
  launch_diagonals<Input, Sum, W>(context, passes.tables, image, sat, sums, corner, diagonals - corner);
  if (corner > 0)
    launch_corner<Input, Sum, W>(context, passes, image, sat, sums, {diagonals - corner, diagonals}, tiles - count, count);
}

void run_with_share(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments, double r) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    tile_side.visit(arguments, [&]<int W>() { launch<Input, Sum, W>(context, input, output, r); });
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_with_share(context, image, sat, arguments, arguments.real("r"));
}

Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits& limits) {
  const auto bytes = bytes_of(type);
  const TileGrid grid(size, arguments.integer("W"));
  const int diagonals = grid.rows + grid.columns - 1;
  const int corner = corner_of_share(arguments.real("r"), grid.rows, grid.columns);
  const Diagonals band{corner, diagonals - corner};
  auto all = diagonal_launches(grid, TileCount(grid, band), type, diagonals - 2 * corner);
  if (corner > 0)
    for (const auto part : {Diagonals{0, corner}, Diagonals{diagonals - corner, diagonals}}) {
      const TileCount tiles(grid, part);
      all += local_sums(grid, tiles, bytes) + prefix_launch(grid, tiles, type, part, limits) +
             global_sat(grid, tiles, bytes);
    }
  return all;
}

// With larger shares B would have a single diagonal in most images.
constexpr Parameter parameters[] = {real("r", "0.95", 0, 0.95, 0.01, "share of the tiles that are read twice"), tile_side};

}  // namespace

void record_1r1w(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  run_with_share(context, image, sat, arguments, 0);  // no corners
}

extern constinit const SatAlgorithm sat_1_plus_r_r1w{
    .name = "1_plus_r_r1w",
    .year = 2014,
    .paper =
        "Kasagi, Nakano, Ito, Parallel algorithms for the summed area table on the asynchronous hierarchical memory "
        "machine; as Emoto et al. 2018, sec. III.B, Fig. 8",
    .idea = "2R1W for the tiles of the short diagonals in two corners, 1R1W for the long ones between.",
    .reads = "1 + r",
    .writes = "1",
    .traffic = traffic,
    .parameters = parameters,
    .records_tiles = true,
    .run = run,
};

}  // namespace gpu::sat
