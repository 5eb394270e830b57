// The row scans for processors that have AVX-512 (F, BW, DQ, VL).
#include "gpu/sat/block/row_scan_simd.h"

namespace gpu::sat {

extern constinit const RowScan row_scan_avx512 = row_scan_of_this_file("avx512");

}  // namespace gpu::sat
