// What was tuned by measurement: one row per GPU architecture, with the cards. Whoever has
// another one adds its row (gpu/benchmarks/README.md says how to measure). What is compiled into kernels (sides of tiles, blocks
// per multiprocessor) is not here: it stands beside them.
#pragma once

#include <cstddef>
#include <string_view>

#include "gpu/device.h"

namespace gpu::sat {

// While a block loads its tile, it also fetches the one that is some tiles later into the L2 cache, so that the later block finds
// it there. A tile that is fetched too early falls out of the cache before it is loaded.
struct FetchAhead {
  std::size_t tiles;      // so many, but
  std::size_t l2_share;   // together at most 1 / l2_share of the L2 cache
  std::size_t l2_caches;  // none for an image larger than this many: it would push out the words that blocks publish

  constexpr int of(std::size_t tile_bytes, std::size_t image_bytes, std::size_t l2_bytes) const {
    if (image_bytes > l2_caches * l2_bytes) return 0;
    const std::size_t most = l2_bytes / l2_share / tile_bytes;
    return static_cast<int>(tiles < most ? tiles : most);
  }
};

struct Tuning {
  int major;  // compute capability
  std::string_view
      card;  // measured on; fetching ahead on an H100, its limit for images also on an H200, the rest on an H200

  // Tiles in the order of diagonals, up to 16 KB and larger; in the order of rows, where those ahead are neighbours in memory.
  FetchAhead small_tiles, large_tiles, row_of_tiles;
  // About what a tile takes from its first load to its last store, in clocks (StaggeredStart). Those of batches are estimates.
  int clocks_of_row_waves, clocks_of_fallback, clocks_of_floating_fallback, clocks_of_batch, clocks_of_floating_batch;
  // A launch of at most multiprocessors / this many blocks is small. 1r1w: it may start before the one before it has ended.
  // one_wave: it may be a plain one, which starts sooner than a cooperative one, and usually is resident as a whole all the same.
  int small_launch;
};

// In the order of `major`.
inline constexpr Tuning tunings[] = {
    {9, "NVIDIA H100 and H200", {80, 16, 20}, {40, 16, 20}, {80, 12, 16}, 14000, 9000, 15000, 5000, 7000, 4},
};

// The row of the newest architecture that is not newer than the GPU's; of the oldest one if there is none.
constexpr const Tuning& tuning_for(const GpuLimits& limits) {
  const Tuning* found = &tunings[0];
  for (const auto& tuning : tunings)
    if (tuning.major <= limits.major) found = &tuning;
  return *found;
}

// How long a thread rests between polls in vain for a word of another block (look_back_walk.h). Compiled into kernels.
struct PollRests {
  int polls;           // without a rest
  int first, longest;  // nanoseconds: each rest is twice as long as the one before. 0: never

  constexpr int after(int polls_in_vain) const {
    if (first == 0 || polls_in_vain <= polls) return 0;
    if (first >= longest) return longest;
    const int doubled = polls_in_vain - polls - 1;
    return doubled < 16 && (first << doubled) < longest ? first << doubled : longest;
  }
};
// Of threads whose words come soon, and of those that may wait for a block that has not started: polls of these keep the memory busy
// for those that have.
inline constexpr PollRests usual_rests{0, 0, 0}, rests_with_patience{64, 100, 100};

constexpr bool is_small_launch(int blocks, const GpuLimits& limits) {
  return blocks * tuning_for(limits).small_launch <= limits.multiprocessors;
}

}  // namespace gpu::sat
