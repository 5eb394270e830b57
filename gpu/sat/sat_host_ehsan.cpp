// host_ehsan: two or four rows of the table at once.
//
// Paper: Ehsan, Clark, Rehman, McDonald-Maier, Integral images: efficient algorithms for their computation and storage in
// resource-constrained embedded vision systems, Sensors 15(7), 2015: its row-parallel algorithms, for two and for four rows.
// Idea: the recursion of Viola and Jones, in the letters of that literature,
//
//     S(x, y)  = S(x - 1, y) + i(x, y)          the sum of the row
//     ii(x, y) = ii(x, y - 1) + S(x, y)         the table
//
// is serial from row to row. Decomposed, the rows of a group need nothing but their own sums and the table's row above them:
//
//     ii(x, y)     = ii(x, y - 1) + S(x, y)
//     ii(x, y + 1) = ii(x, y - 1) + (S(x, y) + S(x, y + 1))
//     ii(x, y + 2) = ii(x, y + 1) + S(x, y + 2)
//     ii(x, y + 3) = ii(x, y + 1) + (S(x, y + 2) + S(x, y + 3))
//
// The sums of all rows of the group are computed side by side, then the entries, pair by pair. A pair costs five additions
// instead of four, and between the row above a pair and the row below it lies one addition instead of two.
//
// Departures: the paper's rows are adders in hardware, one column per clock. Here a group's rows are independent chains of
// instructions on one core, of vectors along the row (row_scan.h). For several cores the columns are divided into strips, one
// per thread, which has whole groups of rows from the top to the bottom:
//
//      phase 1, bands of rows:        the sum of each row in every strip, added up from the left: S where a strip begins
//      phase 2, strips of columns:    the table, from these sums
//
// One write per pixel. One thread reads the image once; several read it twice. A strip keeps a copy of its latest row in the
// first-level cache and never reads the table. Synchronisation: the ends of the phases.
#include <algorithm>

#include "gpu/sat.h"
#include "gpu/sat/block/row_scan.h"

namespace gpu::sat {
namespace {

template <class Input, class Sum>
void table_by_groups(Context& context, ImageView<const Input> image, ImageView<Sum> sat, int rows_together) {
  const auto& scan = row_scans_here().back()->of<Input, Sum>();
  const auto table_rows = rows_together == 2 ? scan.two_rows : scan.four_rows;
  const int width = image.width, height = image.height, groups = ceil_div(width, column_group);
  const int strips = std::min(groups, context.threads());
  const auto strip_begin = [=](int strip) { return std::min(Range(groups, strip, strips).begin * column_group, width); };
  Sum* above = context.scratch<Sum>(static_cast<std::size_t>(width));
  // Of each strip, for every row: the sum before it.
  Sum* before = strips > 1 ? context.scratch<Sum>(static_cast<std::size_t>(strips) * static_cast<std::size_t>(height))
                           : nullptr;
  const auto before_strip = [=](int strip) {
    return before ? before + static_cast<std::ptrdiff_t>(strip) * height : nullptr;
  };

  if (strips > 1)
    context.for_each_band("strip sums", height, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) {
        Sum sum = 0;
        for (int strip = 0; strip < strips; ++strip) {
          before_strip(strip)[y] = sum;
          const int x = strip_begin(strip);
          if (strip + 1 < strips) sum += scan.row_sum(image.row(y) + x, strip_begin(strip + 1) - x);
        }
      }
    });

  const bool past_caches = is_written_past_caches(sat);
  context.parallel("strips", strips, [&](int strip) {
    const int x = strip_begin(strip);
    const Size size{strip_begin(strip + 1) - x, height};
    std::fill_n(above + x, size.width, Sum(0));
    table_rows(part_of(image, x, 0, size), part_of(sat, x, 0, size), above + x, before_strip(strip), past_caches);
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_sat_type(image, sat,
                 [&](auto input, auto output) { table_by_groups(context, input, output, arguments.integer("rows")); });
}

constexpr Parameter parameters[] = {choice("rows", "4,2", "rows computed at once")};

}  // namespace

extern constinit const SatAlgorithm sat_host_ehsan{
    .name = "host_ehsan",
    .year = 2015,
    .paper =
        "Ehsan, Clark, Rehman, McDonald-Maier, Integral images: efficient algorithms for their computation and storage in "
        "resource-constrained embedded vision systems, Sensors 15(7), row-parallel algorithms",
    .idea = "Four rows at once: their sums side by side, then their entries from the one row above, pair by pair.",
    .device = Device::host,
    .reads = "1",
    .writes = "1",
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
