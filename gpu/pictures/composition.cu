#include "gpu/pictures/composition.h"

#include "gpu/execution/driver.h"
#include "gpu/pictures/canvas.h"
#include "gpu/pictures/check_views.h"
#include "gpu/pictures/for_each_pixel.cuh"

namespace gpu {
namespace {

// Reads only the visible image.
struct Wipe {
  PicturePixels pixels;
  Canvas target;

  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto left = pixels.left, right = pixels.right;
    const auto to = target;
    spans.within(0, pixels.edge, [=](int x) { to.put(x, y, left(x, y)); });
    spans.without(0, pixels.edge, [=](int x) { to.put(x, y, right(x, y)); });
  }
};

struct Difference {
  ImageView<const Rgba> a, b;
  Canvas target;
  unsigned gain;  // the amplification in units of 2^-8, so that every device computes the same integers

  constexpr std::uint8_t of(unsigned p, unsigned q) const {
    const unsigned amplified = ((p > q ? p - q : q - p) * gain + 128) >> 8;
    return static_cast<std::uint8_t>(amplified < 255 ? amplified : 255);
  }
  constexpr void operator()(int x, int y) const { target.put(x, y, inner(x, y)); }
  constexpr PixelRange interior() const { return whole(target.size()); }
  constexpr Rgba inner(int x, int y) const {
    const Rgba p = a(x, y), q = b(x, y);
    return {of(p.r, q.r), of(p.g, q.g), of(p.b, q.b), 255};
  }
};

}  // namespace

void draw_wipe(Context& context, const PicturePixels& wipe, const Canvas& out) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::draw_wipe)) return there(context, wipe, out);
  check_canvas(context, "draw_wipe", out, {{"left", wipe.left}, {"right", wipe.right}});
  context.for_each_pixel("compose", out.size(), Wipe{wipe, out});
}

void draw_difference(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
                     double amplification) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::draw_difference))
    return there(context, a, b, out, amplification);
  check_canvas(context, "draw_difference", out, {{"a", a}, {"b", b}});
  const auto gain = static_cast<unsigned>(amplification * 256 + 0.5);
  context.for_each_pixel("compose", out.size(), Difference{a, b, out, gain});
}

}  // namespace gpu
