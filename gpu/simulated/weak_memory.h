// WeakMemory: what relaxed loads may see. A GPU orders the relaxed stores, loads and atomics of a thread with nothing else (PTX
// ISA, "Memory Consistency Model"): another thread may see a store late, and two stores in the other order. In random schedules
// every relaxed access therefore takes one of the values that are permitted, drawn at random.
//
// Each word has the sequence of its stores, in the one order on which all threads agree. A thread never goes back: it loads the
// latest store that it knows of, or a later one, and what it stores comes after that, though perhaps before a store that it does not
// know yet. It knows of
//   its own stores, and of those that it has loaded;
//   what a thread of its block knew at a __syncthreads(), or a lane of its warp at a __syncwarp();
//   behind a fence: what others had stored, and knew, before their fences, if it has loaded a word that they stored behind them.
// Atomics read the latest store, and come after it. When the kernel ends, everything is known.
//
// Plain accesses are not delayed: the race detector reports every word that threads exchange by them without a barrier, in whatever
// order they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/simulated/device_code.h"
#include "gpu/simulated/schedule.h"

namespace gpu::simulated {

class Block;
struct Thread;
struct Warp;

// Words of 8 and 16 bytes, read and written indivisibly and unordered, like a GPU's relaxed loads and stores.
inline std::uint64_t load_word_once(const std::uint64_t* at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
inline void store_word_once(std::uint64_t* at, std::uint64_t word) { __atomic_store_n(at, word, __ATOMIC_RELAXED); }

#if defined(__x86_64__)
namespace detail {

// Processors with AVX move aligned 16 bytes indivisibly (Intel SDM vol. 3A, sec. 9.1.1; AMD states the same).
inline bool vectors_are_whole() {
  static const bool whole = __builtin_cpu_supports("avx");
  return whole;
}
// Others have CMPXCHG16B. It writes the new word if it found the expected one, otherwise the word that it found.
inline bool exchange_16(unsigned __int128* at, unsigned __int128& expected, unsigned __int128 desired) {
  auto low = static_cast<std::uint64_t>(expected), high = static_cast<std::uint64_t>(expected >> 64);
  bool done = false;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(*at), "+a"(low), "+d"(high)
               : "b"(static_cast<std::uint64_t>(desired)), "c"(static_cast<std::uint64_t>(desired >> 64))
               : "memory");
  expected = static_cast<unsigned __int128>(high) << 64 | low;
  return done;
}
inline unsigned __int128 load_16_by_exchange(const unsigned __int128* at) {
  unsigned __int128 word = 0;
  exchange_16(const_cast<unsigned __int128*>(at), word, 0);
  return word;
}
inline void store_16_by_exchange(unsigned __int128* at, unsigned __int128 word) {
  unsigned __int128 before = 0;
  while (!exchange_16(at, before, word)) {}
}

}  // namespace detail

inline unsigned __int128 load_word_once(const unsigned __int128* at) {
  if (!detail::vectors_are_whole()) return detail::load_16_by_exchange(at);
  unsigned __int128 word;
  asm volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0" : "=m"(word) : "m"(*at) : "xmm0");
  return word;
}
inline void store_word_once(unsigned __int128* at, unsigned __int128 word) {
  if (!detail::vectors_are_whole()) return detail::store_16_by_exchange(at, word);
  asm volatile("movdqa %1, %%xmm0\n\tmovdqa %%xmm0, %0" : "=m"(*at) : "m"(word) : "xmm0");
}
#else
// libatomic's functions, indivisible on every processor, by a lock if necessary.
inline unsigned __int128 load_word_once(const unsigned __int128* at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
inline void store_word_once(unsigned __int128* at, unsigned __int128 word) { __atomic_store_n(at, word, __ATOMIC_RELAXED); }
#endif

// WordMap: a value for each of some words, in one array with open addressing. Every relaxed access looks into several of them; they
// are small, and cleared often.
template <class Value>
class WordMap {
 public:
  // Null if the word has none. Valid until the next operator[].
  const Value* find(const void* word) const {
    if (count_ == 0) return nullptr;
    const auto& entry = entries_[place_of(word)];
    return entry.word ? &entry.value : nullptr;
  }
  // The word's value, a new one if it has none.
  Value& operator[](const void* word) {
    if (entries_.empty() || (entries_[place_of(word)].word == nullptr && 2 * (count_ + 1) > entries_.size())) grow();
    auto& entry = entries_[place_of(word)];
    if (!entry.word) entry.word = word, ++count_;
    return entry.value;
  }
  template <class F>
  void for_each(F f) const {
    for (const auto& entry : entries_)
      if (entry.word) f(entry.word, entry.value);
  }
  bool empty() const { return count_ == 0; }
  void clear() {
    if (count_ == 0) return;
    for (auto& entry : entries_) entry = {};
    count_ = 0;
  }

 private:
  struct Slot {
    const void* word = nullptr;
    Value value{};
  };

  // Where the word is, or would be.
  std::size_t place_of(const void* word) const {
    const auto mask = entries_.size() - 1;
    auto place = static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(word) * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (entries_[place].word && entries_[place].word != word) place = (place + 1) & mask;
    return place;
  }
  void grow() {
    std::vector<Slot> before(entries_.empty() ? 8 : 2 * entries_.size());
    before.swap(entries_);
    for (auto& entry : before)
      if (entry.word) entries_[place_of(entry.word)] = std::move(entry);
  }

  std::vector<Slot> entries_;  // a power of two, at most half of them with a word
  std::size_t count_ = 0;
};

// The latest store that somebody knows of, for each word.
class MemoryView {
 public:
  using Moment = std::uint64_t;  // a place in the sequence of a word's stores; 0: before the launch

  Moment of(const void* word) const {
    const auto* const found = latest_.find(word);
    return found ? *found : 0;
  }
  void learn(const void* word, Moment moment);
  void learn(const MemoryView& other);
  bool empty() const { return latest_.empty(); }
  void clear() { latest_.clear(); }

 private:
  WordMap<Moment> latest_;
};

// What a thread knows, besides what its block knows.
struct ThreadMemory {
  MemoryView known;
  MemoryView loaded;                           // came with words that it has loaded; known behind its next fence
  std::shared_ptr<const MemoryView> released;  // what it knew at its last fence; goes with the words that it stores

  void clear() {
    known.clear();
    loaded.clear();
    released.reset();
  }
};

// The memory of one launch, all of whose blocks run on one core.
class WeakMemory {
 public:
  explicit WeakMemory(std::uint64_t seed) : choose_(seed) {}

  // Word: one of those above, or 32 bits.
  template <class Word>
  Word load(Thread& thread, const Word* at);
  template <class Word>
  void store(Thread& thread, Word* at, Word word);
  // An atomic, of 4 or 8 bytes: what change(word) returns takes the word's place. Returns the word.
  template <class Word>
  Word change(Thread& thread, Word* at, const AtomicChange<Word>& change);
  void fence(Thread& thread);
  void barrier(Block& block);
  void warp_barrier(Block& block, const Warp& warp, std::uint32_t lanes);  // a bit per lane

 private:
  using Moment = MemoryView::Moment;
  struct Store {
    Moment moment;
    unsigned __int128 word;
    bool atomic = false;  // it read the store before it: none comes between the two
    std::shared_ptr<const MemoryView> released{};
  };
  using Stores = std::vector<Store>;  // of a word, in their order; the first may be its value before the launch

  template <class Word>
  Stores& stores_of(const Word* at);
  // The first of the stores that the thread may load.
  static std::size_t first_known(const Thread& thread, const void* at, const Stores& stores);
  void append(Stores& stores, Store store);
  bool one_in(unsigned chances) { return choose_.below(chances) == 0; }

  Random choose_;
  WordMap<Stores> words_;  // those with a relaxed store in this launch
  Moment last_ = 0;
  MemoryView fenced_;  // what any thread knew at its fence: fences have one order
};

}  // namespace gpu::simulated
