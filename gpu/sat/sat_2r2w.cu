// 2r2w: columns, then rows, one thread each: the slow baseline.
//
// Paper: Emoto et al. 2018 (000), sec. I.B, "2R2W algorithm".
// Idea: a summed area table is the prefix sums of every column, and then of every row of the result.
//
//      kernel 1: one thread per column, downwards   kernel 2: one thread per row, rightwards
//            |  |  |  |                                   ---------->
//            v  v  v  v                                   ---------->
//
// Kernels: 2. Traffic: 2 reads and 2 writes per pixel. Synchronisation: none but the kernel boundary.
// A warp of kernel 1 accesses 32 neighbouring columns at once, which is coalesced; a warp of kernel 2 accesses 32 rows, one
// stride apart, which is not. The paper includes this algorithm to show that cost. It is kept slow on purpose: nothing is
// unrolled or cached here that is not in the paper.
#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"

namespace gpu::sat {
namespace {

template <class Input, class Sum>
__global__ void scan_columns(ImageView<const Input> image, ImageView<Sum> sat) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= image.width) return;
  Sum sum = 0;
  for (int y = 0; y < image.height; ++y) {
    sum += term<Sum>(image(x, y));
    sat(x, y) = sum;
  }
}

template <class Sum>
__global__ void scan_rows(ImageView<Sum> sat) {
  const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (y >= sat.height) return;
  Sum sum = 0;
  for (int x = 0; x < sat.width; ++x) {
    sum += sat(x, y);
    sat(x, y) = sum;
  }
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const int block = arguments.integer("block");
  const auto blocks = [&](int threads) { return dim3(static_cast<unsigned>(ceil_div(threads, block))); };
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    const dim3 threads(static_cast<unsigned>(block));
    context.launch("column scan", scan_columns<Input, Sum>, {blocks(input.width), threads}, input, output);
    context.launch("row scan", scan_rows<Sum>, {blocks(input.height), threads}, output);
  });
}

constexpr Parameter parameters[] = {choice("block", "64,128,256,512", "threads per block")};

}  // namespace

extern constinit const SatAlgorithm sat_2r2w{
    .name = "2r2w",
    .year = 2018,
    .paper = "Emoto et al., An Optimal Parallel Algorithm for Computing the Summed Area Table on the GPU, sec. I.B",
    .idea = "One thread per column, then one thread per row: the plain baseline, slow because rows are read with a stride.",
    .reads = "2",
    .writes = "2",
    .traffic = traffic_of_two_passes,
    .parameters = parameters,
    .run = run,
};

}  // namespace gpu::sat
