// The sum of what several blocks have published, by one thread: it reads several words at once, and those that have not yet
// come again, so that it waits for the slowest block, not for one after another.
#pragma once

#include <cstdint>

#include "gpu/sat/block/tagged_word.cuh"

namespace gpu::sat {

// Words read at once: 64 bytes, which are 16 registers.
template <class Sum>
inline constexpr int words_at_once = static_cast<int>(64 / sizeof(TaggedWord<Sum>));

// first[k * step] for k = begin, begin + stride, ... below `end`, each when it has the tag, which is not 0. Added in this
// order.
template <class Sum>
__device__ Sum sum_of_words(const TaggedWord<Sum>* first, int step, int begin, int end, int stride, std::uint32_t tag) {
  constexpr int count = words_at_once<Sum>;
  Sum sum = 0;
  for (int k = begin; k < end; k += count * stride) {
    Tagged<Sum> seen[count];
#pragma unroll
    for (int b = 0; b < count; ++b) seen[b] = {Sum(0), k + b * stride < end ? 0 : tag};
    bool waiting;
    do {
      // Hides from the compiler that the addresses are the same each time: it would keep them all in registers.
      auto at = static_cast<std::uint32_t>(k * step);
      asm volatile("" : "+r"(at));
#pragma unroll
      for (int b = 0; b < count; ++b) {
        if (seen[b].tag != tag) seen[b] = first[at].read();
        at += static_cast<std::uint32_t>(stride * step);
      }
      waiting = false;
#pragma unroll
      for (int b = 0; b < count; ++b) waiting |= seen[b].tag != tag;
    } while (waiting);
#pragma unroll
    for (int b = 0; b < count; ++b) sum += seen[b].value;
  }
  return sum;
}

}  // namespace gpu::sat
