// The sequential summed area table on host views: the reference that every algorithm is tested against.
#pragma once

#include "gpu/sat.h"

namespace gpu::sat {

// sat(x, y) = term(image(x, y)) + row sum so far + sat(x, y - 1). Integers modulo 2^bits; floating point in the given
// Sum, rounding as written (call it with Sum = double for the float64 reference). Views are in host memory.
template <class Input, class Sum>
void reference(ImageView<const Input> image, ImageView<Sum> sat) {
  for (int y = 0; y < image.height; ++y) {
    Sum row_sum = 0;
    for (int x = 0; x < image.width; ++x) {
      row_sum += term<Sum>(image(x, y));
      sat(x, y) = y > 0 ? row_sum + sat(x, y - 1) : row_sum;
    }
  }
}

}  // namespace gpu::sat
