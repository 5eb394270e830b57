// host_parallel: the table on all cores, one write a pixel.
//
// Idea (our own): the image is cut into bands of rows, one a thread. A band needs one thing from the bands above it, the
// sum of each of their columns; with that it is computed alone.
//
//      phase 1: column sums of the bands      c0 c1 c2 ...      every band but the last, in slices
//      phase 2: each band, row by row         columns += row;   table = prefix sums of columns
//
// Phase 2 keeps the sums of all columns so far in one row of memory, which stays in the first-level cache, and never
// reads the table it wrote: the image is read twice (once a byte a pixel in phase 1 and again in phase 2), the table
// written once. Rows are scanned in SIMD (row_scan_simd.h) for 32-bit integer sums; other types run the plain loop.
// Tables too large for any cache are written past the caches, which saves reading each line before it is overwritten.
// Synchronisation: the end of phase 1. Threads: at most one a core; fewer on request.
#include <algorithm>
#include <vector>

#include "gpu/sat.h"
#include "gpu/sat/row_scan_simd.h"

namespace gpu::sat {
namespace {

// From this size on a table is written past the caches. Smaller ones are read again at once, by the effect.
constexpr std::size_t past_caches_from = std::size_t{16} << 20;

// Part `part` of `parts` equal parts of 0..count.
struct Range {
  int begin, end;
  Range(int count, int part, int parts)
      : begin(static_cast<int>(static_cast<long long>(count) * part / parts)),
        end(static_cast<int>(static_cast<long long>(count) * (part + 1) / parts)) {}
};

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
  const bool past_caches = width * static_cast<std::size_t>(image.height) * sizeof(Sum) >= past_caches_from;
  Sum* running = context.scratch<Sum>(padded * static_cast<std::size_t>(bands));
  context.parallel("bands", bands, [&](int band) {
    Sum* column = running + static_cast<std::size_t>(band) * padded;
    std::fill_n(column, width, Sum(0));
    for (int slice = 0; slice < band * bands; ++slice) {
      const Sum* sums = columns + static_cast<std::size_t>(slice) * padded;
      for (std::size_t x = 0; x < width; ++x) column[x] += sums[x];
    }
    const Range rows(image.height, band, bands);
    for (int y = rows.begin; y < rows.end; ++y) table_row(image.row(y), column, sat.row(y), image.width, past_caches);
    if (past_caches) past_caches_done();
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
