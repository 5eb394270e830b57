// A sum and a tag that says what the sum is, in one word of global memory: 8 bytes for sums of 4 bytes, 16 for sums of 8. The
// word is written and read by one relaxed instruction at GPU scope (relaxed_word.cuh): a block that sees the tag also sees the
// sum, and no fence is needed.
//
// What a tag means is up to the user: the status of a look-back (look_back.cuh), or the number of the run that wrote the word,
// so that words of earlier runs need not be cleared (tagged_sums.cuh). All-zero memory has the tag 0.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "gpu/sat/block/relaxed_word.cuh"

namespace gpu::sat {
namespace detail {

template <int SumBytes>
struct WordFor;
template <>
struct WordFor<4> {
  using Word = std::uint64_t;
  using Bits = std::uint32_t;
};
template <>
struct WordFor<8> {
  using Word = unsigned __int128;
  using Bits = std::uint64_t;
};

}  // namespace detail

// What a word holds.
template <class Sum>
struct Tagged {
  Sum value;
  std::uint32_t tag;
};

// One word in global memory: the value in the low half, the tag in the high half.
template <class Sum>
struct alignas(2 * sizeof(Sum)) TaggedWord {
  using Word = typename detail::WordFor<sizeof(Sum)>::Word;
  using Bits = typename detail::WordFor<sizeof(Sum)>::Bits;
  Bits value, tag;

  __device__ void publish(std::uint32_t its_tag, Sum sum) {
    Bits bits;
    memcpy(&bits, &sum, sizeof bits);
    store_word(this, static_cast<Word>(its_tag) << (8 * sizeof(Bits)) | bits);
  }
  __device__ Tagged<Sum> read() const {
    Word word;
    load_word(this, word);
    const auto bits = static_cast<Bits>(word);
    Tagged<Sum> tagged;
    memcpy(&tagged.value, &bits, sizeof bits);
    tagged.tag = static_cast<std::uint32_t>(word >> (8 * sizeof(Bits)));
    return tagged;
  }
};

}  // namespace gpu::sat
