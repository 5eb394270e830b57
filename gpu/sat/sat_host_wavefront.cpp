// host_wavefront: tiles on all cores, one anti-diagonal after another.
//
// Paper: the order of Kasagi, Nakano, Ito, Parallel algorithms for the summed area table on the asynchronous hierarchical
// memory machine, with GPU implementations, ICPP 2014 (1R1W; as Emoto et al. 2018 (000), sec. III.B, Fig. 7), with cores in
// place of blocks. For loops on several processors it is Lamport's wavefront (The parallel execution of DO loops, 1974).
// Idea: a tile needs the sums of its left and its upper neighbour. Those lie on the diagonal before its own, so that all tiles
// of a diagonal can be computed at once.
//
//      step K: all tiles with I + J = K              0 1 2 3
//      row sums from the left,                       1 2 3 4
//      the table's last row from above               2 3 4 5
//
// The image is read once and the table written once. Synchronisation: the ends of the steps, of which there are
// ceil(width / W) + ceil(height / W) - 1. The first and the last diagonals are short, so that cores are idle.
//
// Departures: 1R1W takes what enters a tile from the table, as differences of neighbouring entries and the corner's entry.
// Here one line has the latest entry of each column, and one the latest sum of each row. A tile finds in them what enters it,
// the corner included, and leaves there what enters the next tiles: no two tiles of a diagonal share an element of them. The
// errors of floating-point differences do not arise. Rows of a tile are scanned in SIMD (row_scan.h).
#include <algorithm>

#include "gpu/sat.h"
#include "gpu/sat/block/diagonals.h"
#include "gpu/sat/block/row_scan.h"

namespace gpu::sat {
namespace {

template <class Input, class Sum>
void tiles_by_diagonals(Context& context, ImageView<const Input> image, ImageView<Sum> sat, int W) {
  const auto& scan = row_scans_here().back()->of<Input, Sum>();
  const int rows = ceil_div(image.height, W), columns = ceil_div(image.width, W);
  Sum* above = context.scratch<Sum>(static_cast<std::size_t>(image.width));
  Sum* left = context.scratch<Sum>(static_cast<std::size_t>(image.height));
  const bool past_caches = is_written_past_caches(sat);
  for (int K = 0; K < rows + columns - 1; ++K) {
    const int first = std::max(0, K - columns + 1);
    context.parallel("diagonal", tiles_on_diagonal(K, rows, columns), [&](int tile) {
      const int I = first + tile, x = (K - I) * W, y = I * W;
      const Size size{std::min(W, image.width - x), std::min(W, image.height - y)};
      if (y == 0) std::fill_n(above + x, size.width, Sum(0));
      if (x == 0) std::fill_n(left + y, size.height, Sum(0));
      scan.table_rows(part_of(image, x, y, size), part_of(sat, x, y, size), above + x, left + y, past_caches);
    });
  }
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_sat_type(image, sat,
                 [&](auto input, auto output) { tiles_by_diagonals(context, input, output, arguments.integer("W")); });
}

// Multiples of column_group, so that no two tiles share a cache line.
constexpr Parameter parameters[] = {choice("W", "256,64,128,512", "tile side in pixels")};

}  // namespace

extern constinit const SatAlgorithm sat_host_wavefront{
    .name = "host_wavefront",
    .year = 2014,
    .paper =
        "Kasagi, Nakano, Ito, Parallel algorithms for the summed area table on the asynchronous hierarchical memory "
        "machine, 1R1W, with cores in place of blocks",
    .idea =
        "Tiles on all cores, one anti-diagonal after another: each tile takes its sums from its left and upper neighbour.",
    .device = Device::host,
    .reads = "1",
    .writes = "1",
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
