// ScreenRect: a rectangle of the desktop, which may have several monitors.
#pragma once

#include <cstddef>
#include <span>

namespace app {

struct ScreenRect {
  int x = 0, y = 0, width = 0, height = 0;
};

// The index of the screen that covers most of `window`; 0 where none does.
std::size_t largest_overlap(const ScreenRect& window, std::span<const ScreenRect> screens);

}  // namespace app
