// brlt_scanrow: transpose in registers, then a serial scan in each thread; twice.
//
// Paper: Chen, Wahib, Takizawa, Takano, Matsuoka, Efficient Algorithms for the Summed Area Tables Primitive on GPUs, IEEE
// CLUSTER 2018 (003), sec. IV.B, Fig. 3.
// Idea: a warp holds 32 x 32 pixels, 32 per thread. After their transpose each thread has a row, and scans it without
// exchanging data with others. The result is stored transposed, so that a second run of the same kernel scans the columns.
//
//      rows of the image        registers            one thread per row   transposed table
//      ----------->        | 32 x 32 per warp | ->   serial scan     ->   |  |  |
//      ----------->        | 32 x 32 per warp |      + carry of the       v  v  v
//                                                    previous warps
//
// Kernels: 2, the same. Traffic: 2 reads and 2 writes per pixel, all coalesced; a transposed table in scratch memory.
// Synchronisation: barriers within a block, which has 32 whole rows to itself.
//
// Departures (brlt.cuh):
// - The next matrix is loaded while this one is scanned. To have registers for it, a block has 16 warps, not 32 (8, not 16,
//   if sums have 8 bytes). Half as many for images of 6400 rows or more, so that a multiprocessor can hold more blocks, and
//   if the GPU has too little shared memory.
// - Bytes are loaded and held four per register (PackedMatrix): 8 loads per lane and matrix, not 32.
// - Every warp has its own transpose buffer, because shared memory now holds all of them.
// - The paper scans the warps' partial sums in shared memory, and then each warp reads its own (sec. IV, "Partial Sum
//   Scan", steps 2 and 3). Here each warp adds the partial sums of the previous warps: one barrier per step, not three.
#include "gpu/sat.h"
#include "gpu/sat/block/brlt.cuh"
#include "gpu/sat/block/traffic.h"

namespace gpu::sat {
namespace {

struct TransposeThenScan {
  static constexpr bool before_transpose = false;
  template <class Sum>
  static __device__ void rows(Sum (&)[matrix_side]) {}
  template <class Sum>
  static __device__ void columns(Sum (&data)[matrix_side]) {
    serial_scan(data);
  }
};

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments&) {
  visit_usual_sat_type(image, sat, [&](auto input, auto output) { launch_brlt<TransposeThenScan>(context, input, output); });
}

}  // namespace

extern constinit const SatAlgorithm sat_brlt_scanrow{
    .name = "brlt_scanrow",
    .year = 2018,
    .paper = "Chen et al., Efficient Algorithms for the Summed Area Tables Primitive on GPUs, sec. IV.B",
    .idea =
        "Each warp transposes 32 x 32 pixels in registers, then each thread scans a row alone; the same again for columns.",
    .reads = "2",
    .writes = "2",
    .traffic = traffic_of_two_passes,
    .run = run,
};

}  // namespace gpu::sat
