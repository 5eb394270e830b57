// Global memory traffic, for the descriptors' traffic(): the bytes that threads request by the loads and stores of the
// source, for the pieces that several algorithms share.
//
// Two things depend on the order in which blocks run. The figures assume that blocks run one after another, so that a
// look-back finds a global sum in its first step; if blocks run concurrently, some walk further. And the repeated loads of a
// block that waits are not counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "gpu/sat.h"
#include "gpu/sat/block/diagonals.h"

namespace gpu::sat {

struct ElementBytes {
  std::uint64_t input, sum;
};
inline ElementBytes bytes_of(SatType type) { return {size_of(info(type).input), size_of(info(type).sum)}; }
inline bool sums_are_floating(SatType type) {
  return info(type).sum == ElementType::f32 || info(type).sum == ElementType::f64;
}

// One kernel that reads each of `count` entries once, as `from` bytes, and writes it once, as `to` bytes: a scan, a
// transpose.
constexpr Traffic one_pass(std::uint64_t count, std::uint64_t from, std::uint64_t to) {
  return {count * from, count * to, 1};
}

// One pass over the image and one over the table.
inline Traffic traffic_of_two_passes(Size size, SatType type, const Arguments&, const GpuLimits&) {
  const auto [input, sum] = bytes_of(type);
  return one_pass(size.pixels(), input, sum) + one_pass(size.pixels(), sum, sum);
}

// `count` blocks, each of which takes a ticket of run_slots.cuh; the last one prepares the next run.
constexpr Traffic tickets_taken(std::uint64_t count) {
  constexpr std::uint64_t word = 8;
  return {count * word, (count + 1) * word, 0};
}

// A slot of look_back.cuh holds a sum and, as large, its status.
constexpr std::uint64_t slot_bytes(ElementBytes bytes) { return 2 * bytes.sum; }

// The slots that the places of a line read, if each reads a batch of those before it once.
constexpr std::uint64_t slots_read(std::uint64_t places, std::uint64_t batch) {
  const auto few = std::min(places, batch);
  return few * (few - 1) / 2 + batch * (places - few);
}
// The slots that all corners of a grid of tiles read: one per predecessor on the diagonal, at most one per lane of a warp.
constexpr std::uint64_t corner_slots_read(int rows, int columns) {
  std::uint64_t read = 0;
  for (int predecessors = 1; predecessors < std::min(rows, columns); ++predecessors)
    read += static_cast<std::uint64_t>(rows + columns - 2 * predecessors - 1) *
            static_cast<std::uint64_t>(std::min(predecessors, 32));
  return read;
}

// carry_along() of look_back_walk.h at each of `places` places of `lines` lines: every place publishes its global sum, all
// but the first also a local one before; four predecessors are read at once.
constexpr Traffic carries_along(std::uint64_t lines, std::uint64_t places, std::uint64_t slot) {
  return {lines * slots_read(places, 4) * slot, lines * (2 * places - 1) * slot, 0};
}

// Rows, transpose, rows, transpose (transpose.cuh). scan(size, from, to): the traffic of the scan of a matrix, from elements
// of `from` bytes to elements of `to` bytes; the second scan is that of the transposed table.
template <class Scan>
Traffic two_scans_and_transposes(Size size, SatType type, Scan scan) {
  const auto [input, sum] = bytes_of(type);
  const auto transpose = one_pass(size.pixels(), sum, sum);
  return scan(size, input, sum) + transpose + scan(Size{size.height, size.width}, sum, sum) + transpose;
}
// Where each scan is one pass.
inline Traffic traffic_of_scans_and_transposes(Size size, SatType type, const Arguments&, const GpuLimits&) {
  return two_scans_and_transposes(
      size, type, [](Size of, std::uint64_t from, std::uint64_t to) { return one_pass(of.pixels(), from, to); });
}

// Of the pieces in tile_sums.cuh and tile_prefix.cuh, for the algorithms that pass tile sums from kernel to kernel.

// An image divided into tiles of side W; the last tiles of a row and of a column may lie partly outside.
struct TileGrid {
  Size image;
  int W, rows, columns;

  TileGrid(Size image, int W) : image(image), W(W), rows(ceil_div(image.height, W)), columns(ceil_div(image.width, W)) {}
  std::uint64_t tiles() const { return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns); }
  Diagonals all() const { return {0, rows + columns}; }
};

// The tiles on some diagonals: how many there are, how many have a neighbour above (left, both), and their pixels inside the
// image.
struct TileCount {
  std::uint64_t tiles = 0, with_above = 0, with_left = 0, with_both = 0, pixels = 0;

  TileCount(const TileGrid& grid, Diagonals part) {
    for (int I = 0; I < grid.rows; ++I) {
      const int first = part.first(I), last = part.last(I, grid.columns);
      if (first >= last) continue;
      const auto count = static_cast<std::uint64_t>(last - first), right_of_first = count - (first == 0);
      tiles += count;
      with_left += right_of_first;
      if (I > 0) with_above += count, with_both += right_of_first;
      const int width = std::min(last * grid.W, grid.image.width) - first * grid.W;
      const int height = std::min((I + 1) * grid.W, grid.image.height) - I * grid.W;
      pixels += static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
    }
  }
};

// Threads of a block that holds a tile in registers: one per four columns and band. A tile has 8 bands, or 16 if sums have 8
// bytes.
constexpr std::uint64_t bands_of_tile(ElementBytes bytes) { return bytes.sum == 8 ? 16 : 8; }
constexpr std::uint64_t threads_of_tile(const TileGrid& grid, ElementBytes bytes) {
  return static_cast<std::uint64_t>(grid.W) / 4 * bands_of_tile(bytes);
}

// A launch of write_local_sums(): reads the pixels; writes W row sums, W column sums and the corner of each tile.
inline Traffic local_sums(const TileGrid& grid, const TileCount& count, ElementBytes bytes) {
  const auto sums_of_tile = 2 * static_cast<std::uint64_t>(grid.W) + 1;
  return {count.pixels * bytes.input, count.tiles * sums_of_tile * bytes.sum, 1};
}

// A launch of write_global_sat(): reads the pixels and the neighbours' sums, writes the table. Every band reads the column
// sums, every thread the corner.
inline Traffic global_sat(const TileGrid& grid, const TileCount& count, ElementBytes bytes) {
  const auto W = static_cast<std::uint64_t>(grid.W);
  const auto sums = count.with_above * W * bands_of_tile(bytes) + count.with_left * W +
                    count.with_both * threads_of_tile(grid, bytes);
  return {count.pixels * bytes.input + sums * bytes.sum, count.pixels * bytes.sum, 1};
}

// `launches` launches of diagonal_tiles(): write_global_sat_and_sums() does the same, and writes the tile's global sums.
// For these it reads the neighbours' corners if sums are integers, their row and column sums if they are floating-point.
inline Traffic diagonal_launches(const TileGrid& grid, const TileCount& count, SatType type, int launches) {
  const auto bytes = bytes_of(type);
  const auto W = static_cast<std::uint64_t>(grid.W);
  const auto read = (count.with_above + count.with_left) * (sums_are_floating(type) ? W : 1);
  return global_sat(grid, count, bytes) + Traffic{read * bytes.sum, count.tiles * (2 * W + 1) * bytes.sum, launches - 1};
}

// How many of `lines` lines have tiles on `part` and tiles before it: their prefix sums continue from an earlier sum.
inline std::uint64_t continued_lines(Diagonals part, int lines, int count) {
  std::uint64_t continued = 0;
  for (int line = 0; line < lines; ++line) continued += part.first(line) > 0 && part.first(line) < part.last(line, count);
  return continued;
}

// launch_prefix_sums() without the corners: each row and column sum is read and written once. The earlier sum from which a
// line continues is read by all threads that share the line; how many these are depends on the GPU.
template <class Sum>
Traffic prefix_of_lines(const TileGrid& grid, const TileCount& count, Diagonals part, const GpuLimits& limits) {
  const int threads = limits.multiprocessors * prefix_threads;
  const auto W = static_cast<std::uint64_t>(grid.W);
  const auto along = Segments::of<Sum>(grid.rows * grid.W, part.longest(grid.columns), threads);
  const auto down = Segments::of<Sum>(grid.columns * grid.W, part.longest(grid.rows), threads);
  const auto before = continued_lines(part, grid.rows, grid.columns) * W * static_cast<std::uint64_t>(along.parts()) +
                      continued_lines(part, grid.columns, grid.rows) * W * static_cast<std::uint64_t>(down.parts());
  const auto entries = 2 * count.tiles * W;
  return {(entries + before) * sizeof(Sum), entries * sizeof(Sum), 0};
}

// corner_table(): each corner is read and written twice, along its row and down its column. A row continues from the
// difference of two corners, or from the W row sums left of it if sums are floating-point; a column from one corner, which every
// thread that shares the column reads.
template <class Sum>
Traffic prefix_of_corners(const TileGrid& grid, const TileCount& count, Diagonals part) {
  const auto down = Segments::of<Sum>(grid.columns, part.longest(grid.rows), prefix_threads);
  const auto rows = continued_lines(part, grid.rows, grid.columns);
  const bool from_the_top = rows > 0 && part.first(0) > 0 && part.first(0) < part.last(0, grid.columns);
  const auto left = std::is_floating_point_v<Sum> ? rows * static_cast<std::uint64_t>(grid.W) : 2 * rows - from_the_top;
  const auto before = left + continued_lines(part, grid.columns, grid.rows) * static_cast<std::uint64_t>(down.parts());
  return {(2 * count.tiles + before) * sizeof(Sum), 2 * count.tiles * sizeof(Sum), 0};
}

// Calls f.template operator()<Sum>() with the type of a table's sums.
template <class F>
Traffic with_sum(SatType type, F&& f) {
  switch (info(type).sum) {
    case ElementType::u32: return f.template operator()<std::uint32_t>();
    case ElementType::u64: return f.template operator()<std::uint64_t>();
    case ElementType::f32: return f.template operator()<float>();
    default: return f.template operator()<double>();
  }
}

// Lines and corners together: one launch of prefix_sums().
inline Traffic prefix_launch(const TileGrid& grid, const TileCount& count, SatType type, Diagonals part,
                             const GpuLimits& limits) {
  return with_sum(type, [&]<class Sum>() {
    return prefix_of_lines<Sum>(grid, count, part, limits) + prefix_of_corners<Sum>(grid, count, part) + Traffic{0, 0, 1};
  });
}

}  // namespace gpu::sat
