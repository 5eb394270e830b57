// Prefix sums over a tile or over lanes that run together.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

// Of the lanes before the thread's own, and of its own if `inclusive`.
namespace detail {
template <class Group, class T, class Operator>
T scan(const Group& group, T value, Operator combine, bool inclusive, Source source) {
  const auto all = gpu::simulated::warp_exchange(group.mask(), gpu::simulated::bits_of(value),
                                                 gpu::simulated::WarpExchange::reduction, source);
  T result{};
  bool first = true;
  for (unsigned lane = 0; lane < detail::lane() + inclusive; ++lane)
    if (all.lanes >> lane & 1) {
      const auto other = gpu::simulated::from_bits<T>(all.value[lane]);
      result = std::exchange(first, false) ? other : combine(result, other);
    }
  return result;
}
}  // namespace detail

template <class Group, class T, class Operator = plus<T>>
T inclusive_scan(const Group& group, T value, Operator combine = {}, Source source = Source::current()) {
  return detail::scan(group, value, combine, true, source);
}
template <class Group, class T, class Operator = plus<T>>
T exclusive_scan(const Group& group, T value, Operator combine = {}, Source source = Source::current()) {
  return detail::scan(group, value, combine, false, source);
}

}  // namespace cooperative_groups
