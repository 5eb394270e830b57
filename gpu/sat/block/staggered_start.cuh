// A staggered start: the blocks that are resident first begin one after another. If all began at once, they would load at
// once, wait at once and store at once, and memory would be idle in between, for as long as it takes them to fall out of
// step.
#pragma once

#include <cuda_runtime.h>

namespace gpu::sat {

// Each of the first `blocks` blocks waits for its number times `clocks` of its multiprocessor. No time passes on the
// simulated GPU.
struct StaggeredStart {
  int blocks, clocks;

  // By all threads of block number `block`, 0, 1, ...
  __device__ void wait_for_turn([[maybe_unused]] int block) const {
#ifdef __CUDACC__
    if (block >= blocks) return;
    const long long begun = clock64(), wait = static_cast<long long>(block) * clocks;
    while (clock64() - begun < wait) {}
#endif
  }
};

// About the time that a tile takes from its first load to its last store, divided among the blocks that are resident at first.
// Where a kernel needs fewer registers than allowed, more are resident; those start at once. So do all where a good part of the
// multiprocessors would be idle anyway: there a block that waits only ends later.
inline StaggeredStart staggered_start(int tiles, int resident, int clocks_of_tile) {
  const int blocks = tiles < resident ? tiles : resident;
  return 4 * tiles > 3 * resident ? StaggeredStart{blocks, clocks_of_tile / blocks} : StaggeredStart{0, 0};
}

}  // namespace gpu::sat
