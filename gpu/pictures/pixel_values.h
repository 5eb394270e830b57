// Values of single pixels of a frame, and of a small rectangle of them, gathered in one piece of memory for a read-back.
#pragma once

#include <cstdint>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/pictures/composition.h"

namespace gpu {

// One pixel: its entry in the table, what is shown there, and its gray level before the effect.
struct PixelValues {
  std::uint32_t sum = 0;
  Rgba shown{};
  std::uint8_t gray = 0;
  std::uint8_t unused[3] = {};  // instead of padding, which would be copied without ever being written
};

// Which pixels: a rectangle, row by row, then single ones.
struct PixelPlaces {
  struct Point {
    int x = 0, y = 0;
    friend constexpr bool operator==(Point, Point) = default;
  };
  static constexpr int most_cells = 4096, most_points = 32, most = most_cells + most_points;

  int x = 0, y = 0, width = 0, height = 0;  // of the rectangle; at most most_cells pixels
  int points = 0;
  Point point[most_points];

  friend constexpr bool operator==(const PixelPlaces&, const PixelPlaces&) = default;
  constexpr int cells() const { return width * height; }
  constexpr int count() const { return cells() + points; }
  constexpr Point at(int index) const {
    return index < cells() ? Point{x + index % width, y + index / width} : point[index - cells()];
  }
  // Without effect if there are most_points already.
  constexpr void add(int at_x, int at_y) {
    if (points < most_points) point[points++] = {at_x, at_y};
  }
};

// All of one size, in the same memory.
struct PixelImages {
  ImageView<const std::uint32_t> sum;
  PicturePixels shown;
  ImageView<const std::uint8_t> gray;

  constexpr PixelValues values(PixelPlaces::Point at) const {
    return {sum(at.x, at.y), shown(at.x, at.y), gray(at.x, at.y), {}};
  }
};

// Queues a kernel that writes the values of places.count() pixels to `values`: memory of the context's GPU.
// All places lie in the images.
void gather_pixels(Context& context, const PixelImages& images, const PixelPlaces& places, PixelValues* values);

}  // namespace gpu
