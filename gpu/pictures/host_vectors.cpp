#include "gpu/pictures/host_vectors.h"

#include <vector>

namespace gpu {

std::span<const HostVectors> host_vectors_here() {
  static const auto here = [] {
    std::vector vectors{HostVectors::baseline};
#ifdef __x86_64__
    __builtin_cpu_init();
    if (detail::has_vector_loops && __builtin_cpu_supports("avx2")) vectors.push_back(HostVectors::avx2);
    if (detail::has_vector_loops && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      vectors.push_back(HostVectors::avx512);
#endif
    return vectors;
  }();
  return here;
}

}  // namespace gpu
