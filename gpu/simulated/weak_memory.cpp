#include "gpu/simulated/weak_memory.h"

#include <algorithm>
#include <bit>

#include "gpu/simulated/block.h"
#include "gpu/simulated/thread.h"

namespace gpu::simulated {
namespace {

// Loads may take an earlier store, and stores come before others, in one of this many cases.
constexpr unsigned old_load = 4, early_store = 4;
// Only the latest stores are kept of a word that many blocks change.
constexpr std::size_t most_stores = 8;
// Between stores that follow one another: room for those that come between them.
constexpr MemoryView::Moment step = MemoryView::Moment{1} << 32;

std::uint32_t load_word_once(const std::uint32_t* at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
void store_word_once(std::uint32_t* at, std::uint32_t word) { __atomic_store_n(at, word, __ATOMIC_RELAXED); }
using simulated::load_word_once;
using simulated::store_word_once;

}  // namespace

void MemoryView::learn(const void* word, Moment moment) {
  auto& latest = latest_[word];
  latest = std::max(latest, moment);
}

void MemoryView::learn(const MemoryView& other) {
  other.latest_.for_each([this](const void* word, Moment moment) { learn(word, moment); });
}

// Any other change of the word, by a plain store or an asynchronous copy, restarts its sequence.
template <class Word>
WeakMemory::Stores& WeakMemory::stores_of(const Word* at) {
  auto& stores = words_[at];
  const auto now = load_word_once(at);
  if (stores.empty()) stores.push_back({0, now});
  if (static_cast<Word>(stores.back().word) != now) stores.assign(1, {last_ += step, now});
  return stores;
}

std::size_t WeakMemory::first_known(const Thread& thread, const void* at, const Stores& stores) {
  const auto known = std::max(thread.memory.known.of(at), thread.block->known().of(at));
  const auto first = std::find_if(stores.begin(), stores.end(), [&](const Store& store) { return store.moment >= known; });
  return std::min(static_cast<std::size_t>(first - stores.begin()), stores.size() - 1);
}

void WeakMemory::append(Stores& stores, Store store) {
  store.moment = last_ += step;
  if (stores.size() >= most_stores)  // more: stores that came between others
    stores.erase(stores.begin(), stores.end() - static_cast<std::ptrdiff_t>(most_stores - 1));
  stores.push_back(std::move(store));
}

template <class Word>
Word WeakMemory::load(Thread& thread, const Word* at) {
  if (!words_.find(at)) return load_word_once(at);
  const auto& stores = stores_of(at);
  auto taken = stores.size() - 1;
  if (const auto first = first_known(thread, at, stores); first < taken && one_in(old_load))
    taken = first + choose_.below(static_cast<unsigned>(taken - first + 1));
  thread.memory.known.learn(at, stores[taken].moment);
  if (stores[taken].released) thread.memory.loaded.learn(*stores[taken].released);
  return static_cast<Word>(stores[taken].word);
}

template <class Word>
void WeakMemory::store(Thread& thread, Word* at, Word word) {
  auto& stores = stores_of(at);
  Store made{0, word, false, thread.memory.released};
  const auto first = first_known(thread, at, stores);
  if (first + 1 < stores.size() && one_in(early_store)) {
    // Before this one, as if it had come earlier.
    const auto next = first + 1 + choose_.below(static_cast<unsigned>(stores.size() - first - 1));
    const auto before = stores[next - 1].moment, room = stores[next].moment - before;
    if (room >= 2 && !stores[next].atomic) {
      made.moment = before + room / 2;
      thread.memory.known.learn(at, made.moment);
      stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(next), std::move(made));
      return;
    }
  }
  append(stores, std::move(made));
  thread.memory.known.learn(at, last_);
  store_word_once(at, word);
}

template <class Word>
Word WeakMemory::change(Thread& thread, Word* at, const AtomicChange<Word>& change) {
  auto& stores = stores_of(at);
  const auto& last = stores.back();
  const auto before = static_cast<Word>(last.word), after = change(before);
  // Who loads the result also sees what came with the words that it was made of.
  auto released = thread.memory.released;
  if (last.released) {
    thread.memory.loaded.learn(*last.released);
    auto both = std::make_shared<MemoryView>(*last.released);
    if (released) both->learn(*released);
    released = std::move(both);
  }
  append(stores, {0, after, true, std::move(released)});
  thread.memory.known.learn(at, last_);
  store_word_once(at, after);
  return before;
}

void WeakMemory::fence(Thread& thread) {
  auto& memory = thread.memory;
  memory.known.learn(memory.loaded);
  memory.loaded.clear();
  memory.known.learn(fenced_);
  auto all = std::make_shared<MemoryView>(memory.known);
  all->learn(thread.block->known());
  fenced_ = *all;
  memory.released = std::move(all);
}

void WeakMemory::barrier(Block& block) {
  for (unsigned i = 0; i < block.thread_count(); ++i) {
    auto& known = block.thread(i).memory.known;
    block.known().learn(known);
    known.clear();
  }
}

void WeakMemory::warp_barrier(Block& block, const Warp& warp, std::uint32_t lanes) {
  MemoryView all;
  const auto each = [&](const auto& visit) {
    for (auto rest = lanes; rest != 0; rest &= rest - 1)
      visit(block.thread(warp.number * lanes_per_warp + static_cast<unsigned>(std::countr_zero(rest))).memory.known);
  };
  each([&](const MemoryView& known) { all.learn(known); });
  if (!all.empty()) each([&](MemoryView& known) { known = all; });
}

template std::uint64_t WeakMemory::load(Thread&, const std::uint64_t*);
template unsigned __int128 WeakMemory::load(Thread&, const unsigned __int128*);
template void WeakMemory::store(Thread&, std::uint64_t*, std::uint64_t);
template void WeakMemory::store(Thread&, unsigned __int128*, unsigned __int128);
template std::uint32_t WeakMemory::change(Thread&, std::uint32_t*, const AtomicChange<std::uint32_t>&);
template std::uint64_t WeakMemory::change(Thread&, std::uint64_t*, const AtomicChange<std::uint64_t>&);

}  // namespace gpu::simulated
