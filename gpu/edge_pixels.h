// The pixels of an image that need no care for its edge, and all others, for Context::for_each_pixel on a device.
#pragma once

#include <cstdint>

#include "gpu/image.h"

namespace gpu {

// Columns x0 <= x < x1 of rows y0 <= y < y1.
struct PixelRange {
  int x0, x1, y0, y1;

  constexpr bool contains(int x, int y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
};

constexpr PixelRange whole(Size size) { return {0, size.width, 0, size.height}; }

// The pixels around a range, numbered: the rows above and below it, then what is left and right of it.
struct EdgePixels {
  Size size;
  PixelRange inside;
  struct Position {
    int x, y;
  };

  // `inner` is made smaller at the left: eight pixels of 32 bits are a sector of memory, and the width of a line of a surface,
  // which a warp then writes as a whole.
  constexpr EdgePixels(Size size, const PixelRange& inner)
      : size(size), inside{(inner.x0 + 7) / 8 * 8, inner.x1, inner.y0, inner.y1} {
    if (inside.x1 <= inside.x0 || inside.y1 <= inside.y0) inside = {0, 0, 0, 0};
  }
  constexpr int beside() const { return size.width - (inside.x1 - inside.x0); }
  constexpr std::int64_t above_and_below() const { return std::int64_t{size.height - (inside.y1 - inside.y0)} * size.width; }
  constexpr std::int64_t count() const { return above_and_below() + std::int64_t{inside.y1 - inside.y0} * beside(); }
  constexpr Position at(std::int64_t i) const {
    if (i < above_and_below()) {
      const int row = static_cast<int>(i / size.width), x = static_cast<int>(i % size.width);
      return {x, row < inside.y0 ? row : row + inside.y1 - inside.y0};
    }
    const auto k = i - above_and_below();
    const int x = static_cast<int>(k % beside()), y = inside.y0 + static_cast<int>(k / beside());
    return {x < inside.x0 ? x : x + inside.x1 - inside.x0, y};
  }
};

}  // namespace gpu
