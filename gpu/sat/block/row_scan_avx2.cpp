// The row scans for processors that have AVX2.
#include "gpu/sat/block/row_scan_simd.h"

namespace gpu::sat {

extern constinit const RowScan row_scan_avx2 = row_scan_of_this_file("avx2");

}  // namespace gpu::sat
