// Cascades on tiles for every processor of this build.
#include "gpu/vision/host_tile_simd.h"

namespace gpu::vision {

extern constinit const HostCode host_code_baseline{"baseline", lanes, search_of_this_file};

}  // namespace gpu::vision
