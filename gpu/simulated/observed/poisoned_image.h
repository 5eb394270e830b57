// PoisonedImage: an image or a table in the simulated GPU's memory for runs under observation. Bytes that were never
// written look wrong, and the memory ends with the last pixel, so that an access beyond it is outside the allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/memory.h"
#include "gpu/sat.h"

namespace gpu::simulated {

// The value of every byte never written: a huge number in every type. (Fresh memory from the system is zero.)
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

// Integers of 8 bits, in every type: what cameras deliver, and no sum of them is rounded below 2^24.
void fill_with_noise(AnyImageView image, std::uint64_t seed);

}  // namespace gpu::simulated
