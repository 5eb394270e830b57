// A sum and a tag that says what the sum is, in one word of global memory: 8 bytes for sums of 4 bytes, 16 for sums of 8. The
// word is written and read by one relaxed instruction at GPU scope (intrinsics.cuh): a block that sees the tag also sees the
// sum, and no fence is needed.
//
// What a tag means is up to the user: the status of a look-back (look_back.cuh), or the number of the run that wrote the word,
// so that words of earlier runs need not be cleared. All-zero memory has the tag 0.
//
// sum_of_words() adds up what several blocks have published, in one thread: it reads several words at once, and those that have not
// yet come again, so that it waits for the slowest block, not for one after another. How long it waits is up to the user, too
// (look_back_walk.h: Endless, PollBudget).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/look_back_walk.h"

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

// The words first[k * step] for k = begin, begin + stride, ... below `end`.
template <class Sum>
struct Places {
  const TaggedWord<Sum>* first;
  int step, begin, end, stride;
};

// The next `Count` of the places, read at once.
template <class Sum, int Count>
class Batch {
 public:
  // Nothing is left to read where there are no more places. `tag` is not 0.
  __device__ Batch(const Places<Sum>& places, std::uint32_t tag) {
#pragma unroll
    for (int b = 0; b < Count; ++b) seen_[b] = {Sum(0), places.begin + b * places.stride < places.end ? 0 : tag};
  }
  // Reads the words that have not come yet. Returns whether some are still missing.
  __device__ bool poll(const Places<Sum>& places, std::uint32_t tag) {
    // Hides from the compiler that the addresses are the same each time: it would keep them all in registers.
    auto at = static_cast<std::uint32_t>(places.begin * places.step);
    asm volatile("" : "+r"(at));
#pragma unroll
    for (int b = 0; b < Count; ++b) {
      if (seen_[b].tag != tag) seen_[b] = places.first[at].read();
      at += static_cast<std::uint32_t>(places.stride * places.step);
    }
    bool missing = false;
#pragma unroll
    for (int b = 0; b < Count; ++b) missing |= seen_[b].tag != tag;
    return missing;
  }
  template <class Total>
  __device__ void add_to(Total& sum) const {
#pragma unroll
    for (int b = 0; b < Count; ++b) sum += seen_[b].value;
  }

 private:
  Tagged<Sum> seen_[Count];
};

// The sums of two neighbouring lines, from words that hold both.
template <class Sum>
struct TwoSums {
  Sum first = 0, second = 0;

  static __device__ std::uint32_t word(Sum first, Sum second) { return first | second << 16; }
  __device__ TwoSums& operator+=(std::uint32_t word) {
    first += word & 0xffffu;
    second += word >> 16;
    return *this;
  }
};

// Words read at once: 64 bytes, which are 16 registers.
template <class Sum>
inline constexpr int words_at_once = static_cast<int>(64 / sizeof(TaggedWord<Sum>));

// The sum of the words, added in their order, each when it has the tag; a part of it if `budget` is spent. Total: Sum, or
// TwoSums.
template <class Total, class Sum, class Waiting>
__device__ Total sum_of_words(Places<Sum> places, std::uint32_t tag, Waiting& budget) {
  constexpr int count = words_at_once<Sum>;
  Total sum{};
  for (; places.begin < places.end; places.begin += count * places.stride) {
    Batch<Sum, count> batch(places, tag);
    while (batch.poll(places, tag))
      if (!budget.poll_again()) return sum;
    batch.add_to(sum);
  }
  return sum;
}

// As sum_of_words(), for two lists polled together; most of the words read at once are of `a`. Together they are no more than
// sum_of_words() reads, which is also as many as a thread of the simulated GPU may poll in turn.
template <class Word, class Total, class Sum, class Waiting>
__device__ void add_words(Places<Word> a, Total& sum_a, Places<Sum> b, Sum& sum_b, std::uint32_t tag, Waiting& budget) {
  static_assert(sizeof(Word) == sizeof(Sum));
  constexpr int count_b = words_at_once<Sum> / 4, count_a = words_at_once<Sum> - count_b;
  while (a.begin < a.end || b.begin < b.end) {
    Batch<Word, count_a> batch_a(a, tag);
    Batch<Sum, count_b> batch_b(b, tag);
    bool missing = true;
    while (missing) {
      missing = batch_a.poll(a, tag);
      missing |= batch_b.poll(b, tag);
      if (missing && !budget.poll_again()) return;
    }
    batch_a.add_to(sum_a);
    batch_b.add_to(sum_b);
    a.begin += count_a * a.stride;
    b.begin += count_b * b.stride;
  }
}

}  // namespace gpu::sat
