// Atomics of all kinds and types, in global and in shared memory, and threads that wait by them.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/simulated/tests/kernels.cuh"

extern "C" void __sanitizer_cov_trace_pc();

namespace gpu::simulated {
namespace {

constexpr GpuSettings at_random{.resident_blocks = 8, .cores = 1, .schedule = {Schedule::Kind::random, 3}};
constexpr unsigned blocks = 3, threads = 70, all = blocks * threads;

enum class Change { add, sub, exchange, minimum, maximum, bit_and, bit_or, bit_xor, compare, increment, decrement };

template <Change change, class T>
__device__ T apply(T* at, T value, T expected) {
  if constexpr (change == Change::add) return atomicAdd(at, value);
  if constexpr (change == Change::sub) return atomicSub(at, value);
  if constexpr (change == Change::exchange) return atomicExch(at, value);
  if constexpr (change == Change::minimum) return atomicMin(at, value);
  if constexpr (change == Change::maximum) return atomicMax(at, value);
  if constexpr (change == Change::bit_and) return atomicAnd(at, value);
  if constexpr (change == Change::bit_or) return atomicOr(at, value);
  if constexpr (change == Change::bit_xor) return atomicXor(at, value);
  if constexpr (change == Change::compare) return atomicCAS(at, expected, value);
  if constexpr (change == Change::increment) return atomicInc(at, value);
  if constexpr (change == Change::decrement) return atomicDec(at, value);
}

template <class T>
struct One {
  T word;
};
template <Change change, class T>
__global__ void change_once(T* word, T* out, T value, T expected) {
  out[0] = apply<change>(word, value, expected);
  auto& shared = static_shared<One<T>>().word;
  shared = out[0];
  out[1] = apply<change>(&shared, value, expected);
  out[2] = shared;
}

// What a word is made of, in global and in shared memory.
template <Change change, class T>
void expect_change(T before, T value, T after, T expected = T{}) {
  for (const auto& settings : {one_core, at_random}) {
    const WithSettings set(settings);
    const Zeroed<T> word(1), out(3);
    word[0] = before;
    launch_kernel(nullptr, change_once<change, T>, {dim3(1), dim3(1)}, word.data(), out.data(), value, expected);
    EXPECT_EQ(word[0], after);
    EXPECT_EQ(out.values(), (std::vector<T>{before, before, after}));
  }
}

template <class T>
void expect_bits() {
  expect_change<Change::bit_and>(T{12}, T{10}, T{8});
  expect_change<Change::bit_or>(T{12}, T{10}, T{14});
  expect_change<Change::bit_xor>(T{12}, T{10}, T{6});
  expect_change<Change::compare>(T{12}, T{10}, T{10}, T{12});
  expect_change<Change::compare>(T{12}, T{10}, T{12}, T{11});
}
template <class T>
void expect_order(T low, T high) {
  expect_change<Change::minimum>(low, high, low);
  expect_change<Change::minimum>(high, low, low);
  expect_change<Change::maximum>(low, high, high);
  expect_change<Change::maximum>(high, low, high);
}

TEST(AtomicsTest, EachKindForEachType) {
  using Long = unsigned long long;
  expect_change<Change::add>(-3, 5, 2);
  expect_change<Change::add>(~0u, 2u, 1u);
  expect_change<Change::add>(~Long{0}, Long{2}, Long{1});
  expect_change<Change::add>(1.5f, 2.25f, 3.75f);
  expect_change<Change::add>(1.5, -2.25, -0.75);
  expect_change<Change::sub>(-3, 5, -8);
  expect_change<Change::sub>(1u, 2u, ~0u);
  expect_change<Change::exchange>(-3, 5, 5);
  expect_change<Change::exchange>(3u, 5u, 5u);
  expect_change<Change::exchange>(Long{3}, Long{1} << 40, Long{1} << 40);
  expect_change<Change::exchange>(3.5f, 0.5f, 0.5f);
  expect_order(-2, 1);
  expect_order(1u, 0xfffffffeu);
  expect_order(-2ll, 1ll << 40);
  expect_order(Long{1}, ~Long{1});
  expect_bits<int>();
  expect_bits<unsigned>();
  expect_bits<Long>();
  expect_change<Change::increment>(3u, 4u, 4u);
  expect_change<Change::increment>(4u, 4u, 0u);
  expect_change<Change::increment>(9u, 4u, 0u);
  expect_change<Change::decrement>(3u, 4u, 2u);
  expect_change<Change::decrement>(0u, 4u, 4u);
  expect_change<Change::decrement>(9u, 4u, 4u);
}

// No change is lost, with values that the compiler converts as CUDA's functions do.
__global__ void change_together(unsigned* words, float* sum, double* wide_sum) {
  const auto i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&words[0], 1);
  atomicMax(&words[1], i);
  atomicOr_block(&words[2], 1u << i % 32);
  atomicInc(&words[3], 9);
  atomicAdd_system(sum, 1);
  atomicAdd(wide_sum, 0.25f);
  for (auto before = words[4];;) {
    const auto found = atomicCAS(&words[4], before, before + 2);
    if (found == before) break;
    before = found;
  }
}
TEST(AtomicsTest, NoChangeIsLost) {
  for (const auto& settings : {one_core, at_random, GpuSettings{.cores = 2}}) {
    const WithSettings set(settings);
    const Zeroed<unsigned> words(5);
    const Zeroed<float> sum(1);
    const Zeroed<double> wide_sum(1);
    launch_kernel(nullptr, change_together, {dim3(blocks), dim3(threads)}, words.data(), sum.data(), wide_sum.data());
    EXPECT_EQ(words.values(), (std::vector<unsigned>{all, all - 1, ~0u, all % 10, 2 * all}));
    EXPECT_EQ(sum[0], all);
    EXPECT_EQ(wide_sum[0], all * 0.25);
  }
}

// Rounding depends on the order, which is that of the schedule: the same for the same seed.
// Beside the large number the others are lost.
__global__ void add_sizes(float* sum) { atomicAdd(sum, blockIdx.x == 1 && threadIdx.x == 5 ? 1e8f : 3.0f); }
float sum_of(const GpuSettings& settings) {
  const WithSettings set(settings);
  const Zeroed<float> sum(1);
  launch_kernel(nullptr, add_sizes, {dim3(4), dim3(64)}, sum.data());
  return sum[0];
}
TEST(AtomicsTest, FloatSumsFollowTheSchedule) {
  EXPECT_EQ(sum_of(one_core), sum_of(one_core));
  std::vector<float> sums;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const GpuSettings settings{.cores = 1, .schedule = {Schedule::Kind::random, seed}};
    sums.push_back(sum_of(settings));
    EXPECT_EQ(sum_of(settings), sums.back()) << seed;
  }
  EXPECT_NE(*std::ranges::min_element(sums), *std::ranges::max_element(sums));
}

__global__ void change_misaligned(unsigned char* at) { atomicAdd(reinterpret_cast<unsigned*>(at + 2), 1u); }
TEST(AtomicsTest, MisalignedAtomicsAreFaults) {
  const Zeroed<unsigned char> at(8);
  const auto fault = fault_of([&] { launch_kernel(nullptr, change_misaligned, {dim3(1), dim3(1)}, at.data()); });
  EXPECT_TRUE(says(fault, "misaligned: an atomic at an address that is not a multiple of 4 bytes"));
  EXPECT_TRUE(says(fault, "atomics_test.cu:"));
}

// A lock, and a thread that waits for the last: neither hangs, whoever runs first.
__global__ void count_under_lock(unsigned* lock, unsigned* count, unsigned* seen) {
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0u, 1u) != 0) {}
    __threadfence();
    ++*count;
    __threadfence();
    atomicExch(lock, 0u);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    while (atomicAdd(&seen[0], 0u) != gridDim.x - 1) {}
    seen[1] = 1;
  } else if (threadIdx.x == 0) {
    atomicAdd(&seen[0], 1u);
  }
}
TEST(AtomicsTest, ThreadsWaitForLocksAndCounters) {
  for (const auto& settings : {one_core, at_random, GpuSettings{.cores = 2}}) {
    const WithSettings set(settings);
    const Zeroed<unsigned> lock(1), count(1), seen(2);
    launch_kernel(nullptr, count_under_lock, {dim3(4), dim3(64)}, lock.data(), count.data(), seen.data());
    EXPECT_EQ(seen[1], 1u);
    EXPECT_EQ(count[0], 8u);
  }
}

__global__ void wait_for_nobody(unsigned* lock) {
  while (atomicExch(lock, 1u) != 0) {}
}
TEST(AtomicsTest, ALockThatNobodyReleasesIsADeadlock) {
  const Zeroed<unsigned> lock(1);
  const auto fault = fault_of([&] { launch_kernel(nullptr, wait_for_nobody, {dim3(1), dim3(2)}, lock.data()); });
  EXPECT_TRUE(says(fault, "deadlock"));
  EXPECT_TRUE(says(fault, "wait for a word at atomics_test.cu:"));
}

// Atomics that change nothing are no wait by themselves.
__global__ void find_same_often(unsigned* word, unsigned* out) {
  unsigned found = 0;
  for (unsigned i = 0; i < 2000; ++i) found += atomicCAS(word, 5u, i) == 0;
  out[blockIdx.x] = found;
}
TEST(AtomicsTest, FindingTheSameOftenIsNoDeadlock) {
  const WithSettings set(one_core);
  const Zeroed<unsigned> word(1), out(2);
  launch_kernel(nullptr, find_same_often, {dim3(2), dim3(1)}, word.data(), out.data());
  EXPECT_EQ(out.values(), (std::vector<unsigned>{2000, 2000}));
}

// As in users' kernels, whose code calls it in every basic block.
__global__ void spin(unsigned* flag, unsigned* out) {
  if (blockIdx.x + 1 == gridDim.x) {
    *static_cast<volatile unsigned*>(flag) = 1;
  } else {
    while (*static_cast<volatile unsigned*>(flag) == 0) __sanitizer_cov_trace_pc();
    if (threadIdx.x == 0) out[blockIdx.x] = 1;
  }
}
TEST(AtomicsTest, VolatileLoopsLetOthersRun) {
  for (const auto& settings : {one_core, at_random}) {
    const WithSettings set(settings);
    const Zeroed<unsigned> flag(1), out(3);
    launch_kernel(nullptr, spin, {dim3(3), dim3(2)}, flag.data(), out.data());
    EXPECT_EQ(out.values(), (std::vector<unsigned>{1, 1, 0}));
  }
}
// Long work is not taken for a wait.
__global__ void work_for_long(unsigned* out) {
  for (unsigned i = 0; i < 12'000'000; ++i) __sanitizer_cov_trace_pc();
  out[0] = 1;
}
TEST(AtomicsTest, LongWorkIsNoDeadlock) {
  const WithSettings set(one_core);
  const Zeroed<unsigned> out(1);
  launch_kernel(nullptr, work_for_long, {dim3(1), dim3(1)}, out.data());
  EXPECT_EQ(out[0], 1u);
}

}  // namespace
}  // namespace gpu::simulated
