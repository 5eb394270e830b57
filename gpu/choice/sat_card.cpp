#include "gpu/choice/sat_card.h"

#include <algorithm>
#include <iterator>

#include "gpu/sat.h"

namespace gpu {
namespace {

constexpr SatStep host_serial_steps[] = {
    {SatMove::pixel_by_pixel, "The sum of the row so far, plus the entry above."},
};
constexpr KernelNote host_serial_kernels[] = {
    {"serial pass", "Walks over the image once on one core: the row's sum so far plus the entry above."},
};

constexpr SatStep host_parallel_steps[] = {
    {SatMove::band_sums, "Every core sums the columns of its band of rows."},
    {SatMove::bands, "Every core computes the table of its band, starting from the sums above it."},
};
constexpr KernelNote host_parallel_kernels[] = {
    {"column sums", "Every core sums the columns of its band of rows."},
    {"sums above", "Adds up the column sums of all bands above each band."},
    {"bands", "Every core computes the table of its band in SIMD, starting from the sums above it."},
};

constexpr SatStep columns_rows_steps[] = {
    {SatMove::down_columns, "A thread per column adds from the top to the bottom: neighbours read neighbours."},
    {SatMove::along_rows, "A thread per row adds from left to right: neighbours read a whole row apart, which is slow."},
};
constexpr KernelNote columns_rows_kernels[] = {
    {"column scan", "A thread per column: prefix sums from the top to the bottom, coalesced."},
    {"row scan", "A thread per row: prefix sums from left to right, with a stride of a whole row between threads."},
};

constexpr SatStep optimal_steps[] = {
    {SatMove::pieces_of_rows, "Tiles of rows are scanned at once, and look back to the left for the sum before them."},
    {SatMove::pieces_of_columns, "Tiles of columns likewise, and look back upwards."},
};
constexpr KernelNote optimal_kernels[] = {
    {"row scan", "Prefix sums of rows in one pass: each tile looks back to the left until it finds a complete sum."},
    {"column scan", "Prefix sums of columns in one pass: each tile looks back upwards likewise."},
};

constexpr SatStep scanrow_column_steps[] = {
    {SatMove::by_lanes, "A warp per row scans 32 pixels at a time by shuffles, and carries the last sum on."},
    {SatMove::down_columns,
     "A thread per column adds 32 rows serially in registers; the sums of such pieces are passed down."},
};
constexpr KernelNote scanrow_column_kernels[] = {
    {"row scan", "A warp per row scans 32 pixels at a time by shuffles, and carries the last sum on."},
    {"column scan", "Blocks of 32 columns; each thread sums 32 rows of its column alone, in registers."},
};

constexpr SatStep scan_transpose_naive_steps[] = {
    {SatMove::along_rows, "A thread per row adds from left to right."},
    {SatMove::transpose, "The table is transposed."},
    {SatMove::along_rows, "The same again, for what were columns."},
    {SatMove::transpose, "And back."},
};
constexpr KernelNote scan_transpose_naive_kernels[] = {
    {"row sums", "A thread per row: prefix sums from left to right, with a stride of a whole row between threads."},
    {"transpose", "Turns rows into columns through tiles in shared memory."},
};

constexpr SatStep scan_transpose_steps[] = {
    {SatMove::pieces_of_rows, "Blocks scan sections of rows at once; each waits for the sum of the section before it."},
    {SatMove::transpose, "The table is transposed."},
    {SatMove::pieces_of_rows, "The same again, for what were columns."},
    {SatMove::transpose, "And back."},
};
constexpr KernelNote scan_transpose_kernels[] = {
    {"row scan", "Kogge-Stone inside each section of a row; adjacent blocks pass the sum on through flags."},
    {"transpose", "Turns rows into columns through tiles of 32 x 33 in shared memory."},
};

constexpr SatStep harris_steps[] = {
    {SatMove::tree_up, "Each block sums a piece of a row up a tree in shared memory."},
    {SatMove::tree_down, "And turns the sums into prefix sums on the way down; long rows piece after piece."},
    {SatMove::transpose, "The table is transposed through tiles of 16 x 16; then all of it again."},
};
constexpr KernelNote harris_kernels[] = {
    {"row scan", "A block per row scans it piece by piece in shared memory."},
    {"transpose", "Turns rows into columns through tiles of 16 x 16 in shared memory."},
};

constexpr SatStep scanrow_brlt_steps[] = {
    {SatMove::by_lanes, "Each warp scans 32 pixels of a row across its lanes, by shuffles."},
    {SatMove::tile_transpose,
     "The 32 x 32 sums are transposed in registers and stored transposed; the same again for columns."},
};
constexpr SatStep brlt_scanrow_steps[] = {
    {SatMove::tile_transpose, "Each warp transposes 32 x 32 pixels in registers: every thread then has a row."},
    {SatMove::along_rows, "Each thread adds its row alone; partial sums of warps are passed through shared memory."},
    {SatMove::transpose, "What is stored is transposed; the same again for columns."},
};
constexpr KernelNote brlt_kernels[] = {
    {"row scan and transpose",
     "Scans 32 x 32 pixels per warp, with a transpose in registers, and stores the table transposed."},
};

constexpr SatStep doubling_steps[] = {
    {SatMove::doubling,
     "Every entry adds the one 1, then 2, 4, 8, ... places before it: each time the whole table is read."},
    {SatMove::transpose, "The table is transposed; the same again; and back."},
};
constexpr KernelNote doubling_kernels[] = {
    {"add at distance *", "Every entry adds the one that far to its left, from one copy of the table to another."},
    {"transpose", "Turns rows into columns through tiles in shared memory."},
};

constexpr SatStep tree_steps[] = {
    {SatMove::tree_up, "Sums of 2, 4, 8, ... neighbours of a row, a kernel per level."},
    {SatMove::tree_down, "Prefix sums on the way down, from the sums of intervals."},
    {SatMove::transpose, "The table is transposed; the same again; and back."},
};
constexpr KernelNote tree_kernels[] = {
    {"interval sums", "One level up the tree: every parent is the sum of two neighbours."},
    {"sums of interval sums", "One level down: prefix sums of the children from those of their parents."},
    {"transpose", "Turns rows into columns through tiles in shared memory."},
};
constexpr SatStep tree_blocked_steps[] = {
    {SatMove::groups, "Groups of k numbers of a row, one after another; each starts with the last sum of the one before."},
    {SatMove::tree_up, "Inside a group: sums up a tree,"},
    {SatMove::tree_down, "and prefix sums down again."},
    {SatMove::transpose, "The table is transposed; the same again; and back."},
};
constexpr KernelNote tree_blocked_kernels[] = {
    {"row scan", "The tree of interval sums over groups of k numbers in turn, each seeded with the last sum before it."},
    {"transpose", "Turns rows into columns through tiles in shared memory."},
};

constexpr SatStep tiles_2r1w_steps[] = {
    {SatMove::tile_sums, "The first kernel reads every tile and keeps its row sums, column sums and sum."},
    {SatMove::sums_across_tiles, "The second adds those across all tiles: now every tile's carries are known."},
    {SatMove::tile_tables, "The third reads every tile again and writes its table."},
};
constexpr KernelNote tiles_2r1w_kernels[] = {
    {"tile sums", "Row sums, column sums and sum of every tile: reads the image once."},
    {"prefix sums", "Prefix sums of the tiles' sums along rows, columns and both: the carries of every tile."},
    {"tile tables", "The table of every tile from its three carries: reads the image again, writes the table."},
};

constexpr SatStep ha_steps[] = {
    {SatMove::tile_sums, "Every sub-image is reduced to row and column sums."},
    {SatMove::sums_across_tiles, "These are scanned across the sub-images, and so are the corners between them (pivots)."},
    {SatMove::tile_tables, "Every sub-image is scanned, starting from what was propagated to it."},
};
constexpr KernelNote ha_kernels[] = {
    {"reduce", "Row and column sums of every sub-image."},
    {"partial sums", "Prefix sums of those across the sub-images, and of the corners between them."},
    {"scan", "The table of every sub-image, starting from the sums on its left, above it and at its corner."},
};

constexpr SatStep tiles_1r1w_steps[] = {
    {SatMove::diagonals,
     "A kernel per anti-diagonal of tiles: its carries are the last columns and rows of the tiles before."},
};
constexpr KernelNote tiles_1r1w_kernels[] = {
    {"diagonal", "The tables of one anti-diagonal of tiles, from the table's entries around them."},
};

constexpr SatStep one_plus_r_steps[] = {
    {SatMove::tile_sums, "In the two corners, whose diagonals are short, the tiles are summed first, as in 2R1W."},
    {SatMove::sums_across_tiles, "Their sums are added across the tiles."},
    {SatMove::tile_tables, "The tiles of the corners are read again, and their tables written."},
    {SatMove::band_of_diagonals, "In the band between, whose diagonals are long, a kernel per diagonal, as in 1R1W."},
};
constexpr KernelNote one_plus_r_kernels[] = {
    {"tile sums", "Row sums, column sums and sum of every tile of a corner."},
    {"prefix sums", "Prefix sums of those across the tiles of the corner."},
    {"tile tables", "The table of every tile of the corner from its three carries."},
    {"diagonal", "The tables of one anti-diagonal of the band, from the table's entries around them."},
};

constexpr SatStep skss_steps[] = {
    {SatMove::column_walk,
     "A block takes a column of tiles and walks down, waiting only for its left neighbour's row sums."},
};
constexpr KernelNote skss_kernels[] = {
    {"1r1w_skss", "The whole table: a block per column of tiles walks down and waits for the sums of the tile on its left."},
};

constexpr SatStep skss_lb_steps[] = {
    {SatMove::look_back,
     "A block per tile, in the order of the diagonals, finds its carries by looking back in three directions."},
};
constexpr KernelNote skss_lb_kernels[] = {
    {"1r1w_skss_lb", "The whole table: a block per tile looks back to the left, up and along the diagonal for its carries."},
};

constexpr SatStep fallback_steps[] = {
    {SatMove::look_back,
     "Block b takes tile b, in the order of the diagonals, and finds its carries by looking back in three directions."},
    {SatMove::look_back,
     "A block that waits too long for another one computes the missing sums itself, and those before them."},
};
constexpr KernelNote fallback_kernels[] = {
    {"decoupled_fallback",
     "The whole table: a block per tile looks back; if it waits too long, it computes the missing sums itself."},
};

constexpr SatStep one_wave_steps[] = {
    {SatMove::tile_sums, "All tiles are loaded at once, and publish their row sums, column sums and sum."},
    {SatMove::sums_of_all,
     "Each adds up the sums of all tiles above, to the left and in both directions, and stores its table."},
};
constexpr KernelNote one_wave_kernels[] = {
    {"one_wave", "A band of tiles, all in registers at once: each adds up what all others before it have published."},
};

constexpr SatStep row_waves_steps[] = {
    {SatMove::tile_sums, "Block b takes tile b, row after row of tiles, and publishes its row sums and column sums."},
    {SatMove::look_back,
     "It looks back up for its columns, along the diagonal for its corner, and left over groups of tiles for its rows."},
};
constexpr KernelNote row_waves_kernels[] = {
    {"row_waves",
     "The whole table: a block per tile, in the order of rows, adds the row sums of its group and looks back over groups."},
};

constexpr SatStep tensor_tiles_steps[] = {
    {SatMove::tile_sums,
     "A block per tile: its tensor cores multiply the rows by a triangle of ones, which gives their prefix sums."},
    {SatMove::look_back, "It finds its carries by looking back in three directions, as 1r1w_skss_lb does."},
    {SatMove::tile_tables, "The prefix sums, split into two bytes, are multiplied by a second triangle, for the columns."},
};
constexpr KernelNote tensor_tiles_kernels[] = {
    {"tensor_tiles",
     "The whole table: as 1r1w_skss_lb, but tensor cores compute the tables of tiles by products of matrices."},
};

constexpr SatStep cub_steps[] = {
    {SatMove::library, "A block per row; CUB scans it piece by piece, each from the sum of those before."},
    {SatMove::transpose, "The table is transposed; the same again; and back."},
};
constexpr KernelNote cub_kernels[] = {
    {"row scan", "A block per row scans it piece by piece with the library's block-wide scan."},
    {"transpose", "Turns rows into columns through tiles in shared memory."},
};
constexpr SatStep cub_segmented_steps[] = {
    {SatMove::library, "One call of CUB scans all rows, each a segment of its own."},
    {SatMove::transpose, "The table is transposed; the same again; and back."},
};
constexpr KernelNote cub_segmented_kernels[] = {
    {"DeviceSegmentedScan", "The library's scan of many segments: every row is one."},
    {"transpose", "Turns rows into columns through tiles in shared memory."},
};
constexpr SatStep npp_steps[] = {
    {SatMove::library, "NPP computes an integral image that is one row and one column larger; it is copied to the table."},
};
constexpr KernelNote npp_kernels[] = {
    {"nppiIntegral", "The library's integral image, one row and one column larger than the table."},
    {"copy", "Copies it to the table, without the row and the column of zeros."},
};

constexpr std::string_view crow = "10.1145/800031.808600", nehab = "10.1145/2070781.2024210",
                           kogge_stone = "10.1109/TC.1973.5009159", ha_2012 = "10.7583/JKGS.2012.12.5.67",
                           nakano = "10.1587/transinf.E96.D.2626", smith = "10.1145/3694906.3743326",
                           dakkak = "10.1145/3330345.3331057";
// Of the columns; Merrill and Garland's report has none.
constexpr std::string_view tokura = "10.1007/s11227-018-2242-8";

constexpr SatCard cards[] = {
    {"host_serial", SatFamily::cpu, crow, host_serial_steps, host_serial_kernels},
    {"host_parallel", SatFamily::cpu, {}, host_parallel_steps, host_parallel_kernels},
    {"2r2w", SatFamily::rows_and_columns, {}, columns_rows_steps, columns_rows_kernels},
    {"2r2w_optimal", SatFamily::rows_and_columns, tokura, optimal_steps, optimal_kernels},
    {"scanrow_column", SatFamily::rows_and_columns, {}, scanrow_column_steps, scanrow_column_kernels},
    {"transpose_harris", SatFamily::transposes, {}, harris_steps, harris_kernels},
    {"scanrow_brlt", SatFamily::transposes, {}, scanrow_brlt_steps, brlt_kernels},
    {"brlt_scanrow", SatFamily::transposes, {}, brlt_scanrow_steps, brlt_kernels},
    {"scan_transpose_naive", SatFamily::transposes, {}, scan_transpose_naive_steps, scan_transpose_naive_kernels},
    {"scan_transpose", SatFamily::transposes, {}, scan_transpose_steps, scan_transpose_kernels},
    {"prefix_doubling", SatFamily::trees, kogge_stone, doubling_steps, doubling_kernels},
    {"prefix_tree", SatFamily::trees, nakano, tree_steps, tree_kernels},
    {"prefix_tree_blocked", SatFamily::trees, nakano, tree_blocked_steps, tree_blocked_kernels},
    {"2r1w", SatFamily::tiles, nehab, tiles_2r1w_steps, tiles_2r1w_kernels},
    {"ha_blocks", SatFamily::tiles, ha_2012, ha_steps, ha_kernels},
    {"1r1w", SatFamily::tiles, {}, tiles_1r1w_steps, tiles_1r1w_kernels},
    {"1_plus_r_r1w", SatFamily::tiles, {}, one_plus_r_steps, one_plus_r_kernels},
    {"1r1w_skss", SatFamily::one_kernel, {}, skss_steps, skss_kernels},
    {"1r1w_skss_lb", SatFamily::one_kernel, {}, skss_lb_steps, skss_lb_kernels},
    {"decoupled_fallback", SatFamily::one_kernel, smith, fallback_steps, fallback_kernels},
    {"one_wave", SatFamily::one_kernel, {}, one_wave_steps, one_wave_kernels},
    {"row_waves", SatFamily::one_kernel, smith, row_waves_steps, row_waves_kernels},
    {"tensor_tiles", SatFamily::one_kernel, dakkak, tensor_tiles_steps, tensor_tiles_kernels},
    {"cub", SatFamily::library, {}, cub_steps, cub_kernels},
    {"cub_segmented", SatFamily::library, {}, cub_segmented_steps, cub_segmented_kernels},
    {"npp", SatFamily::library, {}, npp_steps, npp_kernels},
};

struct Family {
  SatFamily family;
  std::string_view name, description;
};
constexpr Family families[] = {
    {SatFamily::cpu, "On the CPU", "The definition, and the same in bands on all cores."},
    {SatFamily::rows_and_columns, "Rows and columns", "Prefix sums along one direction, then along the other."},
    {SatFamily::transposes, "Scan and transpose",
     "Rows are scanned and the table is transposed, so that columns become rows."},
    {SatFamily::trees, "Trees and doubling", "Prefix sums in a logarithmic number of steps through global memory."},
    {SatFamily::tiles, "Tiles in several kernels",
     "Tiles are summed, carries are passed between kernels, tiles are finished."},
    {SatFamily::one_kernel, "Tiles in one kernel", "Blocks wait for each other's carries inside a single kernel."},
    {SatFamily::library, "Libraries", "What NVIDIA's libraries offer."},
};
constexpr SatFamily family_order[] = {SatFamily::cpu,   SatFamily::rows_and_columns, SatFamily::transposes, SatFamily::trees,
                                      SatFamily::tiles, SatFamily::one_kernel,       SatFamily::library};

}  // namespace

std::span<const SatCard> sat_cards() { return cards; }

const SatCard* find_sat_card(std::string_view algorithm) {
  const auto* at = std::ranges::find(cards, algorithm, &SatCard::algorithm);
  return at == std::end(cards) ? nullptr : at;
}

std::string_view note_of(std::span<const KernelNote> notes, std::string_view name) {
  const auto fits = [&](const KernelNote& note) {
    const auto pattern = note.name;
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == name;
  };
  const auto at = std::ranges::find_if(notes, fits);
  return at == notes.end() ? std::string_view() : at->text;
}

std::span<const SatFamily> sat_families() { return family_order; }
std::string_view name(SatFamily family) { return families[static_cast<std::size_t>(family)].name; }
std::string_view description(SatFamily family) { return families[static_cast<std::size_t>(family)].description; }

std::vector<const SatAlgorithm*> algorithms_of(SatFamily family) {
  std::vector<const SatAlgorithm*> all;
  for (const auto* algorithm : sat_algorithms())
    if (const auto* card = find_sat_card(algorithm->name); card && card->family == family) all.push_back(algorithm);
  std::ranges::stable_sort(all, {}, &SatAlgorithm::year);
  return all;
}

}  // namespace gpu
