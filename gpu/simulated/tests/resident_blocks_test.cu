// Blocks that wait for blocks: in both directions, on one core and on several, in order and at random.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/simulated/tests/kernels.cuh"

namespace gpu::simulated {
namespace {

constexpr int blocks = 100;

// Block b waits for the word of block b - 1, or, if `upwards`, for that of block b + 1: then the last must start first.
template <class Word>
__global__ void relay(Word* words, bool upwards) {
  const int b = static_cast<int>(blockIdx.x), count = static_cast<int>(gridDim.x);
  const int from = upwards ? b + 1 : b - 1;
  if (threadIdx.x == 0) {
    Word seen = 0;
    if (from < 0 || from == count)
      seen = 1;
    else
      while (seen == 0) load_word(words + from, seen);
    store_word(words + b, static_cast<Word>(seen + 1));
  }
  __syncthreads();
}

template <class Word>
void check_relay(bool upwards, const GpuSettings& settings) {
  const WithSettings set(settings);
  Zeroed<Word> words(blocks);
  launch_kernel(nullptr, relay<Word>, {dim3(blocks), dim3(64)}, words.data(), upwards);
  for (std::size_t b = 0; b < blocks; ++b) ASSERT_EQ(words[b], static_cast<Word>(2 + (upwards ? blocks - 1 - b : b))) << b;
}

TEST(ResidentBlocksTest, WaitForWhatOthersWrite) {
  for (const int cores : {1, 2, 5})
    for (const bool upwards : {false, true}) {
      check_relay<std::uint64_t>(upwards, {.resident_blocks = blocks, .cores = cores});
      check_relay<unsigned __int128>(upwards, {.resident_blocks = blocks, .cores = cores});
    }
}

TEST(ResidentBlocksTest, WaitInAnyOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    check_relay<std::uint64_t>(seed % 2 == 1, {.resident_blocks = blocks, .schedule = {Schedule::Kind::random, seed}});
}

// One resident block too few: the last never starts, and the first waits for it.
TEST(ResidentBlocksTest, AnEndlessWaitIsReported) {
  for (const int cores : {1, 2}) {
    const WithSettings set({.resident_blocks = blocks - 1, .cores = cores});
    Zeroed<std::uint64_t> words(blocks);
    const auto fault = fault_of([&] {
      launch_kernel(nullptr, relay<std::uint64_t>, {dim3(blocks), dim3(64)}, words.data(), true);
    });
    EXPECT_TRUE(says(fault, "deadlock: every block waits for a word that nobody writes"));
    EXPECT_TRUE(says(fault, "block (0, 0, 0): threads 0 wait for a word at intrinsics.cuh:"));
    EXPECT_TRUE(says(fault, "1 to 63 wait at __syncthreads(), resident_blocks_test.cu:"));
    EXPECT_TRUE(says(fault, "more blocks"));
  }
}

// The last block and its worker have ended; the threads that still wait are reported.
__global__ void wait_for_nobody(std::uint64_t* word) {
  if (blockIdx.x + 1 == gridDim.x) return;
  for (std::uint64_t seen = 0; seen == 0;) load_word(word, seen);
}

TEST(ResidentBlocksTest, AnEndlessWaitIsReportedAfterOthersHaveEnded) {
  for (const int cores : {1, 2, 5}) {
    const WithSettings set({.cores = cores});
    Zeroed<std::uint64_t> word(1);
    EXPECT_TRUE(says(fault_of([&] {
                       launch_kernel(nullptr, wait_for_nobody, {dim3(3), dim3(32)}, word.data());
                     }),
                     "deadlock: every block waits"));
  }
}

// Places that other work holds are none for a launch, which does not know of it.
TEST(ResidentBlocksTest, OtherWorkTakesPlaces) {
  check_relay<std::uint64_t>(true, {.resident_blocks = blocks + 3, .cores = 1, .taken = 3});
  {
    const WithSettings set({.resident_blocks = blocks + 3, .cores = 1, .taken = 4});
    Zeroed<std::uint64_t> words(blocks);
    EXPECT_TRUE(says(fault_of([&] {
                       launch_kernel(nullptr, relay<std::uint64_t>, {dim3(blocks), dim3(64)}, words.data(), true);
                     }),
                     "deadlock"));
  }
  const auto before = the_gpu().settings();
  EXPECT_THROW(the_gpu().set({.resident_blocks = 0}), std::invalid_argument);
  EXPECT_THROW(the_gpu().set({.resident_blocks = 4, .taken = 4}), std::invalid_argument);
  EXPECT_EQ(the_gpu().settings().resident_blocks, before.resident_blocks);
  EXPECT_EQ(the_gpu().settings().taken, before.taken);
}

// As many blocks as there is room for wait for each other, in the order of their beginning: all are resident then.
__global__ void meet_in_places(unsigned room, unsigned* next, std::uint64_t* met, unsigned* places) {
  const unsigned number = atomicAdd(next, 1u), group = number / room;
  places[number] = multiprocessor();
  if (number % room == room - 1) store_word(met + group, std::uint64_t{1});
  for (std::uint64_t seen = 0; seen == 0;) load_word(met + group, seen);
}

TEST(ResidentBlocksTest, HavePlacesThatAreUsedAgain) {
  constexpr unsigned room = 4;
  for (const auto& settings :
       {GpuSettings{.resident_blocks = room, .cores = 1}, GpuSettings{.resident_blocks = room, .cores = 3},
        GpuSettings{.resident_blocks = room, .schedule = {Schedule::Kind::random, 3}}}) {
    const WithSettings set(settings);
    const Zeroed<unsigned> next(1), places(blocks);
    const Zeroed<std::uint64_t> met(blocks / room);
    launch_kernel(nullptr, meet_in_places, {dim3(blocks), dim3(1)}, room, next.data(), met.data(), places.data());
    auto all = places.values();
    for (auto group = all.begin(); group != all.end(); group += room) {
      std::sort(group, group + room);
      ASSERT_EQ(std::vector(group, group + room), (std::vector<unsigned>{0, 1, 2, 3})) << group - all.begin();
    }
  }
}

// The first block stays until the last one has begun: the others come one after another, each in the place of the one before.
__global__ void stay_in_place(std::uint64_t* last, unsigned* places) {
  places[blockIdx.x] = multiprocessor();
  if (blockIdx.x + 1 == gridDim.x) store_word(last, std::uint64_t{1});
  if (blockIdx.x == 0)
    for (std::uint64_t seen = 0; seen == 0;) load_word(last, seen);
}

TEST(ResidentBlocksTest, APlaceIsUsedAgainWhenItsBlockHasEnded) {
  for (const int cores : {1, 3}) {
    const WithSettings set({.resident_blocks = 2, .cores = cores});
    const Zeroed<std::uint64_t> last(1);
    const Zeroed<unsigned> places(blocks);
    launch_kernel(nullptr, stay_in_place, {dim3(blocks), dim3(1)}, last.data(), places.data());
    for (std::size_t b = 0; b < blocks; ++b) ASSERT_EQ(places[b], b == 0 ? 0u : 1u) << b;
  }
}

// Fewer resident blocks than workers: those without a block continue when there is room.
TEST(ResidentBlocksTest, WorkersWaitForRoom) { check_relay<std::uint64_t>(false, {.resident_blocks = 1, .cores = 3}); }

// Threads of one block wait for each other's words: lanes that poll let those run that still have to write.
__global__ void relay_in_block(std::uint64_t* words) {
  const unsigned t = threadIdx.x, count = blockDim.x;
  if (t + 1 < count)
    for (std::uint64_t seen = 0; seen == 0;) load_word(words + t + 1, seen);
  store_word(words + t, std::uint64_t{t} + 1);
}

TEST(ResidentBlocksTest, ThreadsOfABlockWaitForEachOther) {
  for (const auto& settings : {GpuSettings{.cores = 1}, GpuSettings{.schedule = {Schedule::Kind::random, 3}}}) {
    const WithSettings set(settings);
    Zeroed<std::uint64_t> words(96);
    launch_kernel(nullptr, relay_in_block, {dim3(1), dim3(96)}, words.data());
    for (std::size_t t = 0; t < 96; ++t) ASSERT_EQ(words[t], t + 1);
  }
}

// A warp that votes on the words its lanes have loaded waits too, and lets the next block run.
__global__ void vote_on_words(std::uint64_t* words) {
  if (blockIdx.x + 1 == gridDim.x) {
    store_word(words + threadIdx.x, std::uint64_t{1});
    return;
  }
  if (threadIdx.x < 32) {
    std::uint64_t seen = 0;
    do load_word(words + threadIdx.x, seen);
    while (__ballot_sync(0xffffffffu, seen != 0) != 0xffffffffu);
  }
  __syncthreads();
}

TEST(ResidentBlocksTest, VotingWarpsLetOthersRun) {
  for (const auto& settings : {GpuSettings{.cores = 1}, GpuSettings{.schedule = {Schedule::Kind::random, 3}}}) {
    const WithSettings set(settings);
    Zeroed<std::uint64_t> words(64);
    launch_kernel(nullptr, vote_on_words, {dim3(5), dim3(64)}, words.data());
    EXPECT_EQ(words[31], 1u);
  }
}

// Likewise if a few lanes poll and the others vote, twice per poll: look_back_warp() near the start of a line.
__global__ void vote_twice(std::uint64_t* words, unsigned pollers) {
  if (blockIdx.x + 1 == gridDim.x) {
    if (threadIdx.x < pollers) store_word(words + threadIdx.x, std::uint64_t{1});
    return;
  }
  std::uint64_t seen = threadIdx.x < pollers ? 0 : 1;
  unsigned voted = 0;
  do {
    if (threadIdx.x < pollers) load_word(words + threadIdx.x, seen);
    voted = __ballot_sync(0xffffffffu, seen != 0);
  } while ((voted & __ballot_sync(0xffffffffu, seen == 1)) != 0xffffffffu);
}

TEST(ResidentBlocksTest, LanesThatOnlyVoteLetOthersRun) {
  for (const auto& settings :
       {GpuSettings{.cores = 1}, GpuSettings{.cores = 2}, GpuSettings{.schedule = {Schedule::Kind::random, 3}}}) {
    const WithSettings set(settings);
    for (const unsigned pollers : {1u, 3u}) {
      Zeroed<std::uint64_t> words(3);
      launch_kernel(nullptr, vote_twice, {dim3(5), dim3(32)}, words.data(), pollers);
      EXPECT_EQ(words[pollers - 1], 1u);
    }
  }
}

// Two warps of a block vote, each on the word that one of its lanes polls: both get their turn to poll.
__global__ void vote_by_warps(std::uint64_t* words, unsigned first_poller, unsigned second_poller) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (blockIdx.x + 1 == gridDim.x) {
    if (threadIdx.x == 0) store_word(words + 1, std::uint64_t{1});
    return;
  }
  const bool polls = lane == (warp == 0 ? first_poller : second_poller);
  std::uint64_t seen = polls ? 0 : 1;
  do
    if (polls) load_word(words + warp, seen);
  while (__ballot_sync(0xffffffffu, seen != 0) != 0xffffffffu);
  if (warp == 1 && polls) store_word(words, std::uint64_t{1});  // what the first warp waits for
}

TEST(ResidentBlocksTest, EveryVotingWarpGetsItsTurn) {
  for (const int cores : {1, 2}) {
    const WithSettings set({.cores = cores});
    for (const unsigned first : {0u, 1u, 5u, 31u})
      for (const unsigned second : {0u, 1u, 5u, 31u}) {
        Zeroed<std::uint64_t> words(2);
        launch_kernel(nullptr, vote_by_warps, {dim3(2), dim3(64)}, words.data(), first, second);
        EXPECT_EQ(words[0], 1u);
      }
  }
}

// A thread polls several words in turn. The one that matters is written after all have long been polled without news: all
// are polled once more before a deadlock is reported.
__global__ void poll_in_turn(std::uint64_t* words, unsigned count) {
  if (blockIdx.x == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    store_word(words, std::uint64_t{1});
    return;
  }
  std::uint64_t seen[8] = {};
  while (seen[0] == 0)
    for (unsigned i = 0; i < count; ++i) load_word(words + i, seen[i]);
}

TEST(ResidentBlocksTest, EveryWordIsPolledAgainAfterNews) {
  const WithSettings set({.cores = 2});
  for (unsigned count = 1; count <= 8; ++count) {
    Zeroed<std::uint64_t> words(8);
    launch_kernel(nullptr, poll_in_turn, {dim3(2), dim3(1)}, words.data(), count);
    EXPECT_EQ(words[0], 1u);
  }
}

// Threads that read on, and one word again and again between, wait for nobody, although none of them writes. With three loads of
// that word in succession, all threads are at such loads at times.
__global__ void read_on(const std::uint64_t* words, unsigned count, std::uint64_t* sum) {
  std::uint64_t total = 0;
  for (unsigned i = 1; i < count; ++i) {
    std::uint64_t root = 0, word = 0;
    for (int again = 0; again < 3; ++again) load_word(words, root);
    load_word(words + i, word);
    total += root + word;
  }
  if (threadIdx.x == 0) *sum = total;
}

TEST(ResidentBlocksTest, WhoReadsOnDoesNotWait) {
  for (const int cores : {1, 2}) {
    const WithSettings set({.cores = cores});
    Zeroed<std::uint64_t> words(100), sum(1);
    std::fill_n(words.data(), 100, std::uint64_t{1});
    launch_kernel(nullptr, read_on, {dim3(1), dim3(64)}, words.data(), 100u, sum.data());
    EXPECT_EQ(sum[0], 198u);
  }
}

// The launch throws what device code throws, and the next launch works again.
__global__ void throw_in_the_middle() {
  __syncthreads();
  if (threadIdx.x == 40) throw std::bad_alloc();
  __syncthreads();
}

TEST(ResidentBlocksTest, ExceptionsReachTheCaller) {
  for (const int cores : {1, 2}) {
    const WithSettings set({.cores = cores});
    EXPECT_THROW(launch_kernel(nullptr, throw_in_the_middle, {dim3(8), dim3(64)}), std::bad_alloc);
    check_relay<std::uint64_t>(false, {.resident_blocks = blocks, .cores = cores});
  }
}

// A barrier of the whole grid, as in cooperative launches.
__global__ void meet_twice(unsigned* arrived, std::uint64_t* passed, int* out) {
  for (int round = 1; round <= 2; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      if (atomicAdd(arrived, 1u) + 1 == static_cast<unsigned>(round) * gridDim.x)
        store_word(passed, static_cast<std::uint64_t>(round));
      for (std::uint64_t seen = 0; seen < static_cast<std::uint64_t>(round);) load_word(passed, seen);
    }
    __syncthreads();
    if (round == 1) out[blockIdx.x] = static_cast<int>(blockIdx.x);
  }
  out[gridDim.x + blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x];
}

cudaError_t launch_together(unsigned count, const GpuSettings& settings, std::vector<int>& out) {
  const WithSettings set(settings);
  Zeroed<unsigned> arrived(1);
  Zeroed<std::uint64_t> passed(1);
  Zeroed<int> results(2 * count);
  auto* arrived_at = arrived.data();
  auto* passed_at = passed.data();
  auto* results_at = results.data();
  void* arguments[] = {&arrived_at, &passed_at, &results_at};
  const auto code = cudaLaunchCooperativeKernel(kernel_address(meet_twice), dim3(count), dim3(32), arguments, 0, nullptr);
  out = results.values();
  return code;
}

TEST(ResidentBlocksTest, ACooperativeLaunchHasAllBlocksResident) {
  for (const auto& settings :
       {GpuSettings{.cores = 1}, GpuSettings{.cores = 2}, GpuSettings{.schedule = {Schedule::Kind::random, 7}}}) {
    std::vector<int> out;
    ASSERT_EQ(launch_together(264, settings, out), cudaSuccess);
    for (std::size_t b = 0; b < 264; ++b) ASSERT_EQ(out[264 + b], static_cast<int>((b + 1) % 264));
  }
}

TEST(ResidentBlocksTest, ACooperativeLaunchThatDoesNotFitIsRefused) {
  std::vector<int> out;
  EXPECT_EQ(launch_together(265, {}, out), cudaErrorCooperativeLaunchTooLarge);
}

// The schedule determines the order: in order, the first warp comes first; at random, different seeds give different
// orders, and equal seeds the same, whatever the number of cores.
__global__ void sign_in(int* next, int* who) {
  if (threadIdx.x % 32 == 0) who[atomicAdd(next, 1)] = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
}

std::vector<int> order_of(const Schedule& schedule, int cores = 1) {
  const WithSettings set({.resident_blocks = 16, .cores = cores, .schedule = schedule});
  Zeroed<int> next(1), who(256);
  launch_kernel(nullptr, sign_in, {dim3(64), dim3(128)}, next.data(), who.data());
  return who.values();
}

TEST(ResidentBlocksTest, ASeedDeterminesTheOrder) {
  const auto in_order = order_of({});
  EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
  const auto first = order_of({Schedule::Kind::random, 1}), again = order_of({Schedule::Kind::random, 1}),
             second = order_of({Schedule::Kind::random, 2});
  EXPECT_EQ(first, again);
  EXPECT_NE(first, second);
  EXPECT_NE(first, in_order);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, in_order) << "every warp ran once";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(order_of({Schedule::Kind::random, 1}, 4), first);
}

}  // namespace
}  // namespace gpu::simulated
