// Two pictures, and what composing them gives, pixel by pixel: for the tests on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "gpu/composition.h"
#include "gpu/tests/effects/effect_support.h"

namespace gpu::test {

constexpr Size composition_sizes[] = {{1, 1}, {2, 3}, {31, 5}, {64, 8}, {97, 65}};

inline std::vector<Composition> compositions() {
  std::vector<Composition> all;
  for (const double wipe : {0.0, 0.01, 0.25, 0.5, 0.99, 1.0}) all.push_back({Composition::Mode::wipe, wipe, 8});
  for (const double gain : {1.0, 1.5, 8.0, 255.0}) all.push_back({Composition::Mode::difference, 0.5, gain});
  return all;
}

struct TwoPictures {
  Image<Rgba> a, b;

  explicit TwoPictures(Size size) : a(size, Device::host), b(size, Device::host) {
    Noise noise(7);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        a.view()(x, y) = {noise.byte(), noise.byte(), noise.byte(), 255};
        b.view()(x, y) = {noise.byte(), noise.byte(), noise.byte(), 255};
        if (x % 3 == 0) b.view()(x, y).g = a.view()(x, y).g;  // differences of 0 and 1, too
        if (x % 3 == 1) b.view()(x, y).r = static_cast<std::uint8_t>(a.view()(x, y).r ^ 1);
      }
  }

  Rgba expected(const Composition& composition, int x, int y) const {
    const Rgba p = a.view()(x, y), q = b.view()(x, y);
    if (composition.mode == Composition::Mode::wipe) return x < std::round(composition.wipe * a.size().width) ? p : q;
    const auto channel = [&](int one, int other) {
      return static_cast<std::uint8_t>(std::min(255.0, std::round(std::abs(one - other) * composition.amplification)));
    };
    return {channel(p.r, q.r), channel(p.g, q.g), channel(p.b, q.b), 255};
  }
  // `out`: in host memory.
  void expect_composed(const Composition& composition, ImageView<const Rgba> out) const {
    const auto same = [](Rgba p, Rgba q) { return p.r == q.r && p.g == q.g && p.b == q.b && p.a == q.a; };
    for (int y = 0; y < out.height; ++y)
      for (int x = 0; x < out.width; ++x)
        ASSERT_TRUE(same(out(x, y), expected(composition, x, y)))
            << x << "," << y << " of " << out.width << "x" << out.height << ", mode " << static_cast<int>(composition.mode)
            << ", wipe " << composition.wipe << ", amplification " << composition.amplification;
  }
};

}  // namespace gpu::test
