// Random schedules show every order of relaxed accesses that CUDA permits, and none that fences, barriers and kernel ends exclude:
// the litmus tests of the literature (Alglave et al., GPU concurrency, 2015), each with and without what orders it.
#include <cstdint>
#include <set>

#include "gpu/simulated/tests/kernels.cuh"

namespace gpu::simulated {
namespace {

constexpr std::uint64_t seeds = 400;
constexpr Schedule::Kind in_order = Schedule::Kind::in_order, at_random = Schedule::Kind::random;

struct Words {
  std::uint64_t x, y;
  unsigned __int128 wide;
};
struct Fences {
  bool first, second;
};

__device__ std::uint64_t load(const std::uint64_t* at) {
  std::uint64_t word;
  load_word(at, word);
  return word;
}
__device__ void store(std::uint64_t* at, std::uint64_t word) { store_word(at, word); }

// Which pairs of values two blocks, of one thread each unless `threads` says otherwise, see in many schedules.
using Seen = std::set<std::pair<std::uint64_t, std::uint64_t>>;
template <class Argument>
Seen outcomes(void (*kernel)(Words*, std::uint64_t*, Argument), Argument argument, unsigned blocks = 2, unsigned threads = 1,
              Schedule::Kind kind = at_random) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set({.resident_blocks = 4, .cores = 1, .schedule = {kind, seed}});
    const Zeroed<Words> words(1);
    const Zeroed<std::uint64_t> results(2);
    launch_kernel(nullptr, kernel, {dim3(blocks), dim3(threads)}, words.data(), results.data(), argument);
    seen.emplace(results[0], results[1]);
  }
  return seen;
}

__global__ void pass_a_message(Words* words, std::uint64_t* results, Fences fences) {
  if (blockIdx.x == 0) {
    store(&words->x, 1);
    if (fences.first) __threadfence();
    store(&words->y, 1);
  } else {
    results[0] = load(&words->y);
    if (fences.second) __threadfence();
    results[1] = load(&words->x);
  }
}

TEST(WeakMemoryTest, AMessageNeedsAFenceOnBothSides) {
  const std::pair<std::uint64_t, std::uint64_t> stale{1, 0};
  EXPECT_TRUE(outcomes(pass_a_message, Fences{false, false}).contains(stale));
  EXPECT_TRUE(outcomes(pass_a_message, Fences{true, false}).contains(stale));
  EXPECT_TRUE(outcomes(pass_a_message, Fences{false, true}).contains(stale));
  const auto fenced = outcomes(pass_a_message, Fences{true, true});
  EXPECT_FALSE(fenced.contains(stale));
  EXPECT_TRUE(fenced.contains({0, 0}));
  EXPECT_TRUE(fenced.contains({0, 1}));
  EXPECT_TRUE(fenced.contains({1, 1}));
}

TEST(WeakMemoryTest, InOrderEveryAccessTakesEffectAtOnce) {
  const auto seen = outcomes(pass_a_message, Fences{false, false}, 2, 1, in_order);
  EXPECT_EQ(seen, (Seen{{1, 1}}));
}

__global__ void store_then_load(Words* words, std::uint64_t* results, Fences fences) {
  store(blockIdx.x == 0 ? &words->x : &words->y, 1);
  if (blockIdx.x == 0 ? fences.first : fences.second) __threadfence();
  results[blockIdx.x] = load(blockIdx.x == 0 ? &words->y : &words->x);
}

TEST(WeakMemoryTest, StoresComeLateUnlessFenced) {
  EXPECT_TRUE(outcomes(store_then_load, Fences{false, false}).contains({0, 0}));
  EXPECT_TRUE(outcomes(store_then_load, Fences{true, false}).contains({0, 0}));
  EXPECT_FALSE(outcomes(store_then_load, Fences{true, true}).contains({0, 0}));
}

__global__ void store_both(Words* words, std::uint64_t*, Fences fences) {
  const bool first = blockIdx.x == 0;
  store(first ? &words->x : &words->y, 1);
  if (first ? fences.first : fences.second) __threadfence();
  store(first ? &words->y : &words->x, 2);
}
// What remains in memory.
Seen remains(Fences fences) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set({.resident_blocks = 4, .cores = 1, .schedule = {at_random, seed}});
    const Zeroed<Words> words(1);
    launch_kernel(nullptr, store_both, {dim3(2), dim3(1)}, words.data(), nullptr, fences);
    seen.emplace(words[0].x, words[0].y);
  }
  return seen;
}

TEST(WeakMemoryTest, StoresOfTwoThreadsTakeAnyOrder) {
  EXPECT_TRUE(remains({false, false}).contains({1, 1}));
  EXPECT_FALSE(remains({true, true}).contains({1, 1}));
}

__global__ void load_twice(Words* words, std::uint64_t* results, bool) {
  if (blockIdx.x == 0) {
    store(&words->x, 1);
    store(&words->x, 2);
  } else {
    results[0] = load(&words->x);
    results[1] = load(&words->x);
  }
}

TEST(WeakMemoryTest, NobodySeesOneWordGoBack) {
  for (const auto& [first, second] : outcomes(load_twice, false)) EXPECT_LE(first, second);
}

// Block 0: thread 0 stores, and another thread passes the message on, behind a barrier of both, of their warp, or none.
enum class Meeting { nowhere, block, warp };
__global__ void pass_on(Words* words, std::uint64_t* results, Meeting meeting) {
  const unsigned last = blockDim.x - 1;
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) store(&words->x, 1);
    if (meeting == Meeting::block) __syncthreads();
    if (meeting == Meeting::warp) __syncwarp();
    if (threadIdx.x != last) return;
    __threadfence();
    store(&words->y, 1);
  } else if (threadIdx.x == 0) {
    results[0] = load(&words->y);
    __threadfence();
    results[1] = load(&words->x);
  }
}

TEST(WeakMemoryTest, AFenceAlsoOrdersWhatCameBeforeABarrier) {
  for (const unsigned threads : {32u, 64u}) {
    EXPECT_TRUE(outcomes(pass_on, Meeting::nowhere, 2, threads).contains({1, 0}));
    EXPECT_FALSE(outcomes(pass_on, Meeting::block, 2, threads).contains({1, 0}));
  }
  EXPECT_FALSE(outcomes(pass_on, Meeting::warp, 2, 32).contains({1, 0}));
  EXPECT_TRUE(outcomes(pass_on, Meeting::warp, 2, 64).contains({1, 0}));  // of another warp
}

// Thread 1 loads what thread 0 has stored.
__global__ void tell_neighbour(Words* words, std::uint64_t* results, bool barrier) {
  if (threadIdx.x == 0) store(&words->x, 1);
  if (barrier) __syncthreads();
  if (threadIdx.x == 0) results[0] = load(&words->x);
  if (threadIdx.x == 1) results[1] = load(&words->x);
}

TEST(WeakMemoryTest, ABlockSeesItsStoresBehindABarrier) {
  const auto loose = outcomes(tell_neighbour, false, 1, 2);
  EXPECT_TRUE(loose.contains({1, 0}));
  for (const auto& seen : loose) EXPECT_EQ(seen.first, 1u) << "a thread sees its own stores";
  EXPECT_EQ(outcomes(tell_neighbour, true, 1, 2), (Seen{{1, 1}}));
}

// Atomics pass on what came with the words that they change.
__global__ void count_arrivals(Words* words, std::uint64_t* results, Fences fences) {
  if (blockIdx.x < 2) store(blockIdx.x == 0 ? &words->x : reinterpret_cast<std::uint64_t*>(&words->wide), 1);
  if (fences.first) __threadfence();
  if (atomicAdd(reinterpret_cast<unsigned long long*>(&words->y), 1ull) + 1 != gridDim.x) return;
  if (fences.second) __threadfence();
  results[0] = load(&words->x);
  results[1] = load(reinterpret_cast<std::uint64_t*>(&words->wide));
}

TEST(WeakMemoryTest, TheLastToArriveSeesAllIfFenced) {
  EXPECT_EQ(outcomes(count_arrivals, Fences{true, true}, 5), (Seen{{1, 1}}));
  EXPECT_GT(outcomes(count_arrivals, Fences{false, true}, 5).size(), 1u);
  EXPECT_GT(outcomes(count_arrivals, Fences{true, false}, 5).size(), 1u);
}

// A wide word is whole; two words are not.
__global__ void pass_wide(Words* words, std::uint64_t* results, bool split) {
  auto* const halves = reinterpret_cast<std::uint64_t*>(&words->wide);
  if (blockIdx.x == 0) {
    if (!split) return store_word(&words->wide, static_cast<unsigned __int128>(1) << 64 | 1);
    store(halves, 1);
    store(halves + 1, 1);
  } else if (split) {
    results[1] = load(halves + 1);
    results[0] = load(halves);
  } else {
    unsigned __int128 word;
    load_word(&words->wide, word);
    results[0] = static_cast<std::uint64_t>(word);
    results[1] = static_cast<std::uint64_t>(word >> 64);
  }
}

TEST(WeakMemoryTest, AWideWordIsWhole) {
  EXPECT_EQ(outcomes(pass_wide, false), (Seen{{0, 0}, {1, 1}}));
  EXPECT_TRUE(outcomes(pass_wide, true).contains({0, 1}));
}

// A wait ends: whoever polls sees the word at last. And the next launch sees all.
__global__ void wait_for_message(Words* words, std::uint64_t* results, bool) {
  if (blockIdx.x == 1) store(&words->x, 1);
  if (blockIdx.x == 0) {
    while (load(&words->x) == 0) {}
    results[0] = 1;
  }
}
__global__ void load_both(const Words* words, std::uint64_t* results) {
  results[0] = load(&words->x);
  results[1] = load(&words->y);
}

TEST(WeakMemoryTest, WaitsEnd) { EXPECT_EQ(outcomes(wait_for_message, false), (Seen{{1, 0}})); }

TEST(WeakMemoryTest, TheNextLaunchSeesAll) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set({.resident_blocks = 4, .cores = 1, .schedule = {at_random, seed}});
    const Zeroed<Words> words(1);
    const Zeroed<std::uint64_t> results(2);
    launch_kernel(nullptr, pass_a_message, {dim3(1), dim3(1)}, words.data(), results.data(), Fences{});
    launch_kernel(nullptr, load_both, {dim3(1), dim3(1)}, words.data(), results.data());
    ASSERT_EQ(results.values(), (std::vector<std::uint64_t>{1, 1}));
  }
}

// Each thread sees what it has done itself, by a store or an atomic, or what came later.
enum class Own { store, atomic };
__global__ void change_and_load(Words* words, std::uint64_t* results, Own own) {
  if (blockIdx.x == 0) return store(&words->x, 1);
  if (own == Own::store)
    store(&words->x, 2);
  else
    atomicAdd(reinterpret_cast<unsigned long long*>(&words->x), 4ull);
  results[0] = load(&words->x);
}

TEST(WeakMemoryTest, AThreadSeesItsOwnChanges) {
  const auto stored = outcomes(change_and_load, Own::store), added = outcomes(change_and_load, Own::atomic);
  EXPECT_EQ(stored, (Seen{{1, 0}, {2, 0}}));
  EXPECT_EQ(added, (Seen{{1, 0}, {4, 0}, {5, 0}}));
}

// No store comes between what an atomic has read and what it has made of it.
__global__ void add_beside_a_store(Words* words, std::uint64_t* results) {
  if (blockIdx.x == 0)
    results[0] = atomicAdd(reinterpret_cast<unsigned long long*>(&words->x), 1ull);
  else
    store(&words->x, 100);
}

TEST(WeakMemoryTest, AtomicsAreWhole) {
  Seen seen;  // what the atomic has read, and what remains
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set({.resident_blocks = 4, .cores = 1, .schedule = {at_random, seed}});
    const Zeroed<Words> words(1);
    const Zeroed<std::uint64_t> results(1);
    launch_kernel(nullptr, add_beside_a_store, {dim3(2), dim3(1)}, words.data(), results.data());
    seen.emplace(results[0], words[0].x);
  }
  EXPECT_EQ(seen, (Seen{{0, 100}, {100, 101}}));
}

// Few of the stores of two threads into one word, in whatever order, are kept: whoever knows of none takes one of the last.
constexpr std::uint64_t often = 40;
__global__ void store_often(Words* words, std::uint64_t* results, bool) {
  auto* const done = reinterpret_cast<unsigned long long*>(&words->y);
  if (blockIdx.x < 2) {
    for (std::uint64_t i = 1; i <= often; ++i) store(&words->x, blockIdx.x * 100 + i);
    atomicAdd(done, 1ull);
  } else {
    while (atomicAdd(done, 0ull) < 2) {}
    results[0] = load(&words->x) % 100;
  }
}

TEST(WeakMemoryTest, OldStoresAreForgotten) {
  const auto seen = outcomes(store_often, false, 3);
  EXPECT_GT(seen.size(), 3u);
  for (const auto& [number, unused] : seen) EXPECT_GE(number, often - 16);
}

// A store that is no relaxed one counts from then on.
__global__ void store_plainly(Words* words, std::uint64_t* results, bool) {
  store(&words->x, 1);
  store(&words->x, 2);
  __syncthreads();
  words->x = 3;
  __syncthreads();
  results[0] = load(&words->x);
}

TEST(WeakMemoryTest, PlainStoresAreSeen) { EXPECT_EQ(outcomes(store_plainly, false, 1), (Seen{{3, 0}})); }

}  // namespace
}  // namespace gpu::simulated
