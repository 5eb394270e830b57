// prefix_tree_blocked: the tree of interval sums over groups of k numbers, one group after another.
//
// Paper: Nakano, Optimal parallel algorithms for computing the sum, the prefix-sums, and the summed area table on the memory
// machine models (002), sec. 7, Corollary 6; for the table as in sec. 8.
// Idea: a tree over n numbers needs work space for n more. A tree over k numbers needs only k: groups of k numbers are
// scanned one after another, each seeded with the last prefix sum of the previous group.
//
//      row:  [ k numbers ] -> seed -> [ k numbers ] -> seed -> ...          in each: up the tree, down the tree
//
// Kernels: 4: rows, transpose, rows, transpose. Traffic: 5 reads and 4 writes per pixel: 1 1/2 reads and one write for each
// scan (the half, on the way down, is in the caches), one read and one write for each transpose. Work space: k numbers in
// shared memory per row that is being scanned, and a table in scratch memory for the transpose.
// Synchronisation: each row has its own block: one barrier per level of the tree.
//
// Departures: the paper's p threads are one block, and barriers separate its steps, not kernels: at 4096 x 4096 and k = 4096
// that would be 200 000 launches. Each row has its own block, and rows are scanned concurrently. Only GPUs of compute
// capability 8.0, 9.0 and 10.0 have shared memory for 16384 numbers of 8 bytes; on others k is halved.
#include <algorithm>

#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"
#include "gpu/shared_memory.cuh"

namespace gpu::sat {
namespace {

// One level of a tree: `count` entries, whose children are on the level below.
template <class Sum>
struct Level {
  Sum* entry;
  int count;
};

// One level up, and one level down. The lowest children are pixels in global memory, the others sums in shared memory.
template <class Child, class Sum>
__device__ void add_pairs(const Child* child, int children, Level<Sum> parent, Sum seed) {
  for (int i = static_cast<int>(threadIdx.x); i < parent.count; i += static_cast<int>(blockDim.x)) {
    const Sum pair = term<Sum>(child[2 * i]) + (2 * i + 1 < children ? term<Sum>(child[2 * i + 1]) : Sum(0));
    parent.entry[i] = i == 0 ? seed + pair : pair;
  }
  __syncthreads();
}
template <class Child, class Sum>
__device__ void pass_down(const Child* child, Sum* sum, int children, Level<Sum> parent, Sum seed) {
  for (int i = static_cast<int>(threadIdx.x); i < parent.count; i += static_cast<int>(blockDim.x)) {
    sum[2 * i] = term<Sum>(child[2 * i]) + (i > 0 ? parent.entry[i - 1] : seed);
    if (2 * i + 1 < children) sum[2 * i + 1] = parent.entry[i];
  }
  __syncthreads();
}

template <class Input, class Sum>
__global__ void scan_rows(ImageView<const Input> image, ImageView<Sum> sums, int k) {
  unsigned char* const dynamic = dynamic_shared();
  constexpr int most_levels = 16;
  const int y = static_cast<int>(blockIdx.x);
  Sum seed = 0;
  for (int x0 = 0; x0 < image.width; x0 += k) {
    const int count = min(k, image.width - x0);
    const Input* row = image.row(y) + x0;

    // The levels are stored one after another: k / 2, k / 4, ... entries, about k in all.
    Level<Sum> levels[most_levels];
    levels[0] = {reinterpret_cast<Sum*>(dynamic), ceil_div(count, 2)};
    add_pairs(row, count, levels[0], seed);
    int top = 0;
    while (levels[top].count > 1) {
      levels[top + 1] = {levels[top].entry + levels[top].count, ceil_div(levels[top].count, 2)};
      add_pairs(levels[top].entry, levels[top].count, levels[top + 1], Sum(0));
      ++top;
    }
    const Sum all = levels[top].entry[0];
    // The first interval sum of every level contains the seed, and so do all prefix sums except that of the first entry.
    for (; top > 0; --top)
      pass_down(levels[top - 1].entry, levels[top - 1].entry, levels[top - 1].count, levels[top], Sum(0));
    pass_down(row, sums.row(y) + x0, count, levels[0], seed);
    seed = all;
  }
}

// Entries of the tree over `count` numbers: half as many, rounded up, then half of those, and so on until one. They never
// decrease with `count`.
int tree_entries(int count) {
  int entries = 0;
  do {
    count = ceil_div(count, 2);
    entries += count;
  } while (count > 1);
  return entries;
}

// If shared memory does not hold a tree over `group` numbers, the group is halved until it does.
int group_within(int group, std::size_t sum_bytes, std::size_t shared_bytes) {
  while (static_cast<std::size_t>(tree_entries(group)) * sum_bytes > shared_bytes) group = ceil_div(group, 2);
  return group;
}

template <class Input, class Sum>
void launch_scan(Context& context, ImageView<const Input> image, ImageView<Sum> sums, int k) {
  // A short row needs only a small tree.
  const int group = group_within(std::min(k, image.width), sizeof(Sum), context.limits().shared_bytes);
  const int threads = std::clamp(ceil_div(group, 8) / 32 * 32, 32, 512);
  context.launch("row scan", scan_rows<Input, Sum>,
                 {dim3(static_cast<unsigned>(image.height)), dim3(static_cast<unsigned>(threads)),
                  static_cast<std::size_t>(tree_entries(group)) * sizeof(Sum)},
                 image, sums, group);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const int k = arguments.integer("k");
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<32, BlockOrder::plain>(context, input, output, 8,
                                                    [&](auto from, auto to) { launch_scan(context, from, to, k); });
  });
}

// On the way down, every second number of a group is read again.
Traffic traffic(Size size, SatType type, const Arguments& arguments, const GpuLimits&) {
  const int k = arguments.integer("k");
  const auto sum_bytes = bytes_of(type).sum;
  return two_scans_and_transposes(size, type, [&](Size of, std::uint64_t from, std::uint64_t to) {
    const int group = group_within(std::min(k, of.width), sum_bytes, GpuLimits{}.shared_bytes);
    const Size again{of.width / group * ceil_div(group, 2) + ceil_div(of.width % group, 2), of.height};
    return one_pass(of.pixels(), from, to) + Traffic{again.pixels() * from, 0, 0};
  });
}

constexpr Parameter parameters[] = {choice("k", "4096,1024,16384", "numbers of a group, and of its work space")};

}  // namespace

extern constinit const SatAlgorithm sat_prefix_tree_blocked{
    .name = "prefix_tree_blocked",
    .year = 2013,
    .paper = "Nakano, Optimal parallel algorithms for the summed area table on the memory machine models, Corollary 6",
    .idea = "The tree of interval sums over groups of k numbers in turn, each seeded with the last sum of the one before.",
    .device = Device::cuda,
    .reads = "5",
    .writes = "4",
    .traffic = traffic,
    .parameters = parameters,
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
