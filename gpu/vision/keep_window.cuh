// keep_window(): the end of every search on a GPU: what becomes of a window that passed all stages.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/vision/window_search.h"

namespace gpu::vision {

// The same by words instead of bits. `words`: the bitmap of the window's row.
__device__ inline int rejections_before(const std::uint32_t* words, int x) {
  int word = x >> 5;
  const int bits = x & 31;
  const auto ones_at_end = [](unsigned bits_of_run) {
    return bits_of_run == ~0u ? 32 : __clz(static_cast<int>(~bits_of_run));
  };
  int run = bits > 0 ? min(ones_at_end(words[word] << (32 - bits)), bits) : 0;
  if (run == bits)
    while (--word >= 0) {
      const int ones = ones_at_end(words[word]);
      run += ones;
      if (ones < 32) break;
    }
  return run;
}

// Lists the window unless OpenCV skips it.
__device__ inline void keep_window(const WindowSearch& search, const LevelPoint& window) {
  const auto& level = search.places[window.level];
  const auto* words = search.rejected + level.first_word +
                      static_cast<std::size_t>(window.y) * static_cast<std::size_t>(level.row_words);
  if (!is_visited(rejections_before(words, window.x))) return;
  const unsigned at = atomicAdd(&search.counters->found, 1u);
  if (at < search.found_capacity) search.found[at] = window;
}

}  // namespace gpu::vision
