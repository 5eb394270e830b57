// The search of a pyramid for windows that pass all stages of a cascade, by two kernels.
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
#include <vector>

#include "gpu/context.h"
#include "gpu/vision/device_cascade.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/pyramid.h"

namespace gpu::vision {

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
  bool general;
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

}  // namespace gpu::vision
