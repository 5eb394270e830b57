// What was tuned by measurement: when a kernel is launched, one row per GPU architecture, with the cards; and what is compiled into
// kernels, the same for all. To tune another GPU, add its row (gpu/benchmarks/README.md says how to measure). What an algorithm's
// parameters offer stands in its file, and so do the shapes of its tiles, from which its code follows.
#pragma once

#include <cstddef>
#include <string_view>

#include "gpu/cuda/device.h"

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

// A thread that may wait for a block which has not started (look_back_walk.h: PollBudget) rests between polls, after so many
// in vain, for so many nanoseconds: polls keep the memory busy for blocks that have started. Threads whose words come soon
// poll without rests.
inline constexpr int polls_without_rest = 64;
inline constexpr unsigned rest_between_polls = 100;

// What is compiled into kernels. `input`, `sum`: bytes of a pixel and of a sum.

// Resident blocks per multiprocessor to compile for; 0: the compiler may choose.
//
// Tiles with look-back: with W = 128, a third block makes byte images faster, but not images of words, whose tiles do not fit in the
// 80 registers per thread that remain. With twice the bands, two blocks have 64 registers per thread.
constexpr int blocks_of_look_back(std::size_t input, std::size_t sum, int W, bool twice_the_bands) {
  if (W < 128 || sum == 8) return 1;
  return input == 1 && !twice_the_bands ? 3 : 2;
}
// decoupled_fallback: at most; a third one only where its registers suffice.
constexpr int most_blocks_of_fallback(bool floating) { return floating ? 2 : 3; }
// row_waves: 8-byte sums need more registers.
constexpr int blocks_of_row_waves(std::size_t sum) { return sum == 8 ? 3 : 4; }
// one_wave: as many as have the registers for their tiles, of `warps` times `rows` rows, but no more than two of tiles with 4 rows
// per warp or fewer: the sums that a launch reads grow with the square of its tiles, and larger images have higher tiles.
constexpr int blocks_of_one_wave(int warps, int rows, std::size_t input, std::size_t sum, bool floating) {
  if (rows == 16) return input == 8 ? 1 : input == 4 || sum == 8 ? 2 : floating ? 3 : 4;
  if (rows == 8) return sum == 8 ? 2 : 3;
  return input == 8 && rows == 4 && warps == 16 ? 1 : 2;
}
// 1r1w_skss: the compiler does not know that shared memory has room for one only, and would save registers for several.
constexpr int blocks_of_skss(int W) { return W == 128 ? 1 : 0; }

// one_wave: the tiles (wave::shapes) among which `auto` chooses, the lowest first: where each tile has a multiprocessor of its own,
// and where several share one. More threads load a tile that is alone.
inline constexpr int waves_alone[] = {1, 3, 4}, waves_sharing[] = {1, 2, 4};

// one_wave, batches: all images have tiles of one shape, whatever their size: few enough of them that their sums are no burden, and so
// many that a launch of some images occupies every multiprocessor. More blocks are resident than in a launch of one image: while some
// wait for sums, others load and store.
inline constexpr int shape_of_batch = 2;
constexpr int blocks_of_wave_batch(std::size_t input, std::size_t sum, bool floating) {
  if (sum == 8) return 2;
  return input == 1 && !floating ? 4 : 3;
}
// How many tiles such a launch has at most, which is how many have words: as many pixels as an image of 8192 x 4096 has.
inline constexpr int most_tiles_of_batch = 4096;

// Up to so many tiles per multiprocessor the latency of one block dominates, and tiles with look-back have twice the threads.
inline constexpr int few_tiles_per_multiprocessor = 2;

// Polls in vain, of a usual block's time, before a block turns to the fallback, or a thread of a plain launch gives up.
inline constexpr int polls_of_row_waves = 1, polls_of_fallback = 2, polls_of_one_wave = 2;

// 1r1w_skss: bytes of tiles that are in shared memory, or on their way.
constexpr std::size_t staged_bytes_of_skss(int W) { return (W == 128 ? 192 : 96) * std::size_t{1024}; }

// Local sums of bytes are dot products from so many pixels on: a kernel then waits for its arithmetic.
inline constexpr std::size_t pixels_of_dot_products = 12'000'000;

// The row scans of Chen et al.: warps per block, each with a matrix of 32 rows and 32 columns. The paper's 1024 threads of 32
// registers leave none for the next matrix, which is loaded while this one is scanned: so half as many warps, a quarter for 8-byte
// sums.
constexpr int warps_of_brlt(std::size_t sum) { return sum == 8 ? 8 : 16; }
// Rows from which on an image has enough of them for more than one block per multiprocessor. Blocks then have half the warps, so that
// one block stores while another loads.
inline constexpr int tall_image = 200 * 32;

constexpr bool is_small_launch(int blocks, const GpuLimits& limits) {
  return blocks * tuning_for(limits).small_launch <= limits.multiprocessors;
}

}  // namespace gpu::sat
