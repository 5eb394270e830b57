// Percentiles by nearest rank: always one of the measured values, the smallest that at least `percent` % of all values do
// not exceed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace gpu {

// Its index among `count` sorted values; 0 if there are none.
constexpr std::size_t nearest_rank(std::size_t count, unsigned percent) {
  return std::max<std::size_t>((count * percent + 99) / 100, 1) - 1;
}

// Reorders the values; there must be at least one.
inline double percentile(std::span<double> values, unsigned percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(nearest_rank(values.size(), percent));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace gpu
