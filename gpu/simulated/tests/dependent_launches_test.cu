// Dependent launches: what a launch does before it waits for the one before it runs, in random schedules, as if that had not run
// yet; every thread has to wait.
#include <set>

#include "gpu/simulated/tests/kernels.cuh"

namespace gpu::simulated {
namespace {

constexpr std::uint64_t seeds = 60;
constexpr unsigned threads = 40, blocks = 3;

enum class When { before_wait, after_wait };
constexpr Grid shape(Start start, unsigned count = blocks) { return {dim3(count), dim3(threads), 0, start}; }

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void write_ones(unsigned* to) { to[index()] = 1; }

__global__ void copy_words(const unsigned* from, unsigned* to, When when) {
  let_next_launch_start();
  unsigned word = when == When::before_wait ? from[index()] : 0;
  wait_for_previous_launch();
  if (when == When::after_wait) word = from[index()];
  to[index()] = word;
}

GpuSettings random_schedule(std::uint64_t seed) {
  return {.resident_blocks = 2 + static_cast<int>(seed % 3), .cores = 1, .schedule = {Schedule::Kind::random, seed}};
}

// Whether in some schedule the second launch does not see what the first writes. With `between` before the second.
template <class Between>
bool misses(When when, Start start, Between between) {
  bool missed = false;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set(random_schedule(seed));
    const Zeroed<unsigned> words(blocks * threads), copies(blocks * threads);
    launch_kernel(nullptr, write_ones, shape(Start::in_order), words.data());
    between();
    launch_kernel(nullptr, copy_words, shape(start), words.data(), copies.data(), when);
    EXPECT_EQ(words.values(), std::vector<unsigned>(blocks * threads, 1)) << "seed " << seed;
    missed |= copies.values() != words.values();
  }
  return missed;
}
constexpr auto nothing = [] {};

TEST(DependentLaunchesTest, SeeThePreviousOneOnlyBehindTheWait) {
  EXPECT_TRUE(misses(When::before_wait, Start::dependent, nothing));
  EXPECT_FALSE(misses(When::after_wait, Start::dependent, nothing));
  EXPECT_FALSE(misses(When::before_wait, Start::in_order, nothing));
}

TEST(DependentLaunchesTest, StartInOrderAfterSomethingElse) {
  const Zeroed<unsigned> other(1);
  EXPECT_FALSE(misses(When::before_wait, Start::dependent, [&] { check(cudaMemset(other.data(), 1, sizeof(unsigned))); }));
  EXPECT_FALSE(misses(When::before_wait, Start::dependent, [&] {
    const unsigned one = 1;
    check(cudaMemcpyAsync(other.data(), &one, sizeof one, cudaMemcpyHostToDevice, nullptr));
  }));
  EXPECT_FALSE(misses(When::before_wait, Start::dependent, [] { const Zeroed<unsigned> allocated(1); }));
}

TEST(DependentLaunchesTest, RunInOrderInTheOrderOfBlocks) {
  const Zeroed<unsigned> words(blocks * threads), copies(blocks * threads);
  for (int repeat = 0; repeat < 2; ++repeat) {
    launch_kernel(nullptr, write_ones, shape(Start::in_order), words.data());
    launch_kernel(nullptr, copy_words, shape(Start::dependent), words.data(), copies.data(), When::before_wait);
    EXPECT_EQ(copies.values(), words.values());
  }
}

// The second of three launches waits, and lets the third start, in either order; the third reads early what the first wrote.
__global__ void let_and_wait(bool waits_first) {
  if (waits_first) wait_for_previous_launch();
  let_next_launch_start();
  wait_for_previous_launch();
}
bool third_misses_first(bool waits_first) {
  bool missed = false;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set(random_schedule(seed));
    const Zeroed<unsigned> words(blocks * threads), copies(blocks * threads);
    launch_kernel(nullptr, write_ones, shape(Start::in_order), words.data());
    launch_kernel(nullptr, let_and_wait, shape(Start::dependent), waits_first);
    launch_kernel(nullptr, copy_words, shape(Start::dependent), words.data(), copies.data(), When::before_wait);
    missed |= copies.values() != words.values();
  }
  return missed;
}

TEST(DependentLaunchesTest, AreTransitiveIfTheNextOneMayStartBeforeTheWait) {
  EXPECT_TRUE(third_misses_first(false));
  EXPECT_FALSE(third_misses_first(true));
}

// What is written too early is lost, or overwrites what the launch before writes; where nobody else writes, it is there.
__global__ void write_twos_early(unsigned* to, unsigned* own) {
  to[index()] = 2;
  own[index()] = 3;
  wait_for_previous_launch();
}

TEST(DependentLaunchesTest, WriteAtOnceWhatTheyWriteEarly) {
  std::set<unsigned> seen;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set(random_schedule(seed));
    const Zeroed<unsigned> words(blocks * threads), own(blocks * threads);
    launch_kernel(nullptr, write_ones, shape(Start::in_order), words.data());
    launch_kernel(nullptr, write_twos_early, shape(Start::dependent), words.data(), own.data());
    ASSERT_EQ(own.values(), std::vector<unsigned>(blocks * threads, 3)) << "nobody else writes there";
    const auto values = words.values();
    seen.insert(values.begin(), values.end());
  }
  EXPECT_EQ(seen, (std::set<unsigned>{1, 2}));
}

// Barriers, shuffles and returned threads around the wait.
struct Sums {
  unsigned of_thread[threads];
};
__global__ void sum_around_wait(const unsigned* from, unsigned* to) {
  if (threadIdx.x == threads - 1) return wait_for_previous_launch();
  auto& sums = static_shared<Sums>();
  sums.of_thread[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const unsigned neighbour = sums.of_thread[(threadIdx.x + 1) % (threads - 1)];
  if (threadIdx.x % 2 == 0) wait_for_previous_launch();
  __syncthreads();
  wait_for_previous_launch();
  to[index()] = neighbour + from[index()];
}

TEST(DependentLaunchesTest, WaitInAnyPlace) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const WithSettings set(random_schedule(seed));
    const Zeroed<unsigned> words(blocks * threads), sums(blocks * threads);
    launch_kernel(nullptr, write_ones, shape(Start::in_order), words.data());
    launch_kernel(nullptr, sum_around_wait, shape(Start::dependent), words.data(), sums.data());
    for (unsigned i = 0; i < blocks * threads; ++i) {
      const unsigned thread = i % threads;
      ASSERT_EQ(sums[i], thread == threads - 1 ? 0 : (thread + 1) % (threads - 1) + 1) << "seed " << seed;
    }
  }
}

__global__ void some_wait(bool all) {
  if (all || threadIdx.x % 7 != 0) wait_for_previous_launch();
}

TEST(DependentLaunchesTest, EveryThreadHasToWait) {
  const auto start = [](bool all, Start how) {
    return fault_of([&] { launch_kernel(nullptr, some_wait, shape(how), all); });
  };
  EXPECT_TRUE(says(start(false, Start::dependent), "ends without wait_for_previous_launch()"));
  EXPECT_TRUE(says(start(false, Start::dependent), "some_wait"));
  EXPECT_EQ(start(true, Start::dependent), "");
  EXPECT_EQ(start(false, Start::in_order), "");
  const WithSettings set(random_schedule(1));
  EXPECT_EQ(start(true, Start::dependent), "");
  EXPECT_TRUE(says(start(false, Start::dependent), "ends without wait_for_previous_launch()"));
  EXPECT_EQ(start(true, Start::dependent), "") << "the launch after a fault";
}

}  // namespace
}  // namespace gpu::simulated
