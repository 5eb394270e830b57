// cub: the library's block-wide scan along rows, transpose, scan, transpose.
//
// Peer: CUB (part of NVIDIA's CCCL), cub::BlockScan with cub::BlockLoad and cub::BlockStore.
// Idea: what a user of CUB writes who needs a summed area table. A block walks along one row, piece by piece: the library
// loads a piece, scans it with the sum of all pieces before as its prefix, and stores it.
//
//      row:  [ piece ] -> prefix -> [ piece ] -> prefix -> ...
//
// Kernels: 4: rows, transpose, rows, transpose. Traffic: 4 reads and 4 writes per pixel; a transposed table in scratch memory.
// Synchronisation: the library's barriers within a block, which has one row to itself.
// (Not kept: cub::DeviceScan::InclusiveSumByKey over all pixels as one line, with the number of the row as key.)
#ifdef __CUDACC__
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#endif

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat.h"
#include "gpu/sat/block/traffic.h"
#include "gpu/sat/block/transpose.cuh"

namespace gpu::sat {
namespace {

constexpr auto block_threads = choice<256, 128, 512>("block", "threads per block, of four pixels each");

constexpr int pixels_per_thread = 4;

#ifdef __CUDACC__
// The library's callback: the prefix of a piece, and from now on that of the next one.
template <class Sum>
struct RunningSum {
  Sum sum = 0;
  __device__ Sum operator()(Sum piece) {
    const Sum before = sum;
    sum += piece;
    return before;
  }
};

template <class Input, class Sum, int Threads>
__global__ void __launch_bounds__(Threads) block_scan_rows(ImageView<const Input> image, ImageView<Sum> sums) {
  using Load = cub::BlockLoad<Input, Threads, pixels_per_thread, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<Sum, Threads>;
  using Store = cub::BlockStore<Sum, Threads, pixels_per_thread, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  struct Shared {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
    typename Store::TempStorage store;
  };
  auto& shared = static_shared<Shared>();
  const int y = static_cast<int>(blockIdx.x);
  RunningSum<Sum> running;
  for (int x = 0; x < image.width; x += Threads * pixels_per_thread) {
    const int count = image.width - x;
    Input pixels[pixels_per_thread];
    Load(shared.load).Load(image.row(y) + x, pixels, count, Input(0));
    Sum prefix[pixels_per_thread];
#pragma unroll
    for (int i = 0; i < pixels_per_thread; ++i) prefix[i] = term<Sum>(pixels[i]);
    Scan(shared.scan).InclusiveSum(prefix, prefix, running);
    Store(shared.store).Store(sums.row(y) + x, prefix, count);
    __syncthreads();  // before the next piece uses the library's shared memory
  }
}
#else
// CUB comes with nvcc. Without it nothing can run, but a dry replay counts the same.
template <class Input, class Sum, int Threads>
void block_scan_rows(ImageView<const Input>, ImageView<Sum>) {}
#endif

template <class Input, class Sum>
void launch_scan(Context& context, ImageView<const Input> image, ImageView<Sum> sums, const Arguments& arguments) {
  block_threads.visit(arguments, [&]<int Threads>() {
    context.launch("row scan", block_scan_rows<Input, Sum, Threads>,
                   {dim3(static_cast<unsigned>(image.height)), dim3(Threads)}, image, sums);
  });
}

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&]<class Input, class Sum>(ImageView<const Input> input, ImageView<Sum> output) {
    scan_and_transpose_twice<32, BlockOrder::plain>(context, input, output, 8,
                                                    [&](auto from, auto to) { launch_scan(context, from, to, arguments); });
  });
}

constexpr Parameter parameters[] = {block_threads};

}  // namespace

extern constinit const SatAlgorithm sat_cub{
    .name = "cub",
    .year = 2016,
    .paper = "NVIDIA CUB, cub::BlockScan",
    .idea = "The library's block-wide scan along each row, piece by piece; transpose; again; transpose.",
    .reads = "4",
    .writes = "4",
    .traffic = traffic_of_scans_and_transposes,
    .parameters = parameters,
    .not_simulated = "its scan is made of NVIDIA's CUB library, which is not part of this source",
    .run = run,
};

}  // namespace gpu::sat
