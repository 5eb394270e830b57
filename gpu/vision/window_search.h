// What a detector on a GPU queues: the pyramid, its search for windows that pass all stages of a cascade, and their grouping.
//
// The tile kernel makes the tables of a tile of a level in shared memory alone, refuses flat windows, and evaluates the first
// stages: of all windows the first one, then of those that are left. No table is written to the device's memory. When few are left,
// it hands them over. The patch kernel takes up the windows of all tiles, 32 at a time, each with tables of its own.
//
// OpenCV skips the window on the right of one that the first stage rejects (its step in a row is then twice as long). Here all are
// evaluated, and the first stage's rejections are kept, a bit each: in the end a window counts if the run of rejections on its left
// has even length. The windows, their numbers and sums are exactly OpenCV's; only their order is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/grouping.h"
#include "gpu/vision/levels.h"
#include "gpu/vision/packed_cascade.h"

namespace gpu::vision {

// The pyramid: the pictures of all levels of a frame (gpu/vision/levels.h), computed by one launch, for the kernels that search
// them; and where in memory they find the picture of a level and what they keep for each of its windows.

// A level, as kernels see it. Row y of its picture begins at byte first_pixel + y * pitch, with a byte of any value: pixel x is
// byte x + 1 of the row. So the table of a tile, whose first entries have no pixels, begins at an aligned byte.
struct LevelPlace {
  std::size_t first_pixel;  // a multiple of 128
  std::size_t first_depth;  // of the depth map, which has a byte for each window, rows of windows one after another
  std::size_t first_word;   // of the bitmap, which has a bit for each window, and whole words for each row of windows
  unsigned first_column;    // in the list of blends: the columns; entry 0 is that of the first byte, then the pixels'
  unsigned first_row;       // likewise the rows
  unsigned pitch;           // bytes, a multiple of 64
  int width, height;        // of the picture
  int step, across, down;   // as in Level
  int row_words;            // words per row of the bitmap
};

// Pixels that one block of the pyramid's kernel computes.
struct PyramidPart {
  unsigned level, number;
};

struct PyramidPlan {
  Size frame;
  std::vector<LevelPlace> places;
  std::vector<Blend> blends;
  std::vector<PyramidPart> parts;
  std::size_t pixel_bytes = 0;  // of all pictures
  std::size_t depth_bytes = 0;
  std::size_t bitmap_words = 0;
};
// `margin`: how many columns right of a picture kernels may read, whatever they contain.
PyramidPlan plan_pyramid(Size frame, std::span<const Level> levels, int margin);

// The plan in memory of the device, and the memory that its kernels write.
struct Pyramid {
  Size frame;
  const LevelPlace* places;
  const Blend* blends;
  const PyramidPart* parts;
  unsigned part_count;
  std::uint32_t* quads;  // frame.pixels() words: each pixel with its neighbours on the right, below, and on the right below
  std::uint8_t* pixels;
};

// Queues the pyramid of a frame, by two kernels. The first also sets `counters` 0 .. counter_count - 1 (at most 32) to 0, for
// kernels that follow.
void queue_pyramid(Context& context, ImageView<const std::uint8_t> frame, const Pyramid& pyramid, std::uint32_t* counters,
                   int counter_count);

// A window of a level, as in Level: window (x, y). Or those that one block evaluates: from (x, y) on, in units of a tile.
struct LevelPoint {
  std::uint64_t x : 24, y : 24, level : 16;

  constexpr LevelPoint() = default;
  constexpr LevelPoint(int x, int y, unsigned level)
      : x(static_cast<unsigned>(x) & 0xffffffu), y(static_cast<unsigned>(y) & 0xffffffu), level(level & 0xffffu) {}
};
static_assert(sizeof(LevelPoint) == 8);
std::vector<LevelPoint> plan_tiles(const PyramidPlan& pyramid, const TileShape& shape);

struct OpenWindow {
  LevelPoint window;
  float factor;
  std::uint32_t stage;  // the first one that was not evaluated
};
static_assert(sizeof(OpenWindow) == 16);

// Numbers that the kernels count; all 0 before. Lists that have no room for all windows lose some, but are counted in full.
struct SearchCounters {
  std::uint32_t open;  // windows handed over; of global tables, those of the latest group of levels
  std::uint32_t found;
  std::uint32_t taken;      // groups of windows taken up
  std::uint32_t most_open;  // of global tables, in one of the groups before
};

// All in memory of the device.
struct WindowSearch {
  TileShape shape;
  const LevelPlace* places;
  const LevelPoint* tiles;
  unsigned tile_count;
  const std::uint8_t* pixels;   // of the pyramid
  const uint4* tile_stages[2];  // for step 1 and 2
  const uint4* patch_stages;
  const std::uint32_t* patch_starts;
  std::size_t patch_bytes;
  RecordForm form;
  unsigned hand_over_pairs;  // a tile with as many pairs of windows left, or fewer, hands them over
  std::uint32_t* rejected;   // bits: the first stage rejected the window
  std::uint8_t* depth;       // or null; see Detector::depths()
  OpenWindow* open;
  unsigned open_capacity;
  LevelPoint* found;
  unsigned found_capacity;
  SearchCounters* counters;
};

// Queues both kernels. Their spans are "tiles" and "patches".
void queue_search(Context& context, const WindowSearch& search);
namespace detail {
void queue_patches(Context& context, const WindowSearch& search);
}  // namespace detail

// The same search on tables in the device's memory, computed level by level by any algorithm: the way that summed area tables are
// usually used for detection, and several times slower than tables of tiles. Windows are evaluated as the cascade is
// written, and sums added up in its order: so this is also how cascades are evaluated whose sums are not exact in every order, or
// which are too large for tiles.
//
// Queues the search of all levels: their tables, then all windows, by two kernels; in groups of levels whose tables have at most
// `most_entries` each, or of one level, so that the scratch memory for them is bounded. `search`: its lists and counters; tiles and
// records of stages are not needed.
void queue_global_search(Context& context, const WindowSearch& search, const WrittenCascade& cascade,
                         const PyramidPlan& plan, std::size_t most_entries, const SatAlgorithm& algorithm,
                         const Arguments& arguments);

// Windows that were found, put into classes on the device (gpu/vision/grouping.h says which): for crowds, for which that takes the
// host longer than the search takes the device.

struct ClassList {
  std::uint32_t count;
  WindowClass classes[1];  // as many as the list has room for
};

// All in memory of the device, with room for found_capacity windows, or as many classes.
struct WindowGroups {
  const LevelPoint* found;
  const SearchCounters* counters;
  unsigned found_capacity;
  const Level* levels;
  int min_neighbors;
  Window* windows;
  std::uint64_t* parents;  // of the trees that are classes; a root is its own parent
  WindowClass* sums;
  ClassList* classes;  // those of more than min_neighbors windows, in no order
};

// Queues four kernels, behind a search, whose number of windows need not be known yet; one if min_neighbors is 0, for which there
// are no classes.
void queue_groups(Context& context, const WindowGroups& groups);

// Queues the second half: the detections of the classes, or of the windows if min_neighbors is 0, as group_windows() has them and in
// its order. `unsorted`: room for most_sorted, which is also what the list can have at most; all are counted.
inline constexpr unsigned most_sorted = 4096;
void queue_detections(Context& context, const WindowGroups& groups, Size frame, Detection* unsorted,
                      const DetectionList& detections);

}  // namespace gpu::vision
