// sum / area rounded to the nearest whole number, halves up, without dividing: floor((2*sum + area) / (2*area)).
//
// That is floor(m / d) with m = 2*sum + area and d = 2*area, and floor(m * multiplier / 2^shift) is the same where
// multiplier = ceil(2^shift / d) and m * (multiplier * d - 2^shift) < 2^shift (Granlund and Montgomery, Division by invariant
// integers using multiplication, PLDI 1994, theorem 4.2). Here m < 256 * d, because no pixel exceeds 255, so that it holds for
// every area up to max_area: a test checks each of them. `shift` is at least 32: only the high half of the product is shifted.
#pragma once

#include <bit>
#include <cstdint>

namespace gpu::effects {

class RoundedMean {
 public:
  static constexpr int max_side = 2047;
  static constexpr std::uint32_t max_area = max_side * max_side;

  constexpr explicit RoundedMean(std::uint32_t area)
      : area_(area),
        shift_(31 + std::bit_width(2 * area - 1)),
        multiplier_(static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + 2 * area - 1) / (2 * area))) {}

  constexpr std::uint8_t operator()(std::uint32_t sum) const {
    const auto product = static_cast<std::uint64_t>(2 * sum + area_) * multiplier_;
    return static_cast<std::uint8_t>(static_cast<std::uint32_t>(product >> 32) >> (shift_ - 32));
  }

  constexpr std::uint32_t area() const { return area_; }
  constexpr int shift() const { return shift_; }
  constexpr std::uint32_t multiplier() const { return multiplier_; }

 private:
  std::uint32_t area_;
  int shift_;
  std::uint32_t multiplier_;
};

}  // namespace gpu::effects
