// host_parallel: the table on all cores, one write per pixel.
//
// Idea (our own): the image is divided into bands of rows, one per thread. From the bands above it a band needs only the sum
// of each column; with these it can be computed independently.
//
//      rows of the image, 4 bands:   |   band 0  |   band 1  |   band 2  |   band 3  |
//      phase 1, column sums of         part 0 | part 1 | part 2 | part 3 |
//      which are these lines         01       2  3     4     5  6        7
//      phase 2, each line plus all before it: line 2b is what band b needs
//      phase 3, each band, rows together: the table = the row above + prefix sums of the row
//
// Phase 1 divides the rows above the last band into equal parts, so that the beginning of one band lies in each part: there
// are two lines per part, so that scratch memory and the work on it grow no faster than the number of threads. Phase 2
// divides the lines into strips of columns; if they are short, one thread adds them in less time than another takes to wake.
// Phase 3 starts from the prefix sums of the columns above the band and keeps a copy of the latest row, which stays in the
// first-level cache, so that it never reads the table: the image is read twice (in phases 1 and 3), the table written once.
// Rows are scanned in SIMD (row_scan.h) for 32-bit integer sums; other types run the plain loop. Tables too large for any
// cache are written by non-temporal stores, which do not read a cache line before they overwrite it. Synchronisation: the
// ends of the phases. Threads: at most those of the context; fewer on request.
//
// Tried, slower, and not kept: strips of columns, each a few rows behind its left neighbour, which read the image only once.
// Where strips meet, the cores' prefetchers take cache lines from each other.
#include <algorithm>
#include <numeric>

#include "gpu/sat.h"
#include "gpu/sat/block/row_scan.h"

namespace gpu::sat {
namespace {

// Each thread of phase 2 adds about as many entries: fewer would take less time than waking another thread.
constexpr std::size_t entries_per_strip = 8192;

template <class Input, class Sum>
void table(Context& context, ImageView<const Input> image, ImageView<Sum> sat, int bands) {
  const auto& scan = row_scans_here().back()->of<Input, Sum>();
  const int width = image.width, groups = ceil_div(width, column_group);
  const auto line_stride = static_cast<std::size_t>(groups) * column_group;
  Sum* lines = context.scratch<Sum>(2 * static_cast<std::size_t>(bands) * line_stride);
  const auto line = [=](int i) { return lines + static_cast<std::size_t>(i) * line_stride; };

  // Phase 1. Despite rounding, every part contains the beginning of its band.
  const auto first_row = [&](int band) { return Range(image.height, band, bands).begin; };
  const auto first_row_of_part = [&](int part) {
    const int even = Range(first_row(bands - 1), part, bands).begin;
    return std::clamp(even, first_row(part - 1), first_row(part));
  };
  const auto sum_columns = [&](int begin, int end, Sum* sums) {
    std::fill_n(sums, width, Sum(0));
    scan.add_columns(image.row(begin), image.stride, end - begin, sums, width);
  };
  context.parallel("column sums", bands, [&](int part) {
    sum_columns(first_row_of_part(part), first_row(part), line(2 * part));
    sum_columns(first_row(part), first_row_of_part(part + 1), line(2 * part + 1));
  });

  // Phase 2.
  const int last_line = 2 * (bands - 1);
  const auto entries = static_cast<std::size_t>(last_line) * line_stride;
  const int strips = static_cast<int>(std::min((entries + entries_per_strip - 1) / entries_per_strip, std::size_t(bands)));
  context.parallel("sums above", strips, [&](int strip) {
    const Range columns(groups, strip, strips);
    const int end = std::min(columns.end * column_group, width);
    for (int i = 1; i <= last_line; ++i) {
      const Sum* before = line(i - 1);
      Sum* sums = line(i);
      for (int x = columns.begin * column_group; x < end; ++x) sums[x] += before[x];
    }
  });

  // Phase 3.
  const bool past_caches = is_written_past_caches(sat);
  context.parallel("bands", bands, [&](int band) {
    Sum* above = line(2 * band);
    std::inclusive_scan(above, above + width, above);
    const Range rows(image.height, band, bands);
    const Size size{width, rows.end - rows.begin};
    scan.table_rows(part_of(image, 0, rows.begin, size), part_of(sat, 0, rows.begin, size), above, nullptr, past_caches);
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const auto& choice = arguments.text("threads");
  const int wanted = choice == "all" ? context.threads() : std::min(arguments.integer("threads"), context.threads());
  // A band of few rows would cost more to start than to compute.
  const int bands = std::clamp(image.height / 8, 1, std::max(wanted, 1));
  visit_sat_type(image, sat, [&](auto input, auto output) { table(context, input, output, bands); });
}

constexpr Parameter parameters[] = {choice("threads", "all,1,2,4,8,16", "threads at most; all: one per core")};

}  // namespace

extern constinit const SatAlgorithm sat_host_parallel{
    .name = "host_parallel",
    .year = 2026,
    .paper = "our own: bands of rows",
    .idea = "Bands of rows on all cores: column sums of every band first, then each band on its own, in SIMD.",
    .device = Device::host,
    .reads = "2",
    .writes = "1",
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
