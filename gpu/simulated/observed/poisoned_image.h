// PoisonedImage: an image or a table in the simulated GPU's memory for runs under observation. What nobody has written
// does not look right, and memory ends with the last pixel, so that a step beyond it leaves the allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/memory.h"
#include "gpu/sat.h"

namespace gpu::simulated {

// Of every byte that nobody has written: a huge number in every type, where memory fresh from the system is zero.
inline constexpr unsigned char poison = 0x7f;

class PoisonedImage {
 public:
  PoisonedImage(Size size, ElementType type, std::ptrdiff_t stride);  // in elements

  AnyImageView view() const { return view_; }
  bool padding_is_untouched() const;  // between the rows

 private:
  AnyImageView view_;
  Buffer<std::byte> bytes_;
};

// Whole numbers of 8 bits, in every type: what cameras deliver, and no sum of them is rounded before 2^24.
void fill_with_noise(AnyImageView image, std::uint64_t seed);

}  // namespace gpu::simulated
