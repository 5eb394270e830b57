// Colour maps: numbers as colours, by arithmetic alone (no table), so that host loops can be vectorised, and device and host
// give the same colours.
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

// Like std::clamp, but compiles to two instructions, because it chooses between values, not between references.
constexpr float clamped(float value, float low, float high) {
  const float raised = value > low ? value : low;
  return raised < high ? raised : high;
}
constexpr std::uint8_t to_level(float value) {
  return static_cast<std::uint8_t>(static_cast<int>(clamped(value, 0.0f, 255.0f) + 0.5f));
}

// 0..1 as dark violet to yellow with evenly rising lightness: polynomials fitted to viridis (S. van der Walt and N. Smith,
// 2015), within 4 levels of it. Values outside are clamped.
constexpr Rgba viridis(float value) {
  const float t = clamped(value, 0.0f, 1.0f);
  const float r = 68.0f + t * (19.6f + t * (275.5f + t * (-3114.2f + t * (5751.6f + t * -2747.7f))));
  const float g = 1.0f + t * (388.8f + t * (-383.3f + t * (494.8f + t * -270.4f)));
  const float b = 84.0f + t * (580.4f + t * (-2775.3f + t * (7094.7f + t * (-8629.9f + t * 3683.0f))));
  return {to_level(r), to_level(g), to_level(b), 255};
}

// The two ends of the signed map, also used to mark what is added to a value and what is subtracted.
// Functions, because device code may use the value of a constant object, but not its address: a choice between two such
// objects compiles to a trap.
constexpr Rgba positive_colour() { return {255, 170, 60, 255}; }
constexpr Rgba negative_colour() { return {60, 160, 255, 255}; }

// -1..1 as blue, black at 0, orange.
constexpr Rgba signed_colour(float value) {
  const int part = static_cast<int>(clamped(value, -1.0f, 1.0f) * 256.0f);
  const int up = std::max(part, 0), down = std::max(-part, 0);
  return {static_cast<std::uint8_t>((60 * down + 255 * up) >> 8), static_cast<std::uint8_t>((160 * down + 170 * up) >> 8),
          static_cast<std::uint8_t>((255 * down + 60 * up) >> 8), 255};
}

// Makes small magnitudes larger: an odd, increasing function from -1..1 onto -1..1; `half` is the magnitude that becomes
// about one half.
constexpr float spread(float value, float half) {
  const float magnitude = value < 0.0f ? -value : value;
  return value * (1.0f + half) / (magnitude + half);
}

}  // namespace gpu::effects
