// Ranges of anti-diagonals of a grid of tiles, and how the prefix sums along their lines are divided among threads.
#pragma once

#include <algorithm>

namespace gpu::sat {

// The tiles (I, J) with begin <= I + J < end. Tiles on earlier diagonals are done: their sums are global.
struct Diagonals {
  int begin, end;

  // The first tile of tile row I (or column J), among `count` tile columns (rows), and the one after the last.
  constexpr int first(int line) const { return begin > line ? begin - line : 0; }
  constexpr int last(int line, int count) const { return end - line < count ? (end > line ? end - line : 0) : count; }
  // The most tiles that any one row (column) has on them.
  constexpr int longest(int count) const { return std::min(count, end - begin); }
};

constexpr int tiles_on_diagonal(int diagonal, int rows, int columns) {
  return std::min(diagonal, rows - 1) - std::max(0, diagonal - columns + 1) + 1;
}
// How many tiles lie on the first `diagonals` diagonals.
constexpr int tiles_on(int diagonals, int rows, int columns) {
  int tiles = 0;
  for (int d = 0; d < diagonals; ++d) tiles += tiles_on_diagonal(d, rows, columns);
  return tiles;
}

// Threads of a block.
inline constexpr int prefix_threads = 256;
// How many entries of a line a thread loads before it adds them: 128 bytes, which hides more latency than smaller loads.
template <class Sum>
inline constexpr int entries_ahead = static_cast<int>(128 / sizeof(Sum));
// So few entries take little longer than one.
inline constexpr int few_entries = 8;

// 2^shift threads of a block share a line; each has one of its `parts`. In a round, every thread takes `entries` consecutive
// entries, next to those of its neighbours; rounds follow until the end of the line. Every round waits for memory once, so
// that lines are shared if threads would otherwise be idle.
struct Segments {
  int shift, entries, rounds;

  // For `lines` lines of up to `length` entries and `threads` available threads: as many parts as leave few entries to a thread, as
  // long as there are threads for them and a block keeps 32 lines or more. Neighbouring lines are neighbours in memory, so that
  // a warp's accesses are coalesced.
  template <class Sum>
  static constexpr Segments of(int lines, int length, int threads) {
    constexpr int ahead = entries_ahead<Sum>, most = prefix_threads / 32;
    int shift = 0;
    while ((few_entries << shift) < length && (2 << shift) <= most && lines <= threads / (2 << shift)) ++shift;
    const int parts = 1 << shift, entries = std::min(ahead, (length + parts - 1) / parts);
    const int round = std::max(1, parts * entries);
    return {shift, entries, (length + round - 1) / round};
  }

  constexpr int parts() const { return 1 << shift; }
};

}  // namespace gpu::sat
