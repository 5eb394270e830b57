// prefix_tree: interval sums up a tree inside each row, their sums down again; transpose; again; transpose.
//
// Paper: Nakano, Optimal parallel algorithms for computing the sum, the prefix-sums, and the summed area table on the memory
// machine models (002), sec. 7 and 8, Theorem 7.
// Idea: sums of 2, 4, 8, ... neighbours, each level half as long as the one below; then each prefix sum goes down to the two
// entries it belongs to. Linear work in all, where recursive doubling does n log n.
//
//      up:    parent[i] = child[2i] + child[2i+1]           down:  child[2i+1]  = parent[i]          ("copy")
//                                                                  child[2i+2] += parent[i]          ("add")
//
// Kernels: ceil(log2) of the width up and as many down, the same for the height, and 2 transposes. Traffic: 10 reads and 8
// writes a pixel: the levels of a tree are 1 + 1/2 + 1/4 + ... as long as the row, so that up reads 2 and writes 1, down reads
// 2 (half of the children, all parents) and writes 2; twice, and once each for the transposes. Scratch memory of two tables.
// Synchronisation: the kernel boundaries.
// A level is a matrix with the image's rows, so that no add crosses from a row to the next (002, Fig. 8).
//
// Departures: rows need not be powers of two: a level of odd length has a last parent with one child. The lowest "up" reads
// pixels, the lowest "down" reads them again and writes sums, so that nothing is converted on its own.
#include <algorithm>
#include <vector>

#include "gpu/sat.h"
#include "gpu/row_grid.cuh"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

constexpr int threads = 128;

Grid grid_of(Size parents) { return {row_grid(ceil_div(parents.width, threads), parents.height), dim3(threads)}; }

// Each thread has one parent, and so two children.
template <class Input, class Sum>
__global__ void __launch_bounds__(threads) add_pairs(ImageView<const Input> children, ImageView<Sum> parents) {
  const int y = row_of_block();
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (y >= parents.height || i >= parents.width) return;
  const Input* child = children.row(y) + 2 * i;
  parents(i, y) = term<Sum>(child[0]) + (2 * i + 1 < children.width ? term<Sum>(child[1]) : Sum(0));
}

// child[2i] += parent[i-1] and child[2i+1] = parent[i]: the same adds and copies, seen from parent i's two children.
template <class Input, class Sum>
__global__ void __launch_bounds__(threads)
    pass_down(ImageView<const Input> children, ImageView<const Sum> parents, ImageView<Sum> sums) {
  const int y = row_of_block();
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (y >= parents.height || i >= parents.width) return;
  const Sum before = i > 0 ? parents(i - 1, y) : Sum(0);
  sums(2 * i, y) = term<Sum>(children(2 * i, y)) + before;
  if (2 * i + 1 < sums.width) sums(2 * i + 1, y) = parents(i, y);
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
  context.launch("interval sums", add_pairs<Input, Sum>, grid_of(levels[0].size()), from, levels[0]);
  for (std::size_t l = 1; l < levels.size(); ++l)
    context.launch("interval sums", add_pairs<Sum, Sum>, grid_of(levels[l].size()), levels[l - 1], levels[l]);
  for (std::size_t l = levels.size() - 1; l > 0; --l)
    context.launch("sums of interval sums", pass_down<Sum, Sum>, grid_of(levels[l].size()), levels[l - 1], levels[l],
                   levels[l - 1]);
  context.launch("sums of interval sums", pass_down<Input, Sum>, grid_of(levels[0].size()), from, levels[0], sums);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<32, BlockOrder::plain>(context, input, output, 8,
                                                    [&](auto from, auto to) { scan_rows(context, from, to); });
  });
}

// One level of the trees of all rows. Up: every child is read. Down: every second child; and each parent by its right child,
// and by the left one of the next.
Traffic level(std::uint64_t children, std::uint64_t rows, std::uint64_t from, std::uint64_t to) {
  const auto parents = (children + 1) / 2;
  const auto read_down = parents * from + (children / 2 + parents - 1) * to;
  return Traffic{rows * children * from, rows * parents * to, 1} + Traffic{rows * read_down, rows * children * to, 1};
}

Traffic traffic(Size size, SatType type, const Arguments&) {
  return two_scans_and_transposes(size, type, [](Size of, std::uint64_t from, std::uint64_t to) {
    const auto rows = static_cast<std::uint64_t>(of.height);
    auto all = level(static_cast<std::uint64_t>(of.width), rows, from, to);  // one, also of rows of one pixel
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
    .device = Device::cuda,
    .reads = "10",
    .writes = "8",
    .traffic = traffic,
    .parameters = {},
    .types = all_sat_types,
    .types_note = {},
    .run = run,
};

}  // namespace gpu::sat
