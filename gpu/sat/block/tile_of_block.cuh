// Kernels whose block b takes tile b at once, without a ticket: how their blocks start, and the fallback of a block that waits
// too long for another one, in row_waves and one_wave. sat_decoupled_fallback.cu has its own, and says why every block ends.
#pragma once

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/image.h"

namespace gpu::sat {

// A staggered start: the blocks that are resident first begin one after another. If all began at once, they would load at
// once, wait at once and store at once, and memory would be idle in between, for as long as it takes them to fall out of
// step.
// Each of the first `blocks` blocks waits for its number times `clocks` of its multiprocessor.
struct StaggeredStart {
  int blocks, clocks;

  // By all threads of block number `block`, 0, 1, ...
  __device__ void wait_for_turn(int block) const {
    if (block < blocks) wait_for_clocks(static_cast<long long>(block) * clocks);
  }
};

// About the time that a tile takes from its first load to its last store, divided among the blocks that are resident at first.
// Where a kernel needs fewer registers than allowed, more are resident; those start at once. So do all where a good part of
// the multiprocessors would be idle anyway: there a block that waits only ends later.
inline StaggeredStart staggered_start(int tiles, int resident, int clocks_of_tile) {
  const int blocks = tiles < resident ? tiles : resident;
  return 4 * tiles > 3 * resident ? StaggeredStart{blocks, clocks_of_tile / blocks} : StaggeredStart{0, 0};
}

// Which tile a block takes, and how long it waits for others.
struct TilesOfBlocks {
  bool backward;   // the last tile first, for tests
  int most_polls;  // in vain, before the block turns to the fallback

  // The number of the block's own tile among so many.
  __device__ int own(int tiles) const {
    const int block = static_cast<int>(blockIdx.x);
    return backward ? tiles - 1 - block : block;
  }
};

// The fallback, by all threads of the block: computes and publishes the sums of all tiles before the block's own one, in the
// order of their numbers, and then the own tile. Tiles whose sums are published by others are left out. Not inlined, and with
// arguments by value: what hardly ever runs must not cost what nearly always runs a register.
//
// A TileType is made of the block's shared memory, its OfBlock, of what it must know of the launch, and of a number.
//   own_tile(launch)     the number of the block's tile
//   is_published()       whether all its sums are, by whoever computed them; by all threads
//   load_and_sum(...)    its local sums into shared memory; a barrier follows
//   publish(own)         publishes its sums, and finds its carries if it is the block's own tile
// The next tile writes to shared memory again: publish() ends, or is_published() begins, with a barrier.
template <class TileType, class Input, class Sum, class Launch, class Aligned, class Trace>
[[gnu::noinline]] __device__ void fall_back(ImageView<const Input> image, ImageView<Sum> sat, Launch launch, Aligned aligned,
                                            Trace trace) {
  auto& shared = static_shared<typename TileType::OfBlock>();
  const int own = TileType::own_tile(launch);
  for (int number = 0; number <= own; ++number) {
    TileType tile(shared, launch, number);
    if (tile.is_published() && number < own) continue;
    tile.load_and_sum(image, aligned.image);
    __syncthreads();
    tile.publish(number == own);
    if (number == own) tile.store_table(sat, aligned.sat, trace);
  }
}

}  // namespace gpu::sat
