// Compares a table with its reference where the table is, on the device or the host, and tells the first entry that is
// wrong. Integers must be equal; floating-point entries must lie within float_error_bound() of a float64 reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "gpu/memory.h"
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

namespace detail {

template <class Sum>
__global__ void compare_kernel(Comparison<Sum> comparison, Mismatch* mismatch) {
  const auto width = static_cast<unsigned long long>(comparison.table.width);
  const auto pixels = width * static_cast<unsigned long long>(comparison.table.height);
  const auto step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < pixels; i += step)
    if (comparison.wrong(static_cast<int>(i % width), static_cast<int>(i / width))) {
      atomicAdd(&mismatch->count, 1ull);
      atomicMin(&mismatch->first, i);
    }
}

}  // namespace detail

// Waits for `stream`. All views and `mismatch` (one element) are in device memory.
template <class Sum>
Mismatch compare_on_device(cudaStream_t stream, const Comparison<Sum>& comparison, Mismatch* mismatch) {
  Mismatch result;
  check(cudaMemcpyAsync(mismatch, &result, sizeof result, cudaMemcpyHostToDevice, stream));
  detail::compare_kernel<Sum><<<1024, 256, 0, stream>>>(comparison, mismatch);
  check(cudaGetLastError());
  check(cudaMemcpyAsync(&result, mismatch, sizeof result, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return result;
}

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
