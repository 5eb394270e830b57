// Percentiles by nearest rank: a value that was measured, the least that `percent` % of all values do not exceed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace gpu {

// Where it lies in `count` sorted values, counted from 0; 0 where there are none.
constexpr std::size_t nearest_rank(std::size_t count, unsigned percent) {
  return std::max<std::size_t>((count * percent + 99) / 100, 1) - 1;
}

// Reorders the values, of which there is at least one.
inline double percentile(std::span<double> values, unsigned percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(nearest_rank(values.size(), percent));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace gpu
