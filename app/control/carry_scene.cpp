#include "app/control/carry_scene.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace app {
namespace {

constexpr int pixels = 8, tiles = 4;  // on a side

struct Offset {
  int x, y;
};
constexpr Offset from_left{-1, 0}, from_above{0, -1}, from_diagonal{-1, -1};

// A scene while it is made.
struct Scene : CarryScene {
  // `when`: a function of the cell.
  template <class When>
  Scene(int cells, const When& when) {
    side = cells;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) done.push_back(std::clamp<double>(when(x, y), 0, 1));
  }
  // Into every cell from the one so far away, when that cell is done.
  Scene& carry_from(Offset by) {
    for (int y = std::max(0, -by.y); y < side; ++y)
      for (int x = std::max(0, -by.x); x < side; ++x) carries.push_back({x + by.x, y + by.y, x, y, at(x, y)});
    return *this;
  }
};

template <class When>
Scene from_left_and_above(int side, const When& when) {
  return Scene(side, when).carry_from(from_left).carry_from(from_above);
}

double at_half(int, int) { return 0.5; }

Scene lines(bool down) {
  return Scene(pixels, [&](int x, int y) { return (down ? y : x) / 7.0; }).carry_from(down ? from_above : from_left);
}

// Pieces of two cells are summed at once; then the sums pass from piece to piece.
Scene pieces(bool down) {
  const auto when = [](int piece) { return 0.25 + 0.75 * piece / 3; };
  Scene result(pixels, [&](int x, int y) { return when((down ? y : x) / 2); });
  for (int line = 0; line < pixels; ++line)
    for (int to = 2; to < pixels; to += 2)
      result.carries.push_back(down ? Carry{line, to - 1, line, to, when(to / 2)}
                                    : Carry{to - 1, line, to, line, when(to / 2)});
  return result;
}

// Every cell adds the one `distance` before it, for 1, 2, 4. `halves`: eight cells are two warps, one after another.
Scene doubling(bool halves) {
  const int width = halves ? pixels / 2 : pixels, rounds = halves ? 2 : 3;
  const auto when = [&](int x, double round) {
    const auto part = round / rounds;
    return halves ? (x / width + part) / 2 : part;
  };
  Scene result(pixels, [&](int x, int) { return when(x, std::bit_width(static_cast<unsigned>(x % width))); });
  for (int y = 0; y < pixels; ++y)
    for (int x = 0; x < pixels; ++x) {
      for (int round = 1, distance = 1; distance <= x % width; ++round, distance *= 2)
        result.carries.push_back({x - distance, y, x, y, when(x, round)});
      if (halves && x == width) result.carries.push_back({x - 1, y, x, y, 0.55});
    }
  return result;
}

// Up: the last cell of each pair, of each four, of all eight is done; down: the others.
Scene tree(bool up) {
  Scene result(pixels, [&](int x, int) {
    const int level = std::countr_zero(static_cast<unsigned>(x + 1));
    return !up ? 1 - level / 3.0 : level == 0 ? 1 : level / 3.0;
  });
  for (int y = 0; y < pixels; ++y)
    for (int level = 1; level <= 3; ++level)
      for (int end = (1 << level) - 1; end < pixels; end += 1 << level)
        if (const int half = 1 << (level - 1); up)
          result.carries.push_back({end - half, y, end, y, level / 3.0});
        else if (end + half < pixels)
          result.carries.push_back({end, y, end + half, y, 1 - (level - 1) / 3.0});
  return result;
}

Scene turned(int side, bool inside_tiles) {
  const int unit = inside_tiles ? side / 2 : side;
  Scene result(side, at_half);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      if (const int tx = x / unit * unit, ty = y / unit * unit; x - tx != y - ty)
        result.carries.push_back({x, y, tx + y - ty, ty + x - tx, 0.5});
  return result;
}

Scene diagonals(int from, int to) {
  const auto when = [&](int x, int y) {
    const int d = x + y;
    return d < from ? 0 : d > to ? 1 : 0.15 + 0.7 * (d - from) / (to - from);
  };
  return Scene(tiles, when).carry_from(from_left).carry_from(from_above).carry_from(from_diagonal);
}

// Of the sums that enter a cell on one line, that from farthest away: arrows of the others would lie on it.
Scene farthest_alone(Scene scene) {
  const auto is_nearer = [all = scene.carries](const Carry& carry) {
    const int x = carry.x1 - carry.x0, y = carry.y1 - carry.y0;
    return std::ranges::any_of(all, [&](const Carry& other) {
      const int far_x = other.x1 - other.x0, far_y = other.y1 - other.y0;
      return other.x1 == carry.x1 && other.y1 == carry.y1 && x * far_y == y * far_x && x * far_x + y * far_y > x * x + y * y;
    });
  };
  std::erase_if(scene.carries, is_nearer);
  return scene;
}

// Tiles start in the order of the diagonals; each looks back over several tiles, further where they are not done yet.
Scene looking_back() {
  Scene result(tiles, [](int x, int y) { return (x + y) / 7.0 + (x * 5 + y * 3) % 4 / 28.0; });
  for (const auto& by : {from_left, from_above, from_diagonal})
    for (const int back : {1, 2}) result.carry_from({by.x * back, by.y * back});
  return farthest_alone(std::move(result));
}

Scene tile_tables() {
  return Scene(tiles, [](int, int) { return 0.6; }).carry_from(from_left).carry_from(from_above).carry_from(from_diagonal);
}

// All tiles at once, each from every tile before it; arrows to all of them would hide each other, those of the last do not.
Scene sums_of_all() {
  Scene result(tiles, [](int, int) { return 0.6; });
  for (int from = 0; from < tiles * tiles - 1; ++from)
    result.carries.push_back({from % tiles, from / tiles, tiles - 1, tiles - 1, 0.6});
  return farthest_alone(std::move(result));
}

Scene band_sums() {
  auto result = Scene(pixels, [](int, int y) { return y % 4 / 3.0; }).carry_from(from_above);
  std::erase_if(result.carries, [](const Carry& carry) { return carry.y1 == 4; });
  return result;
}

Scene bands() {
  Scene result(pixels, [](int x, int y) { return (y % 4 * 8 + x) / 31.0; });
  for (int x = 0; x < pixels; ++x) result.carries.push_back({x, 3, x, 4, 0.05});
  return result;
}

// Two strips of columns at once; in each two groups of four rows: all from the left, and from the one row above the group.
Scene rows_together() {
  constexpr int half = pixels / 2;
  auto result = Scene(pixels, [](int x, int y) { return (y / half * half + x % half) / 7.0; }).carry_from(from_left);
  std::erase_if(result.carries, [](const Carry& carry) { return carry.x1 == half; });
  for (int y = half; y < pixels; ++y)
    for (int x = 0; x < pixels; ++x) result.carries.push_back({x, half - 1, x, y, result.at(x, y)});
  return result;
}

Scene grouped_rows() {
  Scene result(pixels, [](int x, int) { return x < 4 ? 0.2 : 0.8; });
  for (int y = 0; y < pixels; ++y) result.carries.push_back({3, y, 4, y, 0.5});
  return result;
}

struct Move {
  std::string_view name;
  Scene (*scene)();
};
// The moves of the steps in cards.json.
constexpr Move moves[] = {
    // One running sum, row after row, plus the entry above.
    {"pixel_by_pixel", [] { return from_left_and_above(pixels, [](int x, int y) { return (y * pixels + x) / 63.0; }); }},
    {"down_columns", [] { return lines(true); }},             // every column on its own, from the top
    {"along_rows", [] { return lines(false); }},              // every row on its own, from the left
    {"pieces_of_rows", [] { return pieces(false); }},         // pieces of a row at once; each passes its sum to the right
    {"pieces_of_columns", [] { return pieces(true); }},       // the same, downwards
    {"by_lanes", [] { return doubling(true); }},              // 32 neighbours at once, at the distances 1, 2, 4, 8, 16
    {"transpose", [] { return turned(5, false); }},           // rows become columns
    {"tile_transpose", [] { return turned(pixels, true); }},  // every tile of 32 x 32 is turned in registers
    {"doubling", [] { return doubling(false); }},  // every entry adds the one 1, 2, 4, ... before it, through memory
    {"tree_up", [] { return tree(true); }},        // sums of 2, 4, 8, ... neighbours
    {"tree_down", [] { return tree(false); }},     // prefix sums from those sums
    {"groups", grouped_rows},                      // groups of a row, one after another
    // Every tile's row sums, column sums and sum.
    {"tile_sums", [] { return Scene(tiles, at_half); }},
    // Prefix sums of those, across the tiles.
    {"sums_across_tiles", [] { return from_left_and_above(tiles, [](int x, int y) { return std::max(x, y) / 3.0; }); }},
    {"tile_tables", tile_tables},  // every tile's table, from the carries of its left, upper and upper left neighbours
    {"sums_of_all", sums_of_all},  // every tile's table, from the sums that all tiles before it have published
    {"diagonals", [] { return diagonals(0, 2 * tiles - 2); }},  // one diagonal of tiles after another
    {"band_of_diagonals", [] { return diagonals(2, 4); }},      // the same between two corners that are done otherwise
    // A block per column of tiles walks down, one tile behind its left neighbour.
    {"column_walk", [] { return from_left_and_above(tiles, [](int x, int y) { return (y * 2 + x) / 9.0; }); }},
    {"look_back", looking_back},                    // a block per tile looks back to the left, up and along the diagonal
    {"band_sums", band_sums},                       // the column sums of every band of rows
    {"rows_together", rows_together},               // groups of rows, in strips of columns
    {"bands", bands},                               // every band of rows on its own, with the sums above it
    {"library", [] { return Scene(1, at_half); }},  // unknown: a library does it
};

}  // namespace

CarryScene carry_scene(std::string_view move) {
  const auto* const at = std::ranges::find(moves, move, &Move::name);
  if (at == std::end(moves)) throw std::invalid_argument("no scene of the move " + std::string(move) + " in cards.json");
  CarryScene scene = at->scene();
  scene.sums_alone = move == "tile_sums" || move == "sums_across_tiles";
  scene.unknown = move == "library";
  return scene;
}

}  // namespace app
