#include "gpu/pictures/host_vectors.h"

namespace gpu {
namespace {

std::size_t variants_here() {
#ifdef SATSCOPE_HOST_VARIANTS
  // This also checks that the operating system saves the registers.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return 1;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl")
             ? 3
             : 2;
#else
  return 1;
#endif
}

}  // namespace

std::span<const HostVectors> host_vectors_here() {
  static constexpr HostVectors all[] = {HostVectors::baseline, HostVectors::avx2, HostVectors::avx512};
  static const auto count = variants_here();
  return std::span(all).first(count);
}

}  // namespace gpu
