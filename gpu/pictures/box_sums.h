// Sums of the pixels of many boxes, from the table of their image: four entries each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/context.h"
#include "gpu/image.h"

namespace gpu {

// Boxes as rows of four integers: x, y, width, height. A box has the pixels x <= i < x + width, y <= j < y + height; those
// outside the image count as zeros. So boxes need no check, which on a GPU would cost a read-back: one whose width or height
// is zero or negative, or that lies outside, has the sum 0.
struct Boxes {
  const void* data = nullptr;
  int count = 0;
  std::ptrdiff_t stride = 4;  // integers from one box to the next
  bool wide = false;          // integers of 64 bits, otherwise of 32
  // Boxes of a tilted table (compute_tilted() in gpu/tables/tables.h), rotated by 45 degrees, as those of OpenCV's cascades:
  // the pixels (i, j) with 0 <= (j - y) + (i - x + 1) < 2 width and 0 <= (j - y) - (i - x + 1) < 2 height. So (x - 1, y) is
  // the highest of 2 width height pixels. Those left, right and above of the image count as zeros. If pixels lie below the
  // image, in one of its columns, the table does not have the sum: it is 2^32 - 1 (2^64 - 1), or NaN. Integers are taken as at
  // most 2^60.
  bool tilted = false;

  template <class Integer>
  ImageView<const Integer> as() const {
    return {static_cast<const Integer*>(data), 4, count, stride};
  }
};

// Queues or does, timed as "box sums", sums(0, i) = the sum of box i, for a table of any type. `padded`: the table has a row
// and a column of zeros first. `sums` is one column of the table's type, a row per box. All memory is of the context's device,
// and that of the sums overlaps no other. Sums of integers are exact modulo 2^32 (2^64); those of floating-point numbers are
// the difference of four entries, each with its error. Neither allocates nor waits. Throws std::invalid_argument for views
// that check_views() refuses.
void sum_boxes(Context& context, const AnyConstImageView& table, bool padded, const Boxes& boxes, const AnyImageView& sums);

}  // namespace gpu
