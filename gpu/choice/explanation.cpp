#include "gpu/choice/explanation.h"

#include "gpu/choice/sat_card.h"
#include "gpu/sat.h"

namespace gpu {
namespace {

// The spans of every frame and of effects, and the kernels of an algorithm that the path does not name, because another table
// than the frame's is computed.
constexpr KernelNote notes[] = {
    {"upload", "Copies the frame from the host's memory to the GPU's."},
    {"wait for the GPU", "An empty kernel, which waits until OpenGL is done with the GPU and with the texture."},
    {"luma", "Gray from blue, green and red, with the weights of ITU-R BT.601."},
    {"clear", "Sets flags, counters or sums to zero before they are used."},
    {"annotations", "Copies the effect's rectangles, lines and labels to the host."},
    {"copy to texture", "Copies the picture to the texture that OpenGL draws."},
    {"copy to recording", "Copies the picture to the host, for the video that is recorded."},
    {"DeviceSegmentedScan", "CUB's scan of many segments: the prefix sums of each row."},
    {"split channels", "Blue, green and red as three images, each of which gets a table."},
    {"join channels", "One picture from the three blurred channels."},
    {"box blur",
     "The mean of the window around each pixel, from the table; of colours on the CPU, from sums that move along."},
    {"mean threshold", "Black where a pixel is darker than the mean of its window minus a constant."},
    {"bradley threshold", "Black where a pixel is darker than the mean of its window by more than the threshold."},
    {"haar response", "The value of the feature at every place of the picture."},
    {"haar value", "The value of the feature at the chosen place."},
    {"haar feature", "Draws the picture and the feature's rectangles."},
    {"detect", "A cascade on every window of every size, and the windows grouped into detections."},
    {"quads", "Each pixel together with its three neighbours, from which the pyramid is made."},
    {"pyramid", "The picture in all sizes, so that a window of one size finds objects of every size."},
    {"tiles", "Tables of tiles in shared memory; the first stages of the cascade on every window."},
    {"patches", "The last stages of the cascade on the windows that are left."},
    {"levels", "The tables of all sizes; on the CPU each followed by its windows."},
    {"next levels", "Makes room: in large frames the tables of the next levels replace those of the levels before."},
    {"windows of all levels", "The first stages of the cascade, as it is written, on every window of every size."},
    {"windows left", "The other stages on the windows that passed those, a warp for each."},
    {"tables of a level", "Sums and sums of squares put side by side, as windows read them."},
    {"windows of a level", "The cascade, as it is written, on every window of one size."},
    {"groups", "Windows that are similar put together."},
    {"start groups", "Every window that was found is a group of its own."},
    {"join groups", "Groups of similar windows become one."},
    {"add up windows", "Adds up the windows of each group."},
    {"list groups", "The groups, one after another."},
    {"detections", "The mean of each group of windows that is large enough."},
    {"list faces", "Rectangles and numbers of neighbours, as they are drawn."},
    {"faces", "The frame, with or without what is inside the rectangles."},
    {"cascade depths", "How many stages the window around each pixel passed, as a colour."},
    {"borders", "The first row and the first column of a padded table: zeros."},
    {"box sums", "The sum of each box of a list: four entries of the table."},
    {"compose", "One picture of two: side by side at the wipe, or their difference."},
    {"frame", "Everything that the device computes for one frame, timed as one."},
    {"sat view", "The table's entries as gray levels or colours."},
    {"none", "The frame as it is."},
    {"rising diagonals", "Prefix sums along the rising diagonals, for the tilted table."},
    {"first column", "Prefix sums down the first column, where the tilted table's triangles enter the image."},
    {"triangles", "The tilted table's triangles from the sums of the diagonals."},
    {"tilted", "The tilted table: sums of triangles, turned by 45 degrees."},
    {"no findings", "Clears the result of the check."},
    {"four points", "Checks every entry of the table by the four-point identity."},
    {"check result", "Copies to the host what the check has found."},
    {"check", "Checks every entry of the table by the four-point identity."},

    {"tile sums", "The sums of the rows and columns of every tile."},
    {"prefix sums", "Adds up the tiles' sums: every tile's carries."},
    {"tile tables", "Every tile's table, with its carries added."},
    {"diagonal", "The tiles of one anti-diagonal of the image, whose carries the diagonals before have computed."},
    {"1r1w_skss", "A block walks down a column of tiles and waits for its left neighbour."},
    {"1r1w_skss_lb", "A block per tile finds its carries by looking back."},
    {"decoupled_fallback", "A block per tile looks back; if it waits too long, it computes the missing sums itself."},
    {"one_wave", "A block per tile, all at once: each adds up the sums of all tiles before it."},
    {"row_waves",
     "A block per tile, row after row of tiles, finds its carries by looking back; row sums go in groups of tiles."},
    {"tensor_tiles", "A block per tile looks back; tensor cores compute the tables of tiles by products of matrices."},
    {"reduce", "Row sums and column sums of every sub-image."},
    {"partial sums", "Adds up the sums of sub-images, and the corners where four of them meet."},
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
    {"nppiIntegral", "The integral image of NVIDIA Performance Primitives."},
    {"copy", "Copies pixels on the device."},
    {"serial pass", "One thread: the running sum of the row plus the entry above."},
    {"column sums", "Sums the columns of every band of rows, a thread per band."},
    {"sums above", "Adds up the bands' column sums: what lies above each band."},
    {"bands", "The table of each band, a thread each, from the sums above it."},
    {"squares", "The table of squared pixels, from which variances come."},
    {"channels", "A table for each colour."},
    {"lane *", "One of the selections that are computed from the same frame."},
    {"A: *", "The left side of the comparison."},
    {"B: *", "The right side of the comparison."},
};

bool is_within_an_algorithm(std::string_view path) {
  for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
    if (find_sat_algorithm(path.substr(0, slash))) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

// What the card of the innermost algorithm in the path says of the kernel.
std::string_view of_innermost_algorithm(std::string_view path, std::string_view kernel) {
  for (auto rest = path; !rest.empty();) {
    const auto slash = rest.rfind('/');
    if (const auto* card = find_sat_card(rest.substr(slash + 1)))
      if (const auto text = note_of(card->kernels, kernel); !text.empty()) return text;
    rest = rest.substr(0, slash == rest.npos ? 0 : slash);
  }
  return {};
}

}  // namespace

std::string_view explanation(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto* algorithm = find_sat_algorithm(name);
  if (algorithm && !is_within_an_algorithm(path)) return algorithm->idea;  // its kernel may have its name
  if (const auto text = of_innermost_algorithm(path, name); !text.empty()) return text;
  return note_of(notes, name);
}

}  // namespace gpu
