// scan_transpose_naive: one thread per row, transpose, one thread per row, transpose.
//
// Paper: Bugetti, Integral Image with CUDA (2024, 001), sec. 2.2, kernels SumRows and Transpose.
// Idea: both directions are scanned along rows, with a transpose in between and one at the end.
//
//      ---->            | | |          ---->              | | |
//      ---->  transpose v v v  = rows  ---->   transpose  v v v
//
// Kernels: 4. Traffic: 4 reads and 4 writes per pixel; a transposed table in scratch memory. Synchronisation: the kernel
// boundaries. A warp of SumRows reads 32 rows at once, one stride apart. This is the paper's naive version, kept naive: it
// caches nothing that the paper's does not cache.
//
// Departure: the first pass reads the image and writes the table, while the paper's works in place on 32-bit words. As in
// the paper, each entry adds the previous one; the compiler decides whether that is loaded again.
#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

template <class Input, class Sum>
__global__ void sum_rows(ImageView<const Input> image, ImageView<Sum> sums) {
  const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (y >= image.height) return;
  sums(0, y) = term<Sum>(image(0, y));
  for (int x = 1; x < image.width; ++x) sums(x, y) = sums(x - 1, y) + term<Sum>(image(x, y));
}

template <class Input, class Sum>
void launch_sum_rows(Context& context, ImageView<const Input> image, ImageView<Sum> sums, int block) {
  context.launch("row sums", sum_rows<Input, Sum>,
                 {dim3(static_cast<unsigned>(ceil_div(image.height, block))), dim3(static_cast<unsigned>(block))}, image,
                 sums);
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  const int block = arguments.integer("block"), rows = arguments.integer("rows");
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<32, BlockOrder::diagonal>(
        context, input, output, rows, [&](auto from, auto to) { launch_sum_rows(context, from, to, block); });
  });
}

// As the source is written: each sum except a row's last is read again, unless the compiler keeps it in a register.
Traffic traffic(Size size, SatType type, const Arguments&, const GpuLimits&) {
  return two_scans_and_transposes(size, type, [](Size of, std::uint64_t from, std::uint64_t to) {
    return one_pass(of.pixels(), from, to) + Traffic{Size{of.width - 1, of.height}.pixels() * to, 0, 0};
  });
}

constexpr Parameter parameters[] = {choice("block", "64,256,512", "rows, and threads, per block"),
                                    choice("rows", "8,16", "threads down a tile of the transpose")};

}  // namespace

extern constinit const SatAlgorithm sat_scan_transpose_naive{
    .name = "scan_transpose_naive",
    .year = 2024,
    .paper = "Bugetti, Integral Image with CUDA, sec. 2.2, SumRows",
    .idea = "One thread per row sums it; transpose; one thread per row again; transpose back.",
    .reads = "4",
    .writes = "4",
    .traffic = traffic,
    .parameters = parameters,
    .run = run,
};

}  // namespace gpu::sat
