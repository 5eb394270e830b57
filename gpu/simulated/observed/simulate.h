// Runs an algorithm once under observation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/memory.h"
#include "gpu/sat.h"
#include "gpu/simulated/observed/simulation.h"

namespace gpu::simulated {

// The value of every byte never written: a huge number in every type. (Fresh memory from the system is zero.)
inline constexpr unsigned char poison = 0x7f;

// An image or a table in the simulated GPU's memory for runs under observation. Bytes that were never written look wrong, and the
// memory ends with the last pixel, so that an access beyond it is outside the allocation.
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

// On a random image, with the kernels of this observed build; one call at a time. Table and workspace are first filled with
// nonzero garbage. The settings of the simulated GPU are restored afterwards. Throws Fault, std::invalid_argument
// (no such algorithm, one that cannot be simulated, an impossible width or latency), ArgumentError, std::bad_alloc,
// std::runtime_error (the system limits the address space).
Simulation simulate(const SimulationRequest& request);
// The same for an algorithm that need not be in the program's table; request.algorithm only selects its bound.
Simulation simulate(const SatAlgorithm& algorithm, const SimulationRequest& request);

}  // namespace gpu::simulated
