// RectangleSum: the sum of a rectangle by its four entries in the table, as Crow (1984) works it out:
//     sum = D - B - C + A
// D is the entry of the last pixel inside, B of the one above the right end, C of the one left of the lower end, A of the
// one above and to the left. Entries are modulo 2^32. So the sum of a large rectangle is added up from strips that each have a
// sum below 2^32.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/control/settings.h"
#include "app/pipeline/pixel_probe.h"

namespace app {

// The part of `box` in the picture; nothing if there is none.
std::optional<PixelBox> inside_picture(const PixelBox& box, gpu::Size picture);

struct RectangleCorner {
  char letter;
  int x, y;  // of the entry
  bool outside() const { return x < 0 || y < 0; }
  std::optional<std::uint32_t> entry{};  // 0 outside; nothing until it is known
};
// A, B, C, D of a box that lies in the picture, without entries.
std::array<RectangleCorner, 4> corners_of(const PixelBox& box);
// The corners inside the picture are asked for, and those of the strips.
void ask_for_corners(const PixelBox& box, gpu::PixelPlaces& places);

struct RectangleSum {
  PixelBox box;  // the part in the picture
  bool clipped = false;
  bool of_original = false;  // the picture shows something else: the text says so
  std::array<RectangleCorner, 4> corners;
  bool known = false;      // all entries are; else what follows is 0
  std::int64_t plain = 0;  // in whole numbers: below 0 or above 2^32 - 1 where entries have wrapped around
  std::uint64_t sum = 0;   // as it is
  double mean = 0;

  bool wraps() const { return known && plain != static_cast<std::int64_t>(sum); }
};
std::optional<RectangleSum> rectangle_sum(const PixelBox& box, gpu::Size picture, const ProbedPixels& pixels);

// What is written beside the rectangle, a line each. `flat`: in fewer and longer lines.
std::vector<std::string> text_of(const RectangleSum& sum, bool flat = false);

}  // namespace app
