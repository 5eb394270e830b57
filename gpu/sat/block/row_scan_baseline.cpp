// The row scans for every processor of this build.
#include "gpu/sat/block/row_scan_simd.h"

namespace gpu::sat {

extern constinit const RowScan row_scan_baseline = row_scan_of_this_file("baseline");

}  // namespace gpu::sat
