// Each kind of race is found, and its corrected version has none.
#include <optional>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/simulated/tests/observed_support.cuh"

namespace gpu::simulated {
namespace {

class ObservedRacesTest : public Observed {
 protected:
  // A race of a kernel, and none of its corrected version.
  template <class Kernel, class... Args>
  void expect_race(const char* what, Kernel racy, Kernel fixed, const Grid& grid, Args... args) {
    const auto seen = run(racy, grid, args...);
    EXPECT_TRUE(has_race(seen, what)) << text(seen);
    EXPECT_EQ(text(run(fixed, grid, args...)), "");
  }
};
constexpr unsigned threads = 64;
constexpr Grid one_block{dim3(1), dim3(threads)}, two_blocks{dim3(2), dim3(32)};

struct Words {
  unsigned word[2][threads];
};

std::string here(unsigned line) { return "observed_races_test.cu:" + std::to_string(line); }

constexpr unsigned store_line = __LINE__ + 4, load_line = __LINE__ + 6;
template <bool fixed>
__global__ void read_neighbour(unsigned* to) {
  auto& shared = static_shared<Words>();
  shared.word[0][threadIdx.x] = threadIdx.x;
  if (fixed) __syncthreads();
  to[threadIdx.x] = shared.word[0][(threadIdx.x + 32) % threads];
}

TEST_F(ObservedRacesTest, AMissingBarrier) {
  const auto to = zeros<unsigned>(threads);
  const auto seen = run(read_neighbour<false>, one_block, to.data());
  ASSERT_TRUE(has_race(seen, "shared write after read")) << text(seen);
  for (const auto& race : seen.races) {
    if (race.what != "shared write after read") continue;
    EXPECT_EQ(race.first, here(load_line));
    EXPECT_EQ(race.second, here(store_line));
    EXPECT_EQ(race.times, 32u);  // the words of the other warp; those of this warp come later
  }
  EXPECT_EQ(text(run(read_neighbour<true>, one_block, to.data())), "");
}

template <bool fixed>
__global__ void read_neighbour_of_warp(unsigned* to) {
  auto& shared = static_shared<Words>();
  const unsigned lane = threadIdx.x % 32;
  shared.word[0][threadIdx.x] = threadIdx.x;
  if (fixed)
    __syncwarp();
  else
    __ballot_sync(0xffffffffu, 1);  // synchronises the lanes, but does not order memory
  to[threadIdx.x] = shared.word[0][threadIdx.x - lane + (lane + 1) % 32];
}

TEST_F(ObservedRacesTest, AMissingSyncwarp) {
  const auto to = zeros<unsigned>(threads);
  expect_race("shared read after write", read_neighbour_of_warp<false>, read_neighbour_of_warp<true>, one_block, to.data());
}

// A thread has read two bytes of a word, one after the other.
__global__ void read_two_write_one(unsigned char* at, unsigned char* out, unsigned written) {
  if (blockIdx.x == 0)
    out[0] = static_cast<unsigned char>(at[0] + at[1]);
  else
    at[written] = 1;
}

TEST_F(ObservedRacesTest, EachByteThatAThreadHasReadCounts) {
  const auto at = zeros<unsigned char>(4), out = zeros<unsigned char>(1);
  for (const unsigned written : {0u, 1u, 2u})
    EXPECT_EQ(
        has_race(run(read_two_write_one, {dim3(2), dim3(1)}, at.data(), out.data(), written), "global write after read"),
        written < 2)
        << written;
}

// A __syncwarp() does not order two warps.
__global__ void sync_only_warps(unsigned* to) {
  auto& shared = static_shared<Words>();
  shared.word[0][threadIdx.x] = threadIdx.x;
  __ballot_sync(0xffffffffu, 1);
  __syncwarp();
  to[threadIdx.x] = shared.word[0][threads - 1 - threadIdx.x];
}

TEST_F(ObservedRacesTest, WarpsNeedABarrier) {
  const auto to = zeros<unsigned>(threads);
  EXPECT_FALSE(run(sync_only_warps, one_block, to.data()).races.empty());
}

template <bool fixed>
__global__ void one_set_for_all_rounds(unsigned* to) {
  auto& shared = static_shared<Words>();
  unsigned sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    auto& set = shared.word[fixed ? round % 2 : 0];
    set[threadIdx.x] = round + threadIdx.x;
    __syncthreads();
    sum += set[threads - 1 - threadIdx.x];
  }
  to[threadIdx.x] = sum;
}

TEST_F(ObservedRacesTest, ASingleBufferedSet) {
  const auto to = zeros<unsigned>(threads);
  expect_race("shared write after read", one_set_for_all_rounds<false>, one_set_for_all_rounds<true>, one_block, to.data());
}

template <bool fixed>
__global__ void all_write(unsigned* to) {
  if (fixed)
    atomicAdd(to, 1u);
  else
    *to = threadIdx.x;
}

TEST_F(ObservedRacesTest, TwoBlocksWriteOneWord) {
  const auto to = zeros<unsigned>(1);
  const Grid grid{dim3(2), dim3(1)};
  const auto seen = run(all_write<false>, grid, to.data());
  ASSERT_EQ(seen.races.size(), 1u);
  EXPECT_EQ(seen.races[0].what, "global write after write");
  EXPECT_EQ(seen.races[0].times, 1u);
  EXPECT_EQ(text(run(all_write<true>, grid, to.data())), "");
}

// The end of a kernel orders it before the next one.
TEST_F(ObservedRacesTest, LaunchesAreOrdered) {
  const auto to = zeros<unsigned>(1);
  const Grid grid{dim3(1), dim3(1)};
  observer_.reset();
  for (int i = 0; i < 2; ++i) launch_kernel(nullptr, all_write<false>, grid, to.data());
  EXPECT_EQ(observer_.results().launches, 2);
  EXPECT_EQ(text(observer_.results()), "");
}

// Block 0 reads what block 1 writes; a barrier in block 0 changes nothing.
__global__ void read_other_block(unsigned* word, unsigned* to) {
  if (blockIdx.x == 0) to[threadIdx.x] = *word;
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 0) *word = 1;
}

TEST_F(ObservedRacesTest, ABlockReadsAnothersWord) {
  const auto word = zeros<unsigned>(1), to = zeros<unsigned>(threads);
  EXPECT_TRUE(has_race(run(read_other_block, two_blocks, word.data(), to.data()), "global write after read"));
}

// Several blocks read, then one of them writes: the reads of the others are not forgotten.
__global__ void read_all_write_last(unsigned* word, unsigned* to) {
  if (threadIdx.x == 0) to[blockIdx.x] = *word;
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 0) *word = 1;
}

TEST_F(ObservedRacesTest, ReadersOfSeveralBlocks) {
  const auto word = zeros<unsigned>(1), to = zeros<unsigned>(2);
  EXPECT_TRUE(has_race(run(read_all_write_last, two_blocks, word.data(), to.data()), "global write after read"));
}

// The value is in the relaxed word, or in another one.
template <bool fixed>
__global__ void publish(std::uint64_t* word, unsigned* beside, unsigned* to) {
  if (blockIdx.x == 0) {
    if (!fixed) *beside = 7;
    store_word(word, std::uint64_t{7});
  } else {
    std::uint64_t seen = 0;
    while (seen == 0) load_word(word, seen);
    *to = fixed ? static_cast<unsigned>(seen) : *beside;
  }
}

TEST_F(ObservedRacesTest, RelaxedWordsOrderNothingElse) {
  const auto word = zeros<std::uint64_t>(1);
  const auto beside = zeros<unsigned>(1), to = zeros<unsigned>(1);
  const Grid grid{dim3(2), dim3(1)};
  EXPECT_TRUE(has_race(run(publish<false>, grid, word.data(), beside.data(), to.data()), "global read after write"));
  *word.data() = 0;
  EXPECT_EQ(text(run(publish<true>, grid, word.data(), beside.data(), to.data())), "");
}

__global__ void mix(std::uint64_t* word) {
  if (blockIdx.x == 0)
    store_word(word, std::uint64_t{1});
  else
    *word = 2;
}

TEST_F(ObservedRacesTest, RelaxedAndPlainDoNotMix) {
  const auto word = zeros<std::uint64_t>(1);
  EXPECT_TRUE(has_race(run(mix, {dim3(2), dim3(1)}, word.data()), "global write after write"));
}

__global__ void store_and_read(std::uint64_t* word, std::uint64_t* to) {
  if (blockIdx.x == 0)
    store_word(word, std::uint64_t{1});
  else
    *to = *word;
}

TEST_F(ObservedRacesTest, ARelaxedStoreAndAPlainReadDoNotMix) {
  const auto word = zeros<std::uint64_t>(1), to = zeros<std::uint64_t>(1);
  EXPECT_TRUE(has_race(run(store_and_read, {dim3(2), dim3(1)}, word.data(), to.data()), "global read after write"));
}

constexpr unsigned last_read_line = __LINE__ + 4, write_line = __LINE__ + 6;
__global__ void read_twice(std::uint64_t* word, std::uint64_t* to) {
  if (blockIdx.x == 0) {
    to[0] = *word + 1;  // another value, so that the compiler reads twice
    to[1] = *word;
  } else {
    *word = 2;
  }
}

TEST_F(ObservedRacesTest, OfTwoReadsByOneThreadTheLastIsNamed) {
  const auto word = zeros<std::uint64_t>(1), to = zeros<std::uint64_t>(2);
  const auto seen = run(read_twice, {dim3(2), dim3(1)}, word.data(), to.data());
  ASSERT_EQ(seen.races.size(), 1u) << text(seen);
  EXPECT_EQ(seen.races[0].what, "global write after read");
  EXPECT_EQ(seen.races[0].first, here(last_read_line));
  EXPECT_EQ(seen.races[0].second, here(write_line));
}

// Once relaxed, once plain, in either order: what is ordered with one store is not with the other.
template <bool plain_first>
__global__ void read_both_ways(std::uint64_t* word, std::uint64_t* to) {
  if (blockIdx.x == 0) {
    std::uint64_t seen = 0;
    if (plain_first) to[0] = *word + 1;
    load_word(word, seen);
    to[1] = seen;
    if (!plain_first) to[0] = *word + 1;
  } else {
    store_word(word, std::uint64_t{2});
  }
}

TEST_F(ObservedRacesTest, APlainReadIsNotMadeGoodByARelaxedOneOfTheSameThread) {
  const auto word = zeros<std::uint64_t>(1), to = zeros<std::uint64_t>(2);
  const Grid grid{dim3(2), dim3(1)};
  EXPECT_TRUE(has_race(run(read_both_ways<false>, grid, word.data(), to.data()), "global write after read"));
  EXPECT_TRUE(has_race(run(read_both_ways<true>, grid, word.data(), to.data()), "global write after read"));
}

// By two threads that nothing orders.
template <bool plain_first>
__global__ void two_read(std::uint64_t* word, std::uint64_t* to) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) store_word(word, std::uint64_t{2});
  } else if ((threadIdx.x == 0) == plain_first) {
    to[threadIdx.x] = *word;
  } else {
    std::uint64_t seen = 0;
    load_word(word, seen);
    to[threadIdx.x] = seen;
  }
}

TEST_F(ObservedRacesTest, APlainReadIsNotMadeGoodByARelaxedOneOfAnotherThread) {
  const auto word = zeros<std::uint64_t>(1), to = zeros<std::uint64_t>(2);
  const Grid grid{dim3(2), dim3(2)};
  EXPECT_TRUE(has_race(run(two_read<false>, grid, word.data(), to.data()), "global write after read"));
  EXPECT_TRUE(has_race(run(two_read<true>, grid, word.data(), to.data()), "global write after read"));
}

template <bool fixed>
__global__ void read_before_arrival(const unsigned* from, unsigned* to) {
  auto& shared = static_shared<Words>();
  shared.word[0][threadIdx.x] = 0;
  gpu::copy_async(&shared.word[0][threadIdx.x], from + threadIdx.x);
  gpu::commit_async_copies();
  gpu::copy_async(&shared.word[1][threadIdx.x], from + threads + threadIdx.x);
  gpu::commit_async_copies();
  if (fixed)
    gpu::wait_for_async_copies<0>();
  else
    gpu::wait_for_async_copies<1>();  // the second is still in flight
  to[threadIdx.x] = shared.word[0][threadIdx.x] + shared.word[1][threadIdx.x];
}

TEST_F(ObservedRacesTest, AnAsynchronousCopyReadTooEarly) {
  const auto from = zeros<unsigned>(2 * threads), to = zeros<unsigned>(threads);
  expect_race("shared read before an asynchronous copy is waited for", read_before_arrival<false>, read_before_arrival<true>,
              one_block, from.data(), to.data());
}

// The copy starts while others may still read its target, and arrives after a barrier.
template <bool fixed>
__global__ void copy_over_readers(const unsigned* from, unsigned* to) {
  auto& shared = static_shared<Words>();
  shared.word[0][threadIdx.x] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = shared.word[0][threads - 1 - threadIdx.x];
  if (fixed) __syncthreads();
  gpu::copy_async(&shared.word[0][threadIdx.x], from + threadIdx.x);
  gpu::commit_async_copies();
  __syncthreads();
  gpu::wait_for_async_copies<0>();
  to[threadIdx.x] += shared.word[0][threadIdx.x];
}

TEST_F(ObservedRacesTest, AnAsynchronousCopyOverwritesWhatOthersRead) {
  const auto from = zeros<unsigned>(threads), to = zeros<unsigned>(threads);
  expect_race("shared write after read", copy_over_readers<false>, copy_over_readers<true>, one_block, from.data(),
              to.data());
}

// The same within a warp, whose lanes meet between the start of the copy and its arrival.
template <bool fixed>
__global__ void copy_over_lanes(const unsigned* from, unsigned* to) {
  auto& shared = static_shared<Words>();
  const unsigned lane = threadIdx.x % 32;
  shared.word[0][threadIdx.x] = threadIdx.x;
  __syncwarp();
  to[threadIdx.x] = shared.word[0][threadIdx.x - lane + 31 - lane];
  if (fixed) __syncwarp();
  gpu::copy_async(&shared.word[0][threadIdx.x], from + threadIdx.x);
  gpu::commit_async_copies();
  __syncwarp();
  gpu::wait_for_async_copies<0>();
  to[threadIdx.x] += shared.word[0][threadIdx.x];
}

TEST_F(ObservedRacesTest, AnAsynchronousCopyOverwritesWhatOtherLanesRead) {
  const auto from = zeros<unsigned>(threads), to = zeros<unsigned>(threads);
  expect_race("shared write after read", copy_over_lanes<false>, copy_over_lanes<true>, one_block, from.data(), to.data());
}

// Dependent launches. Each starts after one that writes `words` and reads `others`.
__global__ void write_and_read(unsigned* words, const unsigned* others, unsigned* to) {
  words[threadIdx.x] = 1;
  to[threadIdx.x] = others[threadIdx.x];
}
enum class Early { nothing, load, store, store_over_read, copy };
__global__ void touch_early(Early early, unsigned* words, unsigned* others, unsigned* to) {
  auto& shared = static_shared<Words>();
  unsigned seen = 0;
  if (early == Early::load) seen = words[threadIdx.x];
  if (early == Early::store) words[threadIdx.x] = 2;
  if (early == Early::store_over_read) others[threadIdx.x] = 2;
  if (early == Early::copy) gpu::copy_async(&shared.word[0][threadIdx.x], words + threadIdx.x);
  wait_for_previous_launch();
  gpu::commit_async_copies();
  gpu::wait_for_async_copies<0>();
  if (early == Early::copy) seen = shared.word[0][threadIdx.x];
  to[threadIdx.x] = seen + words[threadIdx.x] + others[threadIdx.x];
  others[threadIdx.x] = words[threadIdx.x] = 3;
}
__global__ void let_then_wait(bool waits_first) {
  if (waits_first) wait_for_previous_launch();
  let_next_launch_start();
  wait_for_previous_launch();
}

class ObservedDependentTest : public Observed {
 protected:
  // The races of three launches, the second one only if `between` is set.
  std::string races(Early early, Start start = Start::dependent, std::optional<bool> between = {}) {
    const auto words = zeros<unsigned>(threads), others = zeros<unsigned>(threads), to = zeros<unsigned>(threads),
               seen = zeros<unsigned>(threads);
    observer_.reset();
    launch_kernel(nullptr, write_and_read, one_block, words.data(), others.data(), to.data());
    Grid dependent = one_block;
    dependent.start = start;
    if (between) launch_kernel(nullptr, let_then_wait, dependent, *between);
    launch_kernel(nullptr, touch_early, dependent, early, words.data(), others.data(), seen.data());
    return text(observer_.results());
  }
};

TEST_F(ObservedDependentTest, TouchNothingOfTheLaunchBeforeUntilTheyWait) {
  constexpr std::string_view launch = " by a launch before, without wait_for_previous_launch(): ";
  EXPECT_EQ(races(Early::nothing), "");
  EXPECT_TRUE(races(Early::load).starts_with("global read after write" + std::string(launch))) << races(Early::load);
  EXPECT_TRUE(races(Early::store).starts_with("global write after write" + std::string(launch)));
  EXPECT_TRUE(races(Early::store_over_read).starts_with("global write after read" + std::string(launch)));
  EXPECT_TRUE(races(Early::copy).starts_with("global read after write" + std::string(launch)));
  EXPECT_EQ(races(Early::load, Start::in_order), "");
}

// The second launch touches nothing, and the third one what the first wrote.
TEST_F(ObservedDependentTest, MayRunBesideTheLaunchesBefore) {
  EXPECT_NE(races(Early::load, Start::dependent, false), "");
  EXPECT_EQ(races(Early::load, Start::dependent, true), "") << "the second one has waited when the third one starts";
  EXPECT_EQ(races(Early::nothing, Start::dependent, false), "");
}

template <bool fixed>
__global__ void read_uninitialised(unsigned* to) {
  auto& shared = static_shared<Words>();
  if (fixed || threadIdx.x != 3) shared.word[0][threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] = shared.word[0][threadIdx.x];
}

// Data of the previous block counts as uninitialised: two blocks, one after the other in the same memory.
TEST_F(ObservedRacesTest, UninitialisedSharedMemory) {
  const auto to = zeros<unsigned>(threads);
  const auto clean = run(read_uninitialised<true>, one_block, to.data());
  EXPECT_EQ(text(clean), "");
  const auto seen = run(read_uninitialised<false>, {dim3(1), dim3(threads)}, to.data());
  ASSERT_EQ(seen.races.size(), 1u) << text(seen);
  EXPECT_EQ(seen.races[0].what, "read of uninitialised shared memory");
  EXPECT_EQ(seen.races[0].first, "");
  EXPECT_EQ(seen.races[0].times, 1u);
}

// Neighbours that access different bytes of one word do not race.
__global__ void access_bytes_of_word(unsigned char* to) {
  to[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  to[threadIdx.x] = static_cast<unsigned char>(to[threadIdx.x] + 1);
}

TEST_F(ObservedRacesTest, BytesOfOneWord) {
  const auto to = zeros<unsigned char>(threads);
  EXPECT_EQ(text(run(access_bytes_of_word, one_block, to.data())), "");
}

// Libraries of users' kernels are loaded beside what the simulated GPU and the shadow memory reserve.
TEST(TouchTest, KeepsPlacesThatAreFarAway) {
  const auto near = reinterpret_cast<std::intptr_t>(&the_gpu);
  for (const std::intptr_t away : {0l, 1l, -1l, 1l << 31, -(1l << 31), 1l << 41, -(1l << 41)}) {
    Touch touch;
    touch.thread = 1023;
    touch.set_place(reinterpret_cast<const void*>(near + away));
    EXPECT_EQ(reinterpret_cast<std::intptr_t>(touch.place()), near + away) << away;
    EXPECT_EQ(touch.thread, 1023u);
  }
}

}  // namespace
}  // namespace gpu::simulated
