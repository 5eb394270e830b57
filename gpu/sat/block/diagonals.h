// Ranges of anti-diagonals of a grid of tiles.
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

}  // namespace gpu::sat
