// SatCard: what a reader wants to know of an algorithm besides its descriptor: its family, its paper's DOI, how its carries
// move, and what each of its kernels does. Kept apart from the kernels, so that a word can change without compiling them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace gpu {

struct SatAlgorithm;

enum class SatFamily { cpu, rows_and_columns, transposes, trees, tiles, one_kernel, library };
std::string_view name(SatFamily family);         // "Rows and columns"
std::string_view description(SatFamily family);  // one sentence
std::span<const SatFamily> sat_families();       // in the order in which they build on each other

// How sums move in one step of an algorithm: a program can draw it.
enum class SatMove {
  pixel_by_pixel,     // one running sum, row after row, plus the entry above
  down_columns,       // every column on its own, from the top
  along_rows,         // every row on its own, from the left
  pieces_of_rows,     // pieces of a row at once; each passes its sum to the right
  pieces_of_columns,  // the same, downwards
  by_lanes,           // 32 neighbours at once, at the distances 1, 2, 4, 8, 16; then the next 32
  transpose,          // rows become columns
  tile_transpose,     // every tile of 32 x 32 is turned in registers
  doubling,           // every entry adds the one 1, 2, 4, ... before it, through memory
  tree_up,            // sums of 2, 4, 8, ... neighbours
  tree_down,          // prefix sums from those sums
  groups,             // groups of a row, one after another
  tile_sums,          // every tile's row sums, column sums and sum
  sums_across_tiles,  // prefix sums of those, across the tiles
  tile_tables,        // every tile's table, from the carries of its left, upper and upper left neighbours
  sums_of_all,        // every tile's table, from the sums that all tiles before it have published
  diagonals,          // one diagonal of tiles after another
  band_of_diagonals,  // the same between two corners that are done otherwise
  column_walk,        // a block per column of tiles walks down, one tile behind its left neighbour
  look_back,          // a block per tile looks back to the left, up and along the diagonal
  band_sums,          // the column sums of every band of rows
  bands,              // every band of rows on its own, with the sums above it
  library,            // unknown: a library does it
};

struct SatStep {
  SatMove move;
  std::string_view text;  // one sentence
};
struct KernelNote {
  std::string_view name;  // as timed; "add at distance *" stands for every name that begins so
  std::string_view text;  // what it does, one sentence
};

// What the notes say of the kernel timed under `name`; empty if nothing.
std::string_view note_of(std::span<const KernelNote> notes, std::string_view name);

struct SatCard {
  std::string_view algorithm;
  SatFamily family;
  std::string_view doi;  // of the paper that the idea is from; empty: none is known
  std::span<const SatStep> steps;
  std::span<const KernelNote> kernels;
};

std::span<const SatCard> sat_cards();
const SatCard* find_sat_card(std::string_view algorithm);          // nullptr if there is none
std::vector<const SatAlgorithm*> algorithms_of(SatFamily family);  // by year

}  // namespace gpu
