// The pixels of an image that need no check of its edges, and all others, for Context::for_each_pixel on a device.
#pragma once

#include <cstdint>
#include <limits>

#include "gpu/image.h"

namespace gpu {

// Columns x0 <= x < x1 of rows y0 <= y < y1.
struct PixelRange {
  int x0, x1, y0, y1;

  constexpr bool contains(int x, int y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
};

constexpr PixelRange whole(Size size) { return {0, size.width, 0, size.height}; }

// The pixels around a range, numbered: the rows above and below it, then the pixels to the left and to the right of it.
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
  // A GPU divides 32 bits several times as fast as 64.
  constexpr Position at(std::int64_t i) const {
    return count() <= std::numeric_limits<std::uint32_t>::max() ? position(static_cast<std::uint32_t>(i))
                                                                : position(static_cast<std::uint64_t>(i));
  }

 private:
  template <class Index>
  constexpr Position position(Index i) const {
    const auto rows = static_cast<Index>(above_and_below());
    const bool above_or_below = i < rows;
    const auto width = static_cast<Index>(above_or_below ? size.width : beside());
    const auto of_part = above_or_below ? i : i - rows;
    const int row = static_cast<int>(of_part / width), column = static_cast<int>(of_part % width);
    if (above_or_below) return {column, row < inside.y0 ? row : row + inside.y1 - inside.y0};
    return {column < inside.x0 ? column : column + inside.x1 - inside.x0, inside.y0 + row};
  }
};

}  // namespace gpu
