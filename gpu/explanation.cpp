#include "gpu/explanation.h"

#include <algorithm>

#include "gpu/sat.h"
#include "gpu/sat_card.h"

namespace gpu {
namespace {

// What no card has: groups, and kernels of an algorithm that the path does not name, because another table than the frame's
// is computed.
constexpr KernelNote others[] = {
    {"tile sums", "The sums of the rows and columns of every tile."},
    {"prefix sums", "Adds up the tiles' sums: every tile's carries."},
    {"tile tables", "Every tile's table, with its carries added."},
    {"diagonal", "The tiles of one anti-diagonal of the image, whose carries the diagonals before have computed."},
    {"1r1w_skss", "A block walks down a column of tiles and waits for its left neighbour."},
    {"1r1w_skss_lb", "A block per tile finds its carries by looking back."},
    {"reduce", "Row sums and column sums of every sub-image."},
    {"partial sums", "Adds up the sums of sub-images."},
    {"pivots", "Adds up the corners where four sub-images meet."},
    {"scan", "The table of every sub-image, with the sums left of it and above it."},
    {"row scan", "Prefix sums of every row."},
    {"row sums", "Prefix sums of every row, a thread each."},
    {"column scan", "Prefix sums of every column."},
    {"row scan and transpose", "Prefix sums of every row, stored transposed."},
    {"transpose", "Exchanges rows and columns, so that the same row kernel then scans the columns."},
    {"add at distance *",
     "Every entry adds the one so far before it in its row; the distance doubles from launch to launch."},
    {"interval sums", "One level up the tree: sums of pairs of neighbours."},
    {"sums of interval sums", "One level down the tree: a prefix sum is passed to the two entries that need it."},
    {"cub::DeviceScan", "CUB's scan over all pixels as one line, with the row as key."},
    {"nppiIntegral", "The integral image of NVIDIA Performance Primitives."},
    {"copy", "Copies pixels on the device."},
    {"serial pass", "One thread: the running sum of the row plus the entry above."},
    {"column sums", "Sums the columns of every band of rows, a thread per band."},
    {"sums above", "Adds up the bands' column sums: what lies above each band."},
    {"bands", "The table of each band, a thread each, from the sums above it."},
    {"mean threshold", "Compares every pixel with the mean of its window, as OpenCV's adaptiveThreshold()."},
    {"squares", "The table of squared pixels, from which variances come."},
    {"channels", "A table for each colour."},
    {"frame", "Gray, tables and effect as a whole, timed by one pair of events."},
    {"lane *", "One of the selections that are computed from the same frame."},
    {"A: *", "The left side of the comparison."},
    {"B: *", "The right side of the comparison."},
    {"compose", "Makes one picture of the two sides: beside each other at the wipe, or their difference."},
};

bool fits(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool is_within_an_algorithm(std::string_view path) {
  for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
    if (find_sat_algorithm(path.substr(0, slash))) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

}  // namespace

std::string_view explanation(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto* algorithm = find_sat_algorithm(name);
  if (algorithm && !is_within_an_algorithm(path)) return algorithm->idea;  // its kernel may have its name
  if (const auto note = kernel_note(path); !note.empty()) return note;
  const auto at = std::ranges::find_if(others, [&](const KernelNote& note) { return fits(note.name, name); });
  return at == std::end(others) ? std::string_view() : at->text;
}

}  // namespace gpu
