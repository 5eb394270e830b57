#include "gpu/explanation.h"

#include <algorithm>

#include "gpu/sat.h"

namespace gpu {
namespace {

struct Entry {
  std::string_view algorithm;  // empty: of any, or of none
  std::string_view name;       // of a span; with a * at its end: the beginning of one
  std::string_view text;
};

// Those of one algorithm first: the first that fits is taken.
constexpr Entry entries[] = {
    {"2r2w", "column scan", "A thread per column adds up its pixels from top to bottom and writes every partial sum."},
    {"2r2w", "row scan",
     "A thread per row adds up its entries. Neighbouring threads are a row apart: no access is coalesced."},
    {"2r2w_optimal", "row scan",
     "Prefix sums of every row in one pass: tiles look back along the row for the sum before them."},
    {"2r2w_optimal", "column scan", "The same down the columns, in place: tiles look back up the column."},
    {"2r1w", "tile sums", "First read of the image: the sum of every row and of every column of every tile."},
    {"2r1w", "prefix sums",
     "Adds up these sums along the rows, down the columns and over the corners of tiles: every tile's carries."},
    {"2r1w", "tile tables", "Second read of the image: every tile's table, with its carries added, is written."},
    {"1r1w", "diagonal",
     "The tiles of one anti-diagonal: each takes its carries from the left, above and the corner. A launch each."},
    {"1_plus_r_r1w", "tile sums", "As in 2r1w, for the tiles of the short anti-diagonals in one corner."},
    {"1_plus_r_r1w", "prefix sums", "As in 2r1w: the carries of the corner's tiles."},
    {"1_plus_r_r1w", "tile tables", "As in 2r1w: the tables of the corner's tiles, from a second read."},
    {"1_plus_r_r1w", "diagonal",
     "As in 1r1w: the long anti-diagonals between the corners, a launch each, which read the image once."},
    {"1r1w_skss", "1r1w_skss",
     "A block walks down a column of tiles. Per tile it waits for the row sums of the block on its left; column sums stay "
     "with it."},
    {"1r1w_skss", "clear", "Zeroes the flags by which blocks tell their right neighbours that a tile's sums are there."},
    {"1r1w_skss_lb", "1r1w_skss_lb",
     "A block per tile: it publishes the tile's sums and looks back along row, column and diagonal until it meets a global "
     "one."},
    {"1r1w_skss_lb", "clear", "Zeroes the tiles' status: empty, until a local and then a global sum is there."},
    {"ha_blocks", "reduce", "First read of the image: row sums and column sums of every sub-image."},
    {"ha_blocks", "partial sums", "Adds up the sums of sub-images along the rows and down the columns."},
    {"ha_blocks", "pivots", "Adds up the corners where four sub-images meet, in one block."},
    {"ha_blocks", "scan", "Second read of the image: the table of every sub-image, with the sums left of it and above it."},
    {"scan_transpose", "row scan",
     "Blocks scan sections of a row in one pass, and hand their sum to the section on the right."},
    {"scan_transpose_naive", "row sums", "A thread per row adds up its pixels: no access is coalesced."},
    {"transpose_harris", "row scan", "A block per row scans it in shared memory, piece by piece, with a running sum."},
    {"prefix_tree_blocked", "row scan",
     "A block per row: a tree of interval sums over k numbers in shared memory, group after group."},
    {"scanrow_column", "row scan",
     "A warp per row scans 32 pixels at a time across its lanes, and carries the last sum on."},
    {"scanrow_column", "column scan",
     "A block per 32 columns: each thread scans 32 rows of one column in registers, in place."},
    {"brlt_scanrow", "row scan and transpose",
     "Each warp transposes 32 x 32 values in registers, so that each thread scans a row alone, and stores them transposed. "
     "Twice: "
     "rows, then columns."},
    {"scanrow_brlt", "row scan and transpose",
     "Each warp scans 32 rows of 32 values across its lanes, transposes them in registers and stores them so. Twice: rows, "
     "then "
     "columns."},
    {"npp", "copy", "Copies the library's table, which is a row and a column larger, to its place."},

    {"", "tile sums", "The sums of the rows and columns of every tile."},
    {"", "prefix sums", "Adds up the tiles' sums: every tile's carries."},
    {"", "tile tables", "Every tile's table, with its carries added."},
    {"", "diagonal", "The tiles of one anti-diagonal of the image, whose carries the diagonals before have computed."},
    {"", "1r1w_skss", "A block walks down a column of tiles and waits for its left neighbour."},
    {"", "1r1w_skss_lb", "A block per tile finds its carries by looking back."},
    {"", "reduce", "Row sums and column sums of every sub-image."},
    {"", "partial sums", "Adds up the sums of sub-images."},
    {"", "pivots", "Adds up the corners where four sub-images meet."},
    {"", "scan", "The table of every sub-image, with the sums left of it and above it."},
    {"", "row scan", "Prefix sums of every row."},
    {"", "row sums", "Prefix sums of every row, a thread each."},
    {"", "column scan", "Prefix sums of every column."},
    {"", "row scan and transpose", "Prefix sums of every row, stored transposed."},
    {"", "transpose", "Exchanges rows and columns, so that the same row kernel then scans the columns."},
    {"", "add at distance *",
     "Every entry adds the one so far before it in its row; the distance doubles from launch to launch."},
    {"", "interval sums", "One level up the tree: sums of pairs of neighbours."},
    {"", "sums of interval sums", "One level down the tree: a prefix sum is passed to the two entries that need it."},
    {"", "cub::DeviceScan", "CUB's scan over all pixels as one line, with the row as key."},
    {"", "nppiIntegral", "The integral image of NVIDIA Performance Primitives."},
    {"", "clear", "Zeroes scratch memory: flags and sums that the next kernel waits for."},
    {"", "copy", "Copies pixels on the device."},
    {"", "serial pass", "One thread: the running sum of the row plus the entry above."},
    {"", "column sums", "Sums the columns of every band of rows, a thread per band."},
    {"", "sums above", "Adds up the bands' column sums: what lies above each band."},
    {"", "bands", "The table of each band, a thread each, from the sums above it."},

    {"", "luma", "The frame's colours as gray, in OpenCV's fixed-point weights: the image that is summed."},
    {"", "split channels", "The frame's three colours as three images, so that each has a table."},
    {"", "rising diagonals", "For the tilted table: sums along the diagonals that rise to the right."},
    {"", "triangles", "The tilted table: each triangle is the one before it and two rising diagonals."},
    {"", "tilted", "The table of triangles, for features turned by 45 degrees."},
    {"", "squares", "The table of squared pixels, from which variances come."},
    {"", "channels", "A table for each colour."},

    {"", "none", "Shows the frame as it is."},
    {"", "box blur", "The mean of the window around every pixel: four entries of the table, whatever the window's size."},
    {"", "join channels", "The three blurred colours as one picture."},
    {"", "mean threshold", "Compares every pixel with the mean of its window, as OpenCV's adaptiveThreshold()."},
    {"", "bradley threshold", "Black where a pixel is some percent below the mean of its window."},
    {"", "haar value", "The value of the feature at its place: a thread reads the corners of its rectangles."},
    {"", "haar feature", "The gray frame, over which the feature is drawn."},
    {"", "haar response", "The value of the feature at every pixel."},
    {"", "sat view", "The table's entries as brightness or colours, with lines of equal sums."},

    {"", "frame", "Gray, tables and effect as a whole, timed by one pair of events."},
    {"", "A: *", "The left side of the comparison."},
    {"", "B: *", "The right side of the comparison."},
    {"", "compose", "Makes one picture of the two sides: beside each other at the wipe, or their difference."},
    {"", "check", "Checks the table of this very frame, in one pass over it."},
    {"", "no findings", "Clears what the check of the table has found."},
    {"", "four points", "Checks the table: at every pixel its four entries must give the pixel's value."},
    {"", "lane *", "One of the selections that are computed from the same frame."},
    {"", "upload", "Copies the frame to the GPU, from page-locked memory."},
    {"", "wait for the GPU", "An empty kernel: it starts when OpenGL has finished the frame before on the same GPU."},
    {"", "annotations", "Copies what the effect wants written over the picture to the host."},
    {"", "copy to texture", "The picture on its way into OpenGL's texture."},
    {"", "copy to recording", "The picture on its way to the video's writer."},
};

bool fits(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

std::string_view explanation(std::string_view path) {
  std::string_view algorithm, name = path;
  for (auto slash = path.find('/'); slash != path.npos; slash = name.find('/')) {
    const auto group = name.substr(0, slash);
    if (find_sat_algorithm(group)) algorithm = group;
    name.remove_prefix(slash + 1);
  }
  const auto at = std::ranges::find_if(entries, [&](const Entry& entry) {
    return (entry.algorithm.empty() || entry.algorithm == algorithm) && fits(entry.name, name);
  });
  const auto* itself = algorithm.empty() ? find_sat_algorithm(name) : nullptr;
  if (itself) return itself->idea;
  return at == std::end(entries) ? std::string_view() : at->text;
}

}  // namespace gpu
