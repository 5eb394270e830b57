// reduce() of a tile or of lanes that run together, with CUDA's operators. The order in which lanes combine is theirs: a GPU rounds sums
// of floating-point numbers differently.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <utility>

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return std::min(a, b); }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return std::max(a, b); }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

template <class Group, class T, class Operator>
T reduce(const Group& group, T value, Operator combine, Source source = Source::current()) {
  static_assert(!std::is_same_v<Group, thread_block>, "reduce() is for tiles: tiled_partition<32>(block)");
  return gpu::simulated::reduce_lanes(group.mask(), value, combine, source);
}

}  // namespace cooperative_groups
