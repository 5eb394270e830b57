// Division of 31-bit numbers by a divisor that is known beforehand: one multiplication and one shift instead of the many
// instructions of a division (Granlund and Montgomery, Division by invariant integers using multiplication, PLDI 1994,
// Theorem 4.2).
#pragma once

#include <bit>
#include <cstdint>

namespace gpu::sat {

struct Divisor {
  std::uint32_t factor;  // 2^shift / divisor, rounded up
  int shift;

  // 1 <= divisor < 2^31
  static constexpr Divisor of(std::uint32_t divisor) {
    const int shift = 31 + std::bit_width(divisor - 1);
    return {static_cast<std::uint32_t>((std::uint64_t{1} << shift) / divisor + 1), shift};
  }
  // n / divisor, for n < 2^31
  constexpr std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>(std::uint64_t{n} * factor >> shift);
  }
};

}  // namespace gpu::sat
