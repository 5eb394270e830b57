// One picture of two, for comparing them by eye: a wipe, the left part of one beside the right part of the other, or their
// amplified difference.
#pragma once

#include "gpu/image.h"
#include "gpu/pictures/canvas.h"

namespace gpu {

class Context;

// The pixels of a picture: one image, or, for a wipe, two of the same size: `left` up to column `edge`, `right` from there on.
// A wipe needs no memory of its own: a copy takes the visible columns of each.
struct PicturePixels {
  using View = ImageView<const Rgba>;

  constexpr PicturePixels() = default;
  template <class T>
  constexpr PicturePixels(ImageView<T> image) : left(image), edge(image.width) {}
  // `edge`: the first column of `right`.
  constexpr PicturePixels(View left, View right, int edge) : left(left), right(right), edge(edge) {}

  constexpr Size size() const { return left.size(); }
  constexpr bool wiped() const { return !right.empty(); }
  constexpr const Rgba& operator()(int x, int y) const { return (x < edge ? left : right)(x, y); }
  // Calls use(View columns, int x) for the visible columns of each image; `x`: where they begin.
  template <class Use>
  void each_side(const Use& use) const {
    if (edge > 0) use(View{left.data, edge, left.height, left.stride}, 0);
    if (wiped() && edge < left.width) use(View{right.data + edge, left.width - edge, left.height, right.stride}, edge);
  }

  View left, right;
  int edge = 0;
};

constexpr double most_amplification = 255;  // the least difference becomes white

// Both functions: all images have the same size and lie on the context's device; `out` shares no memory with the others. Timed as
// "compose". Neither allocates nor waits. Throw std::invalid_argument for images that check_views() refuses.

// out(x, y) = wipe(x, y), of two images.
void draw_wipe(Context& context, const PicturePixels& wipe, const Canvas& out);
// Each channel min(255, |a - b| * amplification), rounded to nearest; alpha 255. `amplification`: 1 to most_amplification.
void draw_difference(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
                     double amplification);

}  // namespace gpu
