// The classes of similar windows (gpu/vision/window_search.h), by disjoint sets that all threads join at once.
//
// Each window has a parent with a smaller number, or is a root; a class is a tree. Threads join two trees by making the larger
// root's parent the smaller root, with an atomic minimum. If another thread was faster, the minimum returns the parent that it set,
// and that one's tree is what remains to be joined. Parents only ever become smaller, so that nobody waits and every path ends. (S.
// Jayanti, R. Tarjan, A Randomized Concurrent Algorithm for Disjoint Set Union, PODC 2016, has the family of such algorithms.)
//
// All pairs are compared: for some ten thousands of windows that is little beside a search. Sums are of
// integers, and do not depend on the order.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/vision/window_search.h"

namespace gpu::vision {
namespace {

constexpr int threads = 256;

__device__ unsigned count_of(const WindowGroups& groups) { return min(groups.counters->found, groups.found_capacity); }

template <class F>
__device__ void for_each_window(const WindowGroups& groups, const F& f) {
  const unsigned count = count_of(groups);
  for (unsigned i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads) f(i);
}

__device__ std::uint64_t parent_of(const WindowGroups& groups, std::uint64_t i) {
  std::uint64_t parent;
  load_word(groups.parents + i, parent);
  return parent;
}
// If several threads make something the parent of i, the smallest remains. What it was before.
__device__ std::uint64_t make_parent(const WindowGroups& groups, std::uint64_t i, std::uint64_t parent) {
  return atomicMin(reinterpret_cast<unsigned long long*>(groups.parents + i), static_cast<unsigned long long>(parent));
}
__device__ std::uint64_t root_of(const WindowGroups& groups, std::uint64_t i) {
  while (true) {
    const auto parent = parent_of(groups, i);
    if (parent == i) return i;
    i = parent;
  }
}
// The root of both.
__device__ std::uint64_t join(const WindowGroups& groups, std::uint64_t a, std::uint64_t b) {
  while (true) {
    a = root_of(groups, a), b = root_of(groups, b);
    if (a == b) return a;
    const auto larger = max(a, b), smaller = min(a, b);
    const auto before = make_parent(groups, larger, smaller);
    if (before == larger) return smaller;
    a = before, b = smaller;
  }
}

__global__ void __launch_bounds__(threads) start_groups_kernel(WindowGroups groups) {
  if (blockIdx.x == 0 && threadIdx.x == 0) groups.classes->count = 0;
  for_each_window(groups, [&](unsigned i) {
    const auto window = groups.found[i];
    groups.windows[i] = window_in_frame(groups.levels[window.level], window.x, window.y);
    groups.parents[i] = i;
    groups.sums[i] = {0, 0, 0, 0, 0};
  });
}

// A block compares 256 windows with some others, whose numbers are smaller; not with many, because a thread does one comparison
// after the other, and waits for memory where it finds similar ones.
__global__ void __launch_bounds__(threads) join_groups_kernel(WindowGroups groups) {
  constexpr unsigned others = 32;
  struct Others {
    Window windows[others];
  };
  auto& shared = static_shared<Others>();
  const unsigned count = count_of(groups), rows = (count + threads - 1) / threads, columns = (count + others - 1) / others;
  for (unsigned part = blockIdx.x; part < rows * columns; part += gridDim.x) {
    const unsigned i = part / columns * threads + threadIdx.x, first = part % columns * others;
    if (first >= part / columns * threads + threads) continue;
    __syncthreads();
    if (threadIdx.x < others && first + threadIdx.x < count)
      shared.windows[threadIdx.x] = groups.windows[first + threadIdx.x];
    __syncthreads();
    if (i >= count) continue;
    const auto window = groups.windows[i];
    const unsigned last = min(i, first + others);
    std::uint64_t root = i;
    for (unsigned j = first; j < last; ++j)
      if (similar(window, shared.windows[j - first]) && parent_of(groups, j) != root) root = join(groups, root, j);
    if (root != i) make_parent(groups, i, root);  // a shorter path
  }
}

__global__ void __launch_bounds__(threads) add_up_windows_kernel(WindowGroups groups) {
  for_each_window(groups, [&](unsigned i) {
    const auto window = groups.windows[i];
    auto& sum = groups.sums[root_of(groups, i)];
    atomicAdd(reinterpret_cast<unsigned long long*>(&sum.x), static_cast<unsigned long long>(window.x));
    atomicAdd(reinterpret_cast<unsigned long long*>(&sum.y), static_cast<unsigned long long>(window.y));
    atomicAdd(&sum.width, static_cast<std::uint32_t>(window.width));
    atomicAdd(&sum.height, static_cast<std::uint32_t>(window.height));
    atomicAdd(&sum.count, 1);
  });
}

__global__ void __launch_bounds__(threads) list_groups_kernel(WindowGroups groups) {
  for_each_window(groups, [&](unsigned i) {
    const auto sum = groups.sums[i];
    if (sum.count > groups.min_neighbors) groups.classes->classes[atomicAdd(&groups.classes->count, 1u)] = sum;
  });
}

// `means`: of the classes.
__device__ bool any_takes_over(const WindowClass* classes, const Window* means, unsigned count, unsigned i) {
  for (unsigned j = 0; j < count; ++j)
    if (j != i && gives_way(means[i], classes[i].count, means[j], classes[j].count)) return true;
  return false;
}

__device__ bool comes_before(const Detection& a, const Detection& b) {
  if (a.y != b.y) return a.y < b.y;
  if (a.x != b.x) return a.x < b.x;
  if (a.width != b.width) return a.width < b.width;
  if (a.height != b.height) return a.height < b.height;
  return a.neighbors < b.neighbors;
}

// A detection's place in their order as one number, but for its neighbors. A frame of more pixels than 32 bits count leaves no
// room for the lowest bits of its size: those alike in all others have one place.
constexpr std::uint64_t no_place = ~std::uint64_t{0};
__device__ std::uint64_t place_of(const Window& window, Size frame) {
  const auto [left, top, width, height] = inside_frame(window, frame);
  if (width <= 0 || height <= 0) return no_place;
  const int bits_x = 32 - __clz(frame.width), bits_y = 32 - __clz(frame.height), bits = bits_x + bits_y;
  const auto word = [](int high, int low, int low_bits) {
    return static_cast<std::uint64_t>(high) << low_bits | static_cast<std::uint64_t>(low);
  };
  const auto corner = word(top, left, bits_x), size = word(width, height, bits_y);
  return bits <= 32 ? corner << bits | size : corner << (64 - bits) | size >> (2 * bits - 64);
}

__device__ Detection detection_of(const Window& window, int neighbors) {
  return {window.x, window.y, window.width, window.height, neighbors};
}

struct Selection {
  unsigned kept, gathered;
  unsigned counts[threads];  // of places, by eight of their bits
  std::uint64_t last;        // its highest bits
  unsigned missing;          // of those with these bits, so many are up to the last one
};

// The last of the `wanted` places that come first, by a block, eight bits after eight from the highest on. There are more.
__device__ std::uint64_t last_of(const std::uint64_t* places, unsigned count, unsigned wanted, Selection& shared) {
  static_assert(threads == 256);
  if (threadIdx.x == 0) shared.last = 0, shared.missing = wanted;
  for (int shift = 56; shift >= 0; shift -= 8) {
    shared.counts[threadIdx.x] = 0;
    __syncthreads();
    const auto higher = shared.last >> shift >> 8;
    for (unsigned i = threadIdx.x; i < count; i += threads)
      if (places[i] != no_place && places[i] >> shift >> 8 == higher)
        atomicAdd(&shared.counts[places[i] >> shift & 255], 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned bits = 0;
      for (; bits < 255 && shared.counts[bits] < shared.missing; ++bits) shared.missing -= shared.counts[bits];
      shared.last |= static_cast<std::uint64_t>(bits) << shift;
    }
    __syncthreads();
  }
  return shared.last;
}

// By one block. Those that the list has room for are gathered, and each is written to the place that the number of those before it
// gives. Places are kept where parents were, and the means of classes where their windows were.
__global__ void __launch_bounds__(threads)
    detections_kernel(WindowGroups groups, Size frame, Detection* unsorted, DetectionList detections) {
  auto& shared = static_shared<Selection>();
  if (threadIdx.x == 0) shared.kept = shared.gathered = 0;
  const bool grouped = groups.min_neighbors > 0;
  const auto* classes = groups.classes->classes;
  const unsigned count = grouped ? groups.classes->count : count_of(groups);
  if (grouped)
    for (unsigned i = threadIdx.x; i < count; i += threads) groups.windows[i] = mean_of(classes[i]);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += threads) {
    const bool kept = !grouped || !any_takes_over(classes, groups.windows, count, i);
    groups.parents[i] = kept ? place_of(groups.windows[i], frame) : no_place;
    if (groups.parents[i] != no_place) atomicAdd(&shared.kept, 1u);
  }
  __syncthreads();
  const unsigned all = shared.kept, room = min(static_cast<unsigned>(max(detections.capacity, 0)), most_sorted);
  const auto last = all > room && room > 0 ? last_of(groups.parents, count, room, shared) : no_place - 1;
  for (unsigned i = threadIdx.x; i < count && room > 0; i += threads)
    if (groups.parents[i] <= last)
      if (const unsigned at = atomicAdd(&shared.gathered, 1u); at < most_sorted)
        unsorted[at] = detection_of(inside_frame(groups.windows[i], frame), grouped ? classes[i].count : 1);
  __syncthreads();
  const unsigned kept = min(shared.gathered, most_sorted);  // more only where many are in the last place: windows alike,
  // or nearly alike
  for (unsigned i = threadIdx.x; i < kept; i += threads) {
    int place = 0;
    for (unsigned j = 0; j < kept; ++j)
      place += comes_before(unsorted[j], unsorted[i]) || (j < i && !comes_before(unsorted[i], unsorted[j]));
    if (place < detections.capacity) detections.items[place] = unsorted[i];
  }
  if (threadIdx.x == 0) *detections.count = static_cast<int>(all);
}

}  // namespace

void queue_groups(Context& context, const WindowGroups& groups) {
  const auto blocks = static_cast<unsigned>(context.limits().multiprocessors);
  const Grid few{dim3(blocks), dim3(threads)}, many{dim3(8 * blocks), dim3(threads)};
  context.group("groups", [&] {
    context.launch("start groups", start_groups_kernel, few, groups);
    if (groups.min_neighbors <= 0) return;
    context.launch("join groups", join_groups_kernel, many, groups);
    context.launch("add up windows", add_up_windows_kernel, few, groups);
    context.launch("list groups", list_groups_kernel, few, groups);
  });
}

void queue_detections(Context& context, const WindowGroups& groups, Size frame, Detection* unsorted,
                      const DetectionList& detections) {
  context.launch("detections", detections_kernel, {dim3(1), dim3(threads)}, groups, frame, unsorted, detections);
}

}  // namespace gpu::vision
