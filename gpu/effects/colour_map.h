// Colour maps: a number as a colour, by arithmetic alone (no table), so that host loops vectorise and device and host
// agree.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/image.h"

namespace gpu::effects {

constexpr Rgba gray_level(std::uint8_t level) { return {level, level, level, 255}; }

// from + (to - from) * part / 256, for part 0..256.
constexpr std::uint8_t mixed(int from, int to, int part) {
  return static_cast<std::uint8_t>(from + (((to - from) * part) >> 8));
}
constexpr Rgba mixed(Rgba from, Rgba to, int part) {
  return {mixed(from.r, to.r, part), mixed(from.g, to.g, part), mixed(from.b, to.b, part), 255};
}

// 0..1 as dark violet to yellow, of evenly rising lightness: straight lines between ten colours of viridis (S. van der
// Walt and N. Smith, 2015). Values outside are taken to the nearest end.
constexpr Rgba viridis(float value) {
  constexpr int segments = 9;
  constexpr int red[] = {68, 72, 62, 49, 38, 31, 53, 110, 181, 253};
  constexpr int green[] = {1, 40, 73, 104, 130, 158, 183, 206, 222, 231};
  constexpr int blue[] = {84, 120, 137, 142, 142, 137, 121, 88, 43, 37};
  const int position = static_cast<int>(std::clamp(value, 0.0f, 1.0f) * (segments * 256) + 0.5f);
  int r = red[0] << 8, g = green[0] << 8, b = blue[0] << 8;
  for (int k = 0; k < segments; ++k) {
    const int part = std::clamp(position - k * 256, 0, 256);
    r += (red[k + 1] - red[k]) * part;
    g += (green[k + 1] - green[k]) * part;
    b += (blue[k + 1] - blue[k]) * part;
  }
  return {static_cast<std::uint8_t>(r >> 8), static_cast<std::uint8_t>(g >> 8), static_cast<std::uint8_t>(b >> 8), 255};
}

// The two ends of the signed map, also used to mark what adds to a value and what is taken from it.
inline constexpr Rgba positive_colour{255, 170, 60, 255}, negative_colour{60, 160, 255, 255};

// -1..1 as blue, black at 0, orange.
constexpr Rgba signed_colour(float value) {
  const int part = static_cast<int>(std::clamp(value, -1.0f, 1.0f) * 256.0f);
  const int up = std::max(part, 0), down = std::max(-part, 0);
  return {static_cast<std::uint8_t>((60 * down + 255 * up) >> 8), static_cast<std::uint8_t>((160 * down + 170 * up) >> 8),
          static_cast<std::uint8_t>((255 * down + 60 * up) >> 8), 255};
}

// Spreads small magnitudes: odd, rising, -1..1 onto -1..1; `half` is the magnitude that lands near one half.
constexpr float spread(float value, float half) {
  const float magnitude = value < 0.0f ? -value : value;
  return value * (1.0f + half) / (magnitude + half);
}

}  // namespace gpu::effects
