// Frames with drawn faces that the library's own cascade finds.
#pragma once

#include <cmath>
#include <initializer_list>
#include <optional>

#include "gpu/tests/effects/effect_support.h"

namespace gpu::test {

// An oval with hair, eyes, nose and mouth.
struct DrawnFace {
  int x, y, size;

  // Nothing outside of it.
  std::optional<int> level(int px, int py) const {
    const double u = static_cast<double>(px - x) / size, v = static_cast<double>(py - y) / size;
    if (u * u / 0.25 + v * v / 0.3844 >= 1) return {};
    if (std::abs(u) < 0.2 && v > 0.27 && v < 0.35) return 100;
    if (std::abs(u) < 0.12 && v > 0.1 && v < 0.15) return 140;
    if (std::abs(u) < 0.06 && v > -0.2 && v < 0.1) return 225;
    if (std::abs(std::abs(u) - 0.22) < 0.13 && v > -0.22 && v < -0.08) return 70;
    return v < -0.42 ? 60 : 200;
  }
};

inline HostFrame frame_with(std::initializer_list<DrawnFace> faces, Size size = {200, 160}) {
  return HostFrame(size, [&](int x, int y) {
    int level = 90;
    for (const auto& face : faces) level = face.level(x, y).value_or(level);
    const auto byte = static_cast<std::uint8_t>(level);
    return Bgr{byte, static_cast<std::uint8_t>(level * 3 / 4), byte};
  });
}

}  // namespace gpu::test
