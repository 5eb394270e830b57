#include "app/ui/panel.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/theme.h"

namespace app::ui {
namespace {

constexpr int pixels = 8, tiles = 4;      // on a side of a picture
constexpr double seconds_per_step = 2.2;  // of which the last part rests
constexpr float part_of_movement = 0.75f;

// A sum that moves from one cell to another; in cells, `when` it moves from 0 to 1.
struct Carry {
  float x0, y0, x1, y1, when;
};
// What a picture shows: when each cell is done, and the sums that move between cells.
struct Scene {
  int side = pixels;
  bool heavy = false;  // tiles, not pixels
  std::vector<float> done;
  std::vector<Carry> carries;

  float& at(int x, int y) { return done[static_cast<std::size_t>(y * side + x)]; }
};

// `when`: a function of the cell, 0 (at once) to 1 (last).
template <class When>
Scene scene(int side, const When& when) {
  Scene result;
  result.side = side;
  result.heavy = side == tiles;
  result.done.resize(static_cast<std::size_t>(side * side));
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) result.at(x, y) = std::clamp(static_cast<float>(when(x, y)), 0.f, 1.f);
  return result;
}

// A carry into every cell from the one at (dx, dy) beside it, when that cell is done.
void carry_from(Scene& scene, int dx, int dy) {
  for (int y = 0; y < scene.side; ++y)
    for (int x = 0; x < scene.side; ++x)
      if (x + dx >= 0 && y + dy >= 0)
        scene.carries.push_back({static_cast<float>(x + dx), static_cast<float>(y + dy), static_cast<float>(x),
                                 static_cast<float>(y), scene.at(x, y)});
}

template <class When>
Scene from_left_and_above(int side, const When& when) {
  auto result = scene(side, when);
  carry_from(result, -1, 0);
  carry_from(result, 0, -1);
  return result;
}

Scene lines(bool down) {
  auto result = scene(pixels, [&](int x, int y) { return (down ? y : x) / 7.f; });
  down ? carry_from(result, 0, -1) : carry_from(result, -1, 0);
  return result;
}

// Pieces of two cells are summed at once; then the sums pass from piece to piece.
Scene pieces(bool down) {
  auto result = scene(pixels, [&](int x, int y) { return 0.25f + 0.75f * static_cast<float>((down ? y : x) / 2) / 3; });
  for (int line = 0; line < pixels; ++line)
    for (int piece = 1; piece < pixels / 2; ++piece) {
      const auto from = static_cast<float>(piece * 2 - 1), to = static_cast<float>(piece * 2),
                 across = static_cast<float>(line);
      const auto when = 0.25f + 0.75f * static_cast<float>(piece) / 3;
      result.carries.push_back(down ? Carry{across, from, across, to, when} : Carry{from, across, to, across, when});
    }
  return result;
}

// Every cell adds the one `distance` before it, for 1, 2, 4. `halves`: eight cells are two warps, one after another.
Scene doubling(bool halves) {
  const int width = halves ? pixels / 2 : pixels, rounds = halves ? 2 : 3;
  const auto round_of = [&](int x) { return x % width == 0 ? 0 : static_cast<int>(std::log2(x % width)) + 1; };
  const auto when = [&](int x, int round) {
    const auto part = static_cast<float>(round) / static_cast<float>(rounds);
    return halves ? (static_cast<float>(x / width) + part) / 2 : part;
  };
  auto result = scene(pixels, [&](int x, int) { return when(x, round_of(x)); });
  for (int y = 0; y < pixels; ++y)
    for (int x = 0; x < pixels; ++x) {
      for (int round = 1; (1 << (round - 1)) <= x % width; ++round)
        result.carries.push_back({static_cast<float>(x - (1 << (round - 1))), static_cast<float>(y), static_cast<float>(x),
                                  static_cast<float>(y), when(x, round)});
      if (halves && x == width)
        result.carries.push_back(
            {static_cast<float>(x - 1), static_cast<float>(y), static_cast<float>(x), static_cast<float>(y), 0.55f});
    }
  return result;
}

// Up: the last cell of each pair, of each four, of all eight is done; down: the others.
Scene tree(bool up) {
  const auto level = [](int x) { return (x + 1) % 8 == 0 ? 3 : (x + 1) % 4 == 0 ? 2 : (x + 1) % 2 == 0 ? 1 : 0; };
  auto result = scene(pixels, [&](int x, int) {
    const auto part = static_cast<float>(level(x)) / 3;
    return up ? (level(x) == 0 ? 1 : part) : 1 - part;
  });
  for (int y = 0; y < pixels; ++y)
    for (int l = 1; l <= 3; ++l)
      for (int x = (1 << l) - 1; x < pixels; x += 1 << l) {
        const auto row = static_cast<float>(y);
        const auto half = static_cast<float>(1 << (l - 1)), end = static_cast<float>(x);
        if (up)
          result.carries.push_back({end - half, row, end, row, static_cast<float>(l) / 3});
        else if (x + (1 << (l - 1)) < pixels)
          result.carries.push_back({end, row, end + half, row, 1 - static_cast<float>(l - 1) / 3});
      }
  return result;
}

Scene turned(int side, bool inside_tiles) {
  const int unit = inside_tiles ? side / 2 : side;
  auto result = scene(side, [](int, int) { return 0.5f; });
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int tx = x / unit * unit, ty = y / unit * unit;
      if (x - tx != y - ty)
        result.carries.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(tx + y - ty),
                                  static_cast<float>(ty + x - tx), 0.5f});
    }
  return result;
}

Scene diagonals(int from, int to) {
  auto result = scene(tiles, [&](int x, int y) {
    const int d = x + y;
    return d < from ? 0.f : d > to ? 1.f : 0.15f + 0.7f * static_cast<float>(d - from) / static_cast<float>(to - from);
  });
  for (const auto& [dx, dy] : {std::pair(-1, 0), std::pair(0, -1), std::pair(-1, -1)}) carry_from(result, dx, dy);
  return result;
}

// Tiles start in the order of the diagonals; each looks back over several tiles, further where they are not done yet.
Scene looking_back() {
  auto result = scene(
      tiles, [](int x, int y) { return static_cast<float>(x + y) / 7 + static_cast<float>((x * 5 + y * 3) % 4) / 28; });
  for (int y = 0; y < tiles; ++y)
    for (int x = 0; x < tiles; ++x)
      for (int back = 1; back <= 2; ++back)
        for (const auto& [dx, dy] : {std::pair(-1, 0), std::pair(0, -1), std::pair(-1, -1)})
          if (const int fx = x + dx * back, fy = y + dy * back; fx >= 0 && fy >= 0)
            result.carries.push_back({static_cast<float>(fx), static_cast<float>(fy), static_cast<float>(x),
                                      static_cast<float>(y), result.at(x, y)});
  return result;
}

Scene tile_tables() {
  auto result = scene(tiles, [](int, int) { return 0.6f; });
  for (const auto& [dx, dy] : {std::pair(-1, 0), std::pair(0, -1), std::pair(-1, -1)}) carry_from(result, dx, dy);
  return result;
}

// All tiles at once, each from every tile before it; arrows to all of them would hide each other, those of the last do not.
Scene sums_of_all() {
  auto result = scene(tiles, [](int, int) { return 0.6f; });
  for (int from = 0; from < tiles * tiles - 1; ++from)
    result.carries.push_back(
        {static_cast<float>(from % tiles), static_cast<float>(from / tiles), tiles - 1, tiles - 1, 0.6f});
  return result;
}

Scene in_bands(bool sums) {
  auto result = scene(pixels, [&](int x, int y) {
    return sums ? static_cast<float>(y % 4) / 3 : (y % 4 * 8.f + static_cast<float>(x)) / 31;
  });
  for (int x = 0; x < pixels; ++x)
    if (!sums) result.carries.push_back({static_cast<float>(x), 3, static_cast<float>(x), 4, 0.05f});
  if (sums) carry_from(result, 0, -1);
  if (sums) std::erase_if(result.carries, [](const Carry& carry) { return carry.y1 == 4; });
  return result;
}

// Two strips of columns at once; in each two groups of four rows: all from the left, and from the one row above the group.
Scene rows_together() {
  constexpr int half = pixels / 2;
  auto result = scene(pixels, [](int x, int y) { return static_cast<float>(y / half * half + x % half) / 7; });
  carry_from(result, -1, 0);
  std::erase_if(result.carries, [](const Carry& carry) { return carry.x1 == half; });
  for (int y = half; y < pixels; ++y)
    for (int x = 0; x < pixels; ++x)
      result.carries.push_back(
          {static_cast<float>(x), half - 1, static_cast<float>(x), static_cast<float>(y), result.at(x, y)});
  return result;
}

Scene grouped_rows() {
  auto result = scene(pixels, [](int x, int) { return x < 4 ? 0.2f : 0.8f; });
  for (int y = 0; y < pixels; ++y) result.carries.push_back({3, static_cast<float>(y), 4, static_cast<float>(y), 0.5f});
  return result;
}

struct Move {
  std::string_view name;
  Scene (*scene)();
};
// The moves of the steps in cards.json.
constexpr Move moves[] = {
    // One running sum, row after row, plus the entry above.
    {"pixel_by_pixel",
     [] { return from_left_and_above(pixels, [](int x, int y) { return static_cast<float>(y * pixels + x) / 63; }); }},
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
    {"tile_sums", [] { return scene(tiles, [](int, int) { return 0.5f; }); }},
    // Prefix sums of those, across the tiles.
    {"sums_across_tiles",
     [] { return from_left_and_above(tiles, [](int x, int y) { return static_cast<float>(std::max(x, y)) / 3; }); }},
    {"tile_tables", tile_tables},  // every tile's table, from the carries of its left, upper and upper left neighbours
    {"sums_of_all", sums_of_all},  // every tile's table, from the sums that all tiles before it have published
    {"diagonals", [] { return diagonals(0, 2 * tiles - 2); }},  // one diagonal of tiles after another
    {"band_of_diagonals", [] { return diagonals(2, 4); }},      // the same between two corners that are done otherwise
    // A block per column of tiles walks down, one tile behind its left neighbour.
    {"column_walk",
     [] { return from_left_and_above(tiles, [](int x, int y) { return static_cast<float>(y * 2 + x) / 9; }); }},
    {"look_back", looking_back},                   // a block per tile looks back to the left, up and along the diagonal
    {"band_sums", [] { return in_bands(true); }},  // the column sums of every band of rows
    {"rows_together", rows_together},              // groups of rows, in strips of columns
    {"bands", [] { return in_bands(false); }},     // every band of rows on its own, with the sums above it
    {"library", [] { return scene(1, [](int, int) { return 0.5f; }); }},  // unknown: a library does it
};

Scene scene_of(std::string_view move) {
  const auto* const at = std::ranges::find(moves, move, &Move::name);
  if (at == std::end(moves)) throw std::invalid_argument("no diagram of the move " + std::string(move) + " in cards.json");
  return at->scene();
}

ImU32 mixed(ImU32 from, ImU32 to, float part) {
  const auto a = ImGui::ColorConvertU32ToFloat4(from), b = ImGui::ColorConvertU32ToFloat4(to);
  const auto mix = [part](float x, float y) { return x + (y - x) * part; };
  return ImGui::ColorConvertFloat4ToU32({mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), 1});
}

// The row and column sums of a tile: its right and lower edge.
void edges(ImDrawList& draw, ImVec2 from, ImVec2 to, float thick, ImU32 colour) {
  draw.AddRectFilled({to.x - thick, from.y}, to, colour);
  draw.AddRectFilled({from.x, to.y - thick}, to, colour);
}

void arrow(ImDrawList& draw, ImVec2 from, ImVec2 to, float size, ImU32 colour, float thick) {
  draw.AddLine(from, to, colour, thick);
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return;
  const ImVec2 along((to.x - from.x) / length * size, (to.y - from.y) / length * size);
  draw.AddTriangleFilled(to, {to.x - along.x - along.y * 0.6f, to.y - along.y + along.x * 0.6f},
                         {to.x - along.x + along.y * 0.6f, to.y - along.y - along.x * 0.6f}, colour);
}

// One step in the square at `at`; `progress`: how much of it is done, 0 to 1.
void draw_move(ImDrawList& draw, std::string_view move, ImVec2 at, float side, float progress) {
  auto picture = scene_of(move);
  const float cell = side / static_cast<float>(picture.side), gap = std::max(1.f, side / 80);
  const float part = std::min(progress / part_of_movement, 1.f) * 1.15f;  // beyond 1: the last cells are filled
  const bool edges_only = move == "tile_sums" || move == "sums_across_tiles";
  for (int y = 0; y < picture.side; ++y)
    for (int x = 0; x < picture.side; ++x) {
      const ImVec2 from(at.x + cell * static_cast<float>(x), at.y + cell * static_cast<float>(y));
      const ImVec2 to(from.x + cell - gap, from.y + cell - gap);
      const float filled = std::clamp((part - picture.at(x, y)) / 0.12f, 0.f, 1.f);
      const auto fill = mixed(colour::control, colour::accent, filled * 0.75f);
      draw.AddRectFilled(from, to, edges_only ? colour::control : fill, cell * 0.08f);
      if (edges_only) edges(draw, from, to, cell * 0.18f, fill);
    }
  const auto middle = [&](float x, float y) { return ImVec2(at.x + cell * (x + 0.5f), at.y + cell * (y + 0.5f)); };
  for (const auto& carry : picture.carries) {
    const float age = part - carry.when;
    if (age < -0.14f || age > 0.2f) continue;  // only what moves now
    const float moved = std::clamp((age + 0.14f) / 0.14f, 0.f, 1.f);
    const auto from = middle(carry.x0, carry.y0), to = middle(carry.x1, carry.y1);
    arrow(draw, from, {from.x + (to.x - from.x) * moved, from.y + (to.y - from.y) * moved}, std::max(3.f, cell * 0.28f),
          colour::warning, std::max(1.f, side / 90));
  }
  if (move == "library") {
    const auto size = ImGui::CalcTextSize("?");
    draw.AddText({at.x + (side - size.x) / 2, at.y + (side - size.y) / 2}, colour::text, "?");
  }
}

}  // namespace

void carry_diagrams(std::span<const SatStep> steps, double seconds) {
  const auto em = ImGui::GetFontSize(), side = std::round(em * 6.5f), gap = em * 1.2f;
  const auto room = ImGui::GetContentRegionAvail().x;
  const auto in_line = std::max(1, static_cast<int>((room + gap) / (side + gap)));
  const double all = seconds_per_step * static_cast<double>(steps.size());
  const double now = std::fmod(seconds, all) / seconds_per_step;
  const auto start = ImGui::GetCursorScreenPos();
  auto& draw = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto column = static_cast<float>(static_cast<int>(i) % in_line),
               line = static_cast<float>(static_cast<int>(i) / in_line);
    const ImVec2 at(start.x + column * (side + gap), start.y + line * (side + em * 1.8f));
    const auto progress = static_cast<float>(std::clamp(now - static_cast<double>(i), 0.0, 1.0));
    const bool current = progress > 0 && progress < 1;
    const auto number = std::to_string(i + 1);
    if (steps.size() > 1) draw.AddText(at, current ? colour::text : colour::dim, number.c_str());
    draw_move(draw, steps[i].move, {at.x, at.y + em * 1.3f}, side, progress);
  }
  const auto line_count = (static_cast<int>(steps.size()) + in_line - 1) / in_line;
  ImGui::Dummy({room, static_cast<float>(line_count) * (side + em * 1.8f)});
}

}  // namespace app::ui
