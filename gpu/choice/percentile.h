// Percentiles by nearest rank: always one of the measured values, the smallest that at least `percent` % of all values do
// not exceed. In permille for those between: 999 is the 99.9th percentile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace gpu {

// Its index among `count` sorted values; 0 if there are none.
constexpr std::size_t nearest_rank_permille(std::size_t count, unsigned permille) {
  return std::max<std::size_t>((count * permille + 999) / 1000, 1) - 1;
}
constexpr std::size_t nearest_rank(std::size_t count, unsigned percent) {
  return nearest_rank_permille(count, percent * 10);
}

// Reorders the values; there must be at least one.
inline double percentile(std::span<double> values, unsigned percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(nearest_rank(values.size(), percent));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace gpu
