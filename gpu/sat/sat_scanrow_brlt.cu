// scanrow_brlt: a warp scan of each row, then the transpose in registers; twice.
//
// Paper: Chen, Wahib, Takizawa, Takano, Matsuoka, Efficient Algorithms for the Summed Area Tables Primitive on GPUs, IEEE
// CLUSTER 2018 (003), sec. IV.A.
// Idea: scan-transpose-scan, without a pass for the transpose: the 32 x 32 pixels a warp holds are scanned row by row
// across its lanes, transposed in registers and stored transposed, so that the same kernel run again scans the columns.
//
//      rows of the image      a row in the lanes        registers        transposed table
//      ----------->           32 warp scans       ->    transpose   ->   |  |  |
//      ----------->                                     + carry          v  v  v
//
// Kernels: 2, the same. Traffic: 2 reads and 2 writes per pixel, all coalesced; a transposed table in scratch memory.
// Synchronisation: barriers within a block, which has 32 whole rows to itself.
//
// It differs from brlt_scanrow only in the scan: 5 shuffles and additions for each of the 32 rows of a matrix, while the
// other needs 31 additions and no shuffle; the paper shows the effect of that difference. Departures: as there (brlt.cuh),
// without packed bytes, because here rows are scanned while each lane holds one column.
#include "gpu/sat.h"
#include "gpu/sat/block/brlt.cuh"
#include "gpu/sat/block/traffic.h"

namespace gpu::sat {
namespace {

template <class WarpScan>
struct ScanThenTranspose {
  static constexpr bool before_transpose = true;
  template <class Sum>
  static __device__ void rows(Sum (&data)[matrix_side]) {
#pragma unroll
    for (int j = 0; j < matrix_side; ++j) data[j] = WarpScan::scan(data[j]);
  }
  template <class Sum>
  static __device__ void columns(Sum (&)[matrix_side]) {}
};

void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  visit_usual_sat_type(image, sat, [&](auto input, auto output) {
    visit_warp_scan(arguments.text("scan"),
                    [&]<class WarpScan>() { launch_brlt<ScanThenTranspose<WarpScan>>(context, input, output); });
  });
}

constexpr Parameter parameters[] = {choice("scan", "ladner_fischer,kogge_stone", "scan across the lanes of a warp")};

}  // namespace

extern constinit const SatAlgorithm sat_scanrow_brlt{
    .name = "scanrow_brlt",
    .year = 2018,
    .paper = "Chen et al., Efficient Algorithms for the Summed Area Tables Primitive on GPUs, sec. IV.A",
    .idea =
        "Each warp scans rows of 32 pixels across its lanes and transposes them in registers; the same again for columns.",
    .reads = "2",
    .writes = "2",
    .traffic = traffic_of_two_passes,
    .parameters = parameters,
    .run = run,
};

}  // namespace gpu::sat
