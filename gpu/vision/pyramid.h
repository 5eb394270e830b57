// The pyramid: the pictures of all levels of a frame (gpu/vision/levels.h), computed by one launch, for the kernels that search
// them; and where in memory they find the picture of a level and what they keep for each of its windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/vision/levels.h"

namespace gpu::vision {

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

}  // namespace gpu::vision
