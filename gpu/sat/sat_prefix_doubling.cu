// prefix_doubling: recursive doubling along rows in global memory, transpose, doubling, transpose.
//
// Paper: Nakano, Optimal parallel algorithms for computing the sum, the prefix-sums, and the summed area table on the memory
// machine models, 2013 (002), sec. 6, Lemma 4: Kogge and Stone's recursive doubling, which is also Harris's method for rows
// (Ha et al., Bandwidth Efficient Summed Area Table Generation for CUDA, 2012 (004), sec. 3.3).
// Idea: after step k an entry holds the sum of the 2^k pixels that end at it.
//
//      step k:   out(x) = in(x) + in(x - 2^k)          from one array into another and back
//
// Kernels: ceil(log2 width) + ceil(log2 height) + 2 transposes. Traffic: 2 log2 n + 2 reads (without the second summands,
// which are in the caches) and as many writes per pixel; three tables of scratch memory. Synchronisation: the kernel
// boundaries. It does n log n work, all of it through global memory; the other algorithms of this family improve on it.
//
// Departures: Lemma 4 adds in place, and step k leaves the first 2^k entries alone. Here a step reads one array and writes
// another, because no barrier divides a step into reading and writing; so it also copies those entries. An image one pixel
// wide still takes one step, which turns pixels into sums.
#include <algorithm>

#include "gpu/pictures/row_grid.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

constexpr int threads = 256, pixels_per_thread = 4;

template <class Input, class Sum>
__global__ void __launch_bounds__(threads) add_at_distance(ImageView<const Input> from, ImageView<Sum> to, int distance) {
  const int y = row_of_block();
  if (y >= from.height) return;
  const Input* row = from.row(y);
  Sum* target = to.row(y);
  const int x0 = static_cast<int>(blockIdx.x) * threads * pixels_per_thread + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    const int x = x0 + p * threads;
    if (x < from.width) target[x] = term<Sum>(row[x]) + (x >= distance ? term<Sum>(row[x - distance]) : Sum(0));
  }
}

template <class Input, class Sum>
void launch_step(Context& context, ImageView<const Input> from, ImageView<Sum> to, int distance) {
  const dim3 grid = row_grid(ceil_div(from.width, threads * pixels_per_thread), from.height);
  context.launch("add at distance " + std::to_string(distance), add_at_distance<Input, Sum>, {grid, dim3(threads)}, from, to,
                 distance);
}

// The remaining steps along the rows of `current`, with `other` as the second array. Returns where the sums are.
template <class Sum>
ImageView<Sum> double_rows(Context& context, ImageView<Sum> current, ImageView<Sum> other, int distance) {
  for (; distance < current.width; distance *= 2) {
    launch_step(context, ImageView<const Sum>(current), other, distance);
    std::swap(current, other);
  }
  return current;
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    const Size turned{input.height, input.width};
    const auto columns = context.scratch_image<Sum>(turned), second = context.scratch_image<Sum>(turned);
    // The second array of the first direction is of the other shape; one more scratch image of it.
    const auto rows = context.scratch_image<Sum>(input.size());
    launch_step(context, input, output, 1);
    launch_transpose<32, BlockOrder::plain>(context, double_rows(context, output, rows, 2), columns, 8);
    launch_transpose<32, BlockOrder::plain>(context, double_rows(context, columns, second, 1), output, 8);
  });
}

// One step: every entry is read once, and a second time as the second summand of another entry if that is in the row.
Traffic step(Size size, std::uint64_t from, std::uint64_t to, int distance) {
  const Size second{std::max(0, size.width - distance), size.height};
  return one_pass(size.pixels(), from, to) + Traffic{second.pixels() * from, 0, 0};
}

// As double_rows().
Traffic steps(Size size, std::uint64_t sum, int distance) {
  Traffic all;
  for (; distance < size.width; distance *= 2) all += step(size, sum, sum, distance);
  return all;
}

Traffic traffic(Size size, SatType type, const Arguments&, const GpuLimits&) {
  const auto [input, sum] = bytes_of(type);
  const auto transpose = one_pass(size.pixels(), sum, sum);
  return step(size, input, sum, 1) + steps(size, sum, 2) + transpose + steps({size.height, size.width}, sum, 1) + transpose;
}

}  // namespace

extern constinit const SatAlgorithm sat_prefix_doubling{
    .name = "prefix_doubling",
    .year = 1973,
    .paper =
        "Kogge and Stone's recursive doubling; as Nakano, Optimal parallel algorithms for the summed area table on the "
        "memory machine models, 2013, Lemma 4",
    .idea = "Each entry adds the one 2^k before it, for k = 0, 1, ..., through global memory; transpose; again; transpose.",
    .reads = "2 log2 n + 2",
    .writes = "2 log2 n + 2",
    .traffic = traffic,
    .run = run,
};

}  // namespace gpu::sat
