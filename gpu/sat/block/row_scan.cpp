#include "gpu/sat/block/row_scan.h"

#include <type_traits>

#define HOST_VARIANTS_OF "gpu/sat/block/row_scan_simd.h"
#include "gpu/pictures/host_variants.h"

namespace gpu::sat {

std::span<const RowScan* const> row_scans_here() {
  static constexpr const RowScan* all[] = {&baseline::row_scan,
#ifdef SATSCOPE_HOST_VARIANTS
                                           &avx2::row_scan, &avx512::row_scan
#endif
  };
  return std::span(all).first(host_vectors_here().size());
}

}  // namespace gpu::sat
