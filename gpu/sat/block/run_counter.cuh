// RunCounter: the number of a launch, counted on the device. If only the blocks of one launch read the tagged words
// (tagged_word.cuh) that they write, each launch takes a new tag, and words need not be cleared between launches: a word of an
// earlier launch has another tag. The host counts nothing, so that a captured launch may be replayed.
//
//   every block     tag() at its start, arrive() after all of its threads have read the last word they need
//   the last block  to arrive: begin_next()
//
// The tag is the same for all blocks of a launch: it changes in begin_next() only, when all of them have arrived, and so have
// read it. The next launch on the stream starts after that one has ended, and sees the new tag.
//
// Tags are 1 .. 2^32 - 1; all-zero memory has the tag 0. After the last one begin_next() clears all words and starts again
// from 1, so that no word is left from a launch that had the same tag. By then nobody uses the words: every block has arrived,
// and fences put what it has published before the clearing. One thread clears, which may take a second, once in four thousand
// million launches.
//
// A launch that was aborted leaves a wrong count of arrivals: then all of the memory has to be cleared, as for the first launch
// (PersistentMemory::distrust()).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/sat/block/tagged_word.cuh"

namespace gpu::sat {

// In global memory, zeroed before the first launch together with the words.
struct alignas(16) RunCounter {
  static constexpr std::uint32_t last_tag = ~std::uint32_t{0};

  std::uint64_t launches;  // completed since the words were cleared: a word of relaxed_word.cuh
  unsigned arrived;        // blocks of the current launch

  __device__ std::uint32_t tag() const {
    std::uint64_t completed;
    load_word(&launches, completed);
    return static_cast<std::uint32_t>(completed) + 1;
  }
  // By one thread of each block, behind a barrier that follows the block's last access to a word. True in the last one of
  // `blocks`.
  __device__ bool arrive(unsigned blocks, std::uint32_t tag) {
    if (tag == last_tag) __threadfence();
    return atomicAdd(&arrived, 1u) + 1 == blocks;
  }
  // By the thread for which arrive() was true. `words`: all that have ever been published with this counter's tags.
  template <class Sum>
  __device__ void begin_next(unsigned blocks, std::uint32_t tag, TaggedWord<Sum>* words, std::size_t count) {
    atomicAdd(&arrived, 0u - blocks);
    if (tag == last_tag) {
      __threadfence();
      for (std::size_t i = 0; i < count; ++i) words[i].publish(0, Sum(0));
    }
    store_word(&launches, static_cast<std::uint64_t>(tag == last_tag ? 0 : tag));
  }
};

}  // namespace gpu::sat
