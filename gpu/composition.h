// Composition: one picture of two, for comparing them by eye: the left part of one beside the right part of the other, or
// their amplified difference.
#pragma once

#include "gpu/effect.h"
#include "gpu/image.h"

namespace gpu {

class Context;

struct Composition {
  enum class Mode { wipe, difference };
  static constexpr double most_amplification = 255;  // the least difference becomes white

  Mode mode = Mode::wipe;
  double wipe = 0.5;         // 0 to 1: where b begins, in fractions of the width
  double amplification = 8;  // of differences: 1 to most_amplification

  friend bool operator==(const Composition&, const Composition&) = default;

  // The first column of b; `width` where all columns are of a.
  constexpr int edge(int width) const { return static_cast<int>(wipe * width + 0.5); }
  // The amplification in units of 2^-8, so that every device computes the same integers.
  constexpr unsigned gain() const { return static_cast<unsigned>(amplification * 256 + 0.5); }
};

// wipe:       out(x, y) = a(x, y) for x < edge, b(x, y) for the others
// difference: each channel min(255, |a - b| * amplification), rounded to nearest; alpha 255
//
// All three have the same size and lie on the context's device; `out` shares no memory with a or b. Timed as "compose". Neither
// allocates nor waits. Throws std::invalid_argument for images that check_views() refuses.
void compose(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
             const Composition& composition);

namespace detail {
// The kernels of this build; on the simulated GPU compose() calls those of the context's driver instead.
void compose_of_this_build(Context& context, ImageView<const Rgba> a, ImageView<const Rgba> b, const Canvas& out,
                           const Composition& composition);
}  // namespace detail

}  // namespace gpu
