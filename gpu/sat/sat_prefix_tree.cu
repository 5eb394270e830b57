// prefix_tree: interval sums up a tree in each row, prefix sums down again; transpose; the same again; transpose.
//
// Paper: Nakano, Optimal parallel algorithms for computing the sum, the prefix-sums, and the summed area table on the memory
// machine models (002), sec. 7 and 8, Theorem 7.
// Idea: sums of 2, 4, 8, ... neighbours, each level half as long as the one below; then each prefix sum is passed down to
// the two entries that need it. Linear work in total, while recursive doubling does n log n.
//
//      up:    parent[i] = child[2i] + child[2i+1]           down:  child[2i+1]  = parent[i]          ("copy")
//                                                                  child[2i+2] += parent[i]          ("add")
//
// Kernels: ceil(log2) of the width up and as many down, the same for the height, and 2 transposes. Traffic: 10 reads and 8
// writes per pixel: the levels of a tree together are 1 + 1/2 + 1/4 + ... times as long as the row, so that "up" reads 2 and
// writes 1, "down" reads 2 (half of the children, all parents) and writes 2; both twice; the two transposes read and write 1
// each. Scratch memory of two tables. Synchronisation: the kernel boundaries. A level is a matrix with the image's rows, so
// that no addition crosses from one row to the next (002, Fig. 8).
//
// Departures: rows need not be powers of two: a level of odd length has a last parent with one child. The lowest "up" reads
// pixels, the lowest "down" reads them again and writes sums, so that no separate conversion is needed.
#include <algorithm>
#include <bit>
#include <climits>
#include <vector>

#include "gpu/pictures/row_grid.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/four.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

constexpr int threads = 128;
constexpr int most_parents = 4;  // per thread

// The two children of a parent, in one load or store where every row starts on its boundary.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T at[2];
};

// The parents of one thread: `count` of them, numbers first, first + step, ... in row y.
struct Parents {
  int y, first, step, count;

  static __device__ Parents of_thread(int count) {
    const int lanes = static_cast<int>(blockDim.x), rows = static_cast<int>(blockDim.y);
    return {row_of_block() * rows + static_cast<int>(threadIdx.y),
            static_cast<int>(blockIdx.x) * lanes * count + static_cast<int>(threadIdx.x), lanes, count};
  }
  // The number of the k-th; beyond every row if there is none.
  __device__ int at(int k) const { return k < count ? first + k * step : INT_MAX; }
};

// If there are more parents than threads that the GPU can hold at once, each thread has several, all of whose loads are in
// flight together. Short rows share a block.
struct LevelShape {
  Grid grid;
  int per_thread;

  static LevelShape of(const Context& context, Size parents) {
    constexpr std::size_t resident_threads = 2048;  // per multiprocessor
    const auto at_once = static_cast<std::size_t>(context.limits().multiprocessors) * resident_threads;
    const int per_thread = parents.pixels() > at_once ? most_parents : 1;
    const int lanes = std::min(threads,
                               static_cast<int>(std::bit_ceil(static_cast<unsigned>(ceil_div(parents.width, per_thread)))));
    const int rows = threads / lanes;
    return {{row_grid(ceil_div(parents.width, lanes * per_thread), ceil_div(parents.height, rows)),
             dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(rows))},
            per_thread};
  }
};

// parent[i] = child[2i] + child[2i+1]. `aligned`: to pairs of children.
template <class Input, class Sum>
__global__ void __launch_bounds__(threads)
    add_pairs(ImageView<const Input> children, bool aligned, ImageView<Sum> parents, int per_thread) {
  const auto place = Parents::of_thread(per_thread);
  if (place.y >= parents.height) return;
  const Input* child = children.row(place.y);
  const int whole = aligned ? children.width / 2 : 0;  // parents whose children come in one load
  Pair<Input> pair[most_parents];
#pragma unroll
  for (int k = 0; k < most_parents; ++k) {
    const int i = place.at(k);
    if (i < whole)
      pair[k] = *reinterpret_cast<const Pair<Input>*>(child + 2 * i);
    else if (i < parents.width)
      pair[k] = {child[2 * i], 2 * i + 1 < children.width ? child[2 * i + 1] : Input(0)};
  }
  Sum* target = parents.row(place.y);
#pragma unroll
  for (int k = 0; k < most_parents; ++k)
    if (const int i = place.at(k); i < parents.width) target[i] = term<Sum>(pair[k].at[0]) + term<Sum>(pair[k].at[1]);
}

// child[2i] += parent[i-1] and child[2i+1] = parent[i]: the same additions and copies, seen from parent i's two children.
// `sums` may be `children`: each thread reads its own children before it writes them. `aligned`: to pairs of sums.
template <class Input, class Sum>
__global__ void __launch_bounds__(threads) pass_down(ImageView<const Input> children, ImageView<const Sum> parents,
                                                     ImageView<Sum> sums, bool aligned, int per_thread) {
  const auto place = Parents::of_thread(per_thread);
  if (place.y >= parents.height) return;
  const Input* child = children.row(place.y);
  const Sum* parent = parents.row(place.y);
  Input left[most_parents];
  Sum before[most_parents], own[most_parents];
#pragma unroll
  for (int k = 0; k < most_parents; ++k) {
    const int i = place.at(k);
    left[k] = i < parents.width ? child[2 * i] : Input(0);
    before[k] = i < parents.width && i > 0 ? parent[i - 1] : Sum(0);
    own[k] = i < sums.width / 2 ? parent[i] : Sum(0);
  }
  Sum* target = sums.row(place.y);
#pragma unroll
  for (int k = 0; k < most_parents; ++k) {
    const int i = place.at(k);
    const Sum first = term<Sum>(left[k]) + before[k];
    if (aligned && i < sums.width / 2) {
      *reinterpret_cast<Pair<Sum>*>(target + 2 * i) = {first, own[k]};
    } else if (i < parents.width) {
      target[2 * i] = first;
      if (2 * i + 1 < sums.width) target[2 * i + 1] = own[k];
    }
  }
}

template <class Input, class Sum>
void launch_up(Context& context, ImageView<const Input> children, ImageView<Sum> parents) {
  const auto [grid, per_thread] = LevelShape::of(context, parents.size());
  context.launch("interval sums", add_pairs<Input, Sum>, grid, children, aligned_to<Pair<Input>>(children), parents,
                 per_thread);
}
template <class Input, class Sum>
void launch_down(Context& context, ImageView<const Input> children, ImageView<Sum> parents, ImageView<Sum> sums) {
  const auto [grid, per_thread] = LevelShape::of(context, parents.size());
  context.launch("sums of interval sums", pass_down<Input, Sum>, grid, children, parents, sums, aligned_to<Pair<Sum>>(sums),
                 per_thread);
}

// The prefix sums of all rows of `from`, into `sums`.
template <class Input, class Sum>
void scan_rows(Context& context, ImageView<const Input> from, ImageView<Sum> sums) {
  const Context::ScratchScope scope(context);
  std::vector<ImageView<Sum>> levels;
  for (int width = ceil_div(from.width, 2);; width = ceil_div(width, 2)) {
    levels.push_back(context.scratch_image<Sum>({width, from.height}));
    if (width == 1) break;
  }
  launch_up(context, from, levels[0]);
  for (std::size_t l = 1; l < levels.size(); ++l) launch_up(context, ImageView<const Sum>(levels[l - 1]), levels[l]);
  for (std::size_t l = levels.size() - 1; l > 0; --l)
    launch_down(context, ImageView<const Sum>(levels[l - 1]), levels[l], levels[l - 1]);
  launch_down(context, from, levels[0], sums);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<32, BlockOrder::plain>(context, input, output, 8,
                                                    [&](auto from, auto to) { scan_rows(context, from, to); });
  });
}

// One level of the trees of all rows. Up: every child is read. Down: every second child is read; each parent is read for its
// right child, and for the left child of the next parent.
Traffic level(std::uint64_t children, std::uint64_t rows, std::uint64_t from, std::uint64_t to) {
  const auto parents = (children + 1) / 2;
  const auto read_down = parents * from + (children / 2 + parents - 1) * to;
  return Traffic{rows * children * from, rows * parents * to, 1} + Traffic{rows * read_down, rows * children * to, 1};
}

Traffic traffic(Size size, SatType type, const Arguments&, const GpuLimits&) {
  return two_scans_and_transposes(size, type, [](Size of, std::uint64_t from, std::uint64_t to) {
    const auto rows = static_cast<std::uint64_t>(of.height);
    auto all = level(static_cast<std::uint64_t>(of.width), rows, from, to);  // at least one, even if rows have one pixel
    for (int children = ceil_div(of.width, 2); children > 1; children = ceil_div(children, 2))
      all += level(static_cast<std::uint64_t>(children), rows, to, to);
    return all;
  });
}

}  // namespace

extern constinit const SatAlgorithm sat_prefix_tree{
    .name = "prefix_tree",
    .year = 2013,
    .paper = "Nakano, Optimal parallel algorithms for the summed area table on the memory machine models, Theorem 7",
    .idea = "Sums of 2, 4, 8, ... neighbours up a tree in each row, prefix sums down again; transpose; again; transpose.",
    .reads = "10",
    .writes = "8",
    .traffic = traffic,
    .run = run,
};

}  // namespace gpu::sat
