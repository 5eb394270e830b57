// host_parallel: the table on all cores, one write a pixel.
//
// Idea (our own): the image is cut into bands of rows, one a thread. A band needs one thing from the bands above it, the
// sum of each of their columns; with that it is computed alone.
//
//      phase 1: column sums of the bands      c0 c1 c2 ...      every band but the last, in slices
//      phase 2: each band, rows together      table = the row above + prefix sums of the row
//
// Phase 2 starts from the prefix sums of the columns above the band and keeps a copy of the latest row, which stays in
// the first-level cache; it never reads the table it wrote: the image is read twice (in phase 1 and again in phase 2),
// the table written once. Rows are scanned in SIMD (row_scan_simd.h) for 32-bit integer sums; other types run the plain
// loop. Tables too large for any cache are written past the caches, which saves reading each line before it is
// overwritten. Synchronisation: the end of phase 1. Threads: at most one a core; fewer on request.
//
// Strips of columns, each a few rows behind its left neighbour, read the image once and were slower all the same (two
// cores, 1080p: 235 us against 155 us for phase 2): where strips meet, the cores' prefetchers take lines from each other.
#include <algorithm>
#include <numeric>

#include "gpu/sat.h"
#include "gpu/sat/row_scan_simd.h"

namespace gpu::sat {
namespace {

// From this size in bytes on a table is written past the caches. Smaller ones are read again at once, by the effect.
// (Measured with two cores, past the caches against through them: 33 MB in 750 against 590 us, 268 MB in half the time.)
constexpr std::size_t past_caches_from = std::size_t{64} << 20;

// Past the caches 2 rows at once are 8% faster than 1; through them, and with more rows, nothing is gained.
constexpr int rows_together = 2;

// Part `part` of `parts` equal parts of 0..count.
struct Range {
  int begin, end;
  Range(int count, int part, int parts)
      : begin(static_cast<int>(static_cast<long long>(count) * part / parts)),
        end(static_cast<int>(static_cast<long long>(count) * (part + 1) / parts)) {}
};

// The table's row above a band: the prefix sums of the columns of all slices before it.
template <class Sum>
void row_above(const Sum* columns, std::size_t padded, int slices, Sum* above, std::size_t width) {
  std::fill_n(above, width, Sum(0));
  for (int slice = 0; slice < slices; ++slice) {
    const Sum* sums = columns + static_cast<std::size_t>(slice) * padded;
    for (std::size_t x = 0; x < width; ++x) above[x] += sums[x];
  }
  std::inclusive_scan(above, above + width, above);
}

template <bool PastCaches, class Input, class Sum>
void band_of_table(ImageView<const Input> image, Range rows, Sum* above, ImageView<Sum> sat) {
  int y = rows.begin;
  for (; y + rows_together <= rows.end; y += rows_together)
    table_rows<rows_together, PastCaches>(image.row(y), image.stride, above, sat.row(y), sat.stride, image.width);
  for (; y < rows.end; ++y)
    table_rows<1, PastCaches>(image.row(y), image.stride, above, sat.row(y), sat.stride, image.width);
  if (PastCaches) past_caches_done();
}

template <class Sum>
bool is_written_past_caches(ImageView<Sum> sat) {
  const auto row_bytes = static_cast<std::size_t>(sat.width) * sizeof(Sum);
  return row_bytes * static_cast<std::size_t>(sat.height) >= past_caches_from &&
         reinterpret_cast<std::uintptr_t>(sat.data) % 64 == 0 && sat.stride * std::ptrdiff_t{sizeof(Sum)} % 64 == 0;
}

template <class Input, class Sum>
void table(Context& context, ImageView<const Input> image, ImageView<Sum> sat, int bands) {
  const auto width = static_cast<std::size_t>(image.width);
  const std::size_t padded = (width + 63) / 64 * 64;  // no two threads write one cache line

  // Phase 1. Every band but the last is cut into as many slices as there are bands, so that all threads have work even
  // where there are only two.
  const int slices = (bands - 1) * bands;
  Sum* columns = context.scratch<Sum>(padded * static_cast<std::size_t>(std::max(slices, 1)));
  context.parallel("column sums", slices, [&](int slice) {
    const Range band(image.height, slice / bands, bands);
    const Range rows(band.end - band.begin, slice % bands, bands);
    Sum* sums = columns + static_cast<std::size_t>(slice) * padded;
    std::fill_n(sums, width, Sum(0));
    add_columns(image.row(band.begin + rows.begin), image.stride, rows.end - rows.begin, sums, image.width);
  });

  // Phase 2.
  const bool past_caches = is_written_past_caches(sat);
  Sum* latest_rows = context.scratch<Sum>(padded * static_cast<std::size_t>(bands));
  context.parallel("bands", bands, [&](int band) {
    Sum* above = latest_rows + static_cast<std::size_t>(band) * padded;
    row_above(columns, padded, band * bands, above, width);
    const Range rows(image.height, band, bands);
    past_caches ? band_of_table<true>(image, rows, above, sat) : band_of_table<false>(image, rows, above, sat);
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const auto& choice = arguments.text("threads");
  const int wanted = choice == "all" ? context.threads() : std::min(arguments.integer("threads"), context.threads());
  // A band of few rows would cost more to start than to compute.
  const int bands = std::clamp(image.height / 8, 1, std::max(wanted, 1));
  visit_sat_type(image, sat, [&](auto input, auto output) { table(context, input, output, bands); });
}

constexpr Parameter parameters[] = {choice("threads", "all,1,2,4,8,16", "threads at most; all: one a core")};

}  // namespace

extern constinit const SatAlgorithm sat_host_parallel{
    .name = "host_parallel",
    .year = 2026,
    .paper = "satscope: two-phase bands",
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
