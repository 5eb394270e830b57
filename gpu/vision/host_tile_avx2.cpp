// Cascades on tiles for processors that have AVX2.
#include "gpu/vision/host_tile_simd.h"

namespace gpu::vision {

extern constinit const HostCode host_code_avx2{"avx2", lanes, search_of_this_file};

}  // namespace gpu::vision
