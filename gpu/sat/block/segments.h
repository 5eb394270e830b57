// How lines of prefix sums are shared out among threads.
#pragma once

#include <algorithm>

namespace gpu::sat {

// So many entries of a line does a thread read ahead of its adds: 128 bytes (instead of 32: 2R1W 1%, ha_blocks 3% faster at
// 4096 x 4096 on an H200), or what the 64 registers have room for that are left to each of 1024 threads.
template <class Sum, int Threads>
inline constexpr int entries_ahead = static_cast<int>((Threads > 512 ? 64 : 128) / sizeof(Sum));

// Threads of a block share a line: 2^shift of them, its `parts`. They take `entries` of it each, one after another, all at
// once; then the same from there on, until the line is done. A round costs a trip to memory, so that lines are shared where
// threads are idle otherwise.
struct Segments {
  int shift, entries, rounds;

  // For `lines` lines of up to `length` entries, where `threads` threads are idle otherwise, in blocks of `Threads`: as many
  // parts as take a line in one round, while there are threads for them, and 32 lines or more in a block: those are neighbours
  // in memory (all but the corners' rows), and so a warp's.
  template <class Sum, int Threads>
  static constexpr Segments of(int lines, int length, int threads) {
    constexpr int ahead = entries_ahead<Sum, Threads>, most = Threads / 32;
    int shift = 0;
    while ((ahead << shift) < length && (2 << shift) <= most && lines <= threads / (2 << shift)) ++shift;
    const int parts = 1 << shift, entries = std::min(ahead, (length + parts - 1) / parts);
    const int round = std::max(1, parts * entries);
    return {shift, entries, (length + round - 1) / round};
  }

  constexpr int parts() const { return 1 << shift; }
};

}  // namespace gpu::sat
