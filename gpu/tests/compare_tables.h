// Compares a table with its reference and tells the first entry that is wrong. Integers must be equal; floating-point entries must lie within float_error_bound() of a float64 reference.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpu/sat.h"

namespace gpu {

// What a table of `Sum` is compared with.
template <class Sum>
using Reference = std::conditional_t<std::is_floating_point_v<Sum>, double, Sum>;

template <class Sum>
struct Comparison {
  ImageView<const Sum> table;
  ImageView<const Reference<Sum>> reference;
  ImageView<const Reference<Sum>> absolute;  // the sums of absolute values; the reference itself for integers
  // The image holds whole numbers: floating-point sums below 2^24 (2^53) must be exact, in whatever order they are made.
  bool whole_numbers = false;

  constexpr bool wrong(int x, int y) const {
    if constexpr (std::is_floating_point_v<Sum>) {
      const double difference = static_cast<double>(table(x, y)) - reference(x, y);
      // Not "difference > bound": NaN must count as wrong.
      return !(difference <= bound(x, y) && -difference <= bound(x, y));
    } else {
      return table(x, y) != reference(x, y);
    }
  }
  constexpr double bound(int x, int y) const {
    const double sum = static_cast<double>(absolute(x, y));
    if (whole_numbers && sum * static_cast<double>(std::numeric_limits<Sum>::epsilon()) <= 1) return 0;
    return float_error_bound<Sum>(table.size(), sum);
  }
};

struct Mismatch {
  unsigned long long count = 0;  // of wrong entries
  unsigned long long first = ~0ull;  // y * width + x of the first one
};

template <class Sum>
Mismatch compare_on_host(const Comparison<Sum>& comparison) {
  Mismatch result;
  for (int y = 0; y < comparison.table.height; ++y)
    for (int x = 0; x < comparison.table.width; ++x)
      if (comparison.wrong(x, y) && result.count++ == 0)
        result.first = static_cast<unsigned long long>(y) * static_cast<unsigned long long>(comparison.table.width) +
                       static_cast<unsigned long long>(x);
  return result;
}

}  // namespace gpu
