// Compiles the header HOST_VARIANTS_OF for each of HostVectors: it is included after simd.h, and both stand in a namespace
// HOST_VECTORS, which is `baseline`, `avx2` or `avx512`. Functions of other headers, which the including file includes before, are
// compiled for every processor, whoever calls them.

#include <cstdint>
#include <cstring>
#include <utility>

#include "gpu/pictures/host_vectors.h"

#ifdef __SSE2__
// GCC 12 warns of uninitialised operands that are intended in its own header (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

// Functions that take vectors are local, so that their calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

#define HOST_VECTORS baseline
#if defined(__AVX512BW__)
#define SIMD_LANES 16
#elif defined(__AVX2__)
#define SIMD_LANES 8
#else
#define SIMD_LANES 4
#endif
#include "gpu/pictures/simd.h"
#include HOST_VARIANTS_OF
#undef HOST_VECTORS
#undef SIMD_LANES

#ifdef SATSCOPE_HOST_VARIANTS
#pragma GCC push_options
#pragma GCC target("avx2")
#define HOST_VECTORS avx2
#define SIMD_LANES 8
#include "gpu/pictures/simd.h"
#include HOST_VARIANTS_OF
#undef HOST_VECTORS
#undef SIMD_LANES
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#define HOST_VECTORS avx512
#define SIMD_LANES 16
#include "gpu/pictures/simd.h"
#include HOST_VARIANTS_OF
#undef HOST_VECTORS
#undef SIMD_LANES
#pragma GCC pop_options
#endif
#undef HOST_VARIANTS_OF
