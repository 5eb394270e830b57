// CarryScene: how sums move in a step of an algorithm: a square of pixels or tiles, in which they pass from one to another.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace app {

// A sum that moves from one cell to another, from the moment `when` on: from 0 to 1, as all moments.
struct Carry {
  int x0, y0, x1, y1;
  double when;
};
struct CarryScene {
  int side = 0;              // cells: pixels, or tiles
  std::vector<double> done;  // when each is, row by row
  std::vector<Carry> carries;
  bool sums_alone = false;  // of each tile only its row and column sums are computed
  bool unknown = false;     // a library does it

  double at(int x, int y) const { return done[static_cast<std::size_t>(y * side + x)]; }
};
// Of a move of SatStep. Throws std::invalid_argument where it is unknown.
CarryScene carry_scene(std::string_view move);

}  // namespace app
