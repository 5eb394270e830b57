#include "gpu/sat/block/row_scan.h"

#include <vector>

namespace gpu::sat {

extern const RowScan row_scan_baseline;
#ifdef __x86_64__
extern const RowScan row_scan_avx2, row_scan_avx512;
#endif

std::span<const RowScan* const> row_scans_here() {
  static const auto here = [] {
    std::vector<const RowScan*> variants{&row_scan_baseline};
#ifdef __x86_64__
    // Exactly the features for which gpu/sat/block/row_scan.cmake compiles them. This also checks that the operating system
    // saves the registers.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) variants.push_back(&row_scan_avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      variants.push_back(&row_scan_avx512);
#endif
    return variants;
  }();
  return here;
}

}  // namespace gpu::sat
