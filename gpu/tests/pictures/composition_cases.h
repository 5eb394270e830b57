// Two pictures, and what composing them gives, pixel by pixel: for the tests on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "gpu/pictures/composition.h"
#include "gpu/tests/effects/effect_support.h"

namespace gpu::test {

constexpr Size composition_sizes[] = {{1, 1}, {2, 3}, {31, 5}, {64, 8}, {97, 65}};

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

  // Draws wipes and differences of both, which the context's device has as `left` and `right`. `drawn`: what `out` shows, in
  // host memory.
  void expect_all_drawn(Context& context, ImageView<const Rgba> left, ImageView<const Rgba> right, const Canvas& out,
                        const std::function<ImageView<const Rgba>()>& drawn) const {
    const int width = a.size().width;
    for (const int edge : {0, 1, width / 3, width / 2, width - 1, width}) {
      draw_wipe(context, {left, right, edge}, out);
      expect_drawn(drawn(), [&](int x, Rgba p, Rgba q) { return x < edge ? p : q; });
    }
    for (const double amplification : {1.0, 1.5, 8.0, most_amplification}) {
      const auto channel = [&](int one, int other) {
        return static_cast<std::uint8_t>(std::min(255.0, std::round(std::abs(one - other) * amplification)));
      };
      draw_difference(context, left, right, out, amplification);
      expect_drawn(drawn(), [&](int, Rgba p, Rgba q) {
        return Rgba{channel(p.r, q.r), channel(p.g, q.g), channel(p.b, q.b), 255};
      });
    }
  }

 private:
  template <class Expected>
  void expect_drawn(ImageView<const Rgba> out, const Expected& expected) const {
    const auto same = [](Rgba p, Rgba q) { return p.r == q.r && p.g == q.g && p.b == q.b && p.a == q.a; };
    for (int y = 0; y < out.height; ++y)
      for (int x = 0; x < out.width; ++x)
        ASSERT_TRUE(same(out(x, y), expected(x, a.view()(x, y), b.view()(x, y))))
            << x << "," << y << " of " << out.width << "x" << out.height;
  }
};

}  // namespace gpu::test
