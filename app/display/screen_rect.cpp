#include "app/display/screen_rect.h"

#include <algorithm>

namespace app {
namespace {

// Of two intervals, in pixels.
long shared(int a, int a_length, int b, int b_length) {
  const long from = std::max(a, b), to = std::min(static_cast<long>(a) + a_length, static_cast<long>(b) + b_length);
  return std::max(0L, to - from);
}

}  // namespace

std::size_t largest_overlap(const ScreenRect& window, std::span<const ScreenRect> screens) {
  std::size_t best = 0;
  long most = 0;
  for (std::size_t i = 0; i < screens.size(); ++i) {
    const auto& screen = screens[i];
    const auto pixels = shared(window.x, window.width, screen.x, screen.width) *
                        shared(window.y, window.height, screen.y, screen.height);
    if (pixels > most) most = pixels, best = i;
  }
  return best;
}

}  // namespace app
