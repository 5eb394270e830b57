// look_back.cuh on the GPU: slots that blocks write and read concurrently, and carries while blocks are delayed. Tests of
// the protocol for every order of events are in look_back_model_test.cpp.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/look_back.cuh"

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

// One slot in global memory: a tagged word whose tag is the status. Zeroed before the kernel starts.
template <class Sum>
struct Slot : TaggedWord<Sum> {
  __device__ void publish(Status state, Sum sum) { TaggedWord<Sum>::publish(static_cast<std::uint32_t>(state), sum); }
  __device__ Published<Sum> read() const { return published(load()); }
  __device__ Tagged<Sum> load() const { return TaggedWord<Sum>::read(); }
  static __device__ Published<Sum> published(Tagged<Sum> seen) { return {seen.value, static_cast<Status>(seen.tag)}; }
};

template <class Sum>
class LookBackTest : public PerSum<Sum> {};
TYPED_TEST_SUITE(LookBackTest, Sums);

// Like zeroed memory, or like memory after publish().
template <class Sum>
Slot<Sum> slot_of(Status status, Sum value) {
  Slot<Sum> slot;
  static_assert(sizeof slot.value == sizeof value && sizeof slot == 2 * sizeof value);
  memcpy(&slot.value, &value, sizeof value);
  slot.tag = static_cast<typename Slot<Sum>::Bits>(status);
  return slot;
}

template <class Sum>
OnDevice<Slot<Sum>> empty_slots(std::size_t count) {
  return OnDevice(std::vector<Slot<Sum>>(count, slot_of(Status::empty, Sum(0))));
}

// The position of a block in the order of start.
__device__ int take_place(int* next) {
  auto& place = static_shared<int>();
  if (threadIdx.x == 0) place = atomicAdd(next, 1);
  __syncthreads();
  return place;
}

// The first block to start publishes repeatedly while others read. The value contains the number of the publication, in
// both halves if it has 8 bytes; the status says whether the number is odd.
template <class Sum>
__device__ Sum value_of(unsigned number) {
  if constexpr (sizeof(Sum) == 4)
    return number;
  else
    return static_cast<Sum>(number) << 32 | ~number;
}
template <class Sum>
__global__ void talk(Slot<Sum>* slot, int* next, unsigned count, unsigned* torn, unsigned* backwards) {
  if (take_place(next) == 0) {
    for (unsigned number = 1; number <= count; ++number)
      slot->publish(number % 2 == 0 ? Status::local : Status::global, value_of<Sum>(number));
    return;
  }
  for (unsigned last = 0; last < count;) {
    const auto seen = slot->read();
    const auto number = static_cast<unsigned>(sizeof(Sum) == 4 ? seen.value : seen.value >> (4 * sizeof(Sum)));
    const auto status = number == 0 ? Status::empty : number % 2 == 0 ? Status::local : Status::global;
    if (seen.status != status || seen.value != (number == 0 ? 0 : value_of<Sum>(number))) atomicAdd(torn, 1u);
    if (number < last) atomicAdd(backwards, 1u);
    last = number;
  }
}

template <class Sum>
void check_talk() {
  const auto slot = empty_slots<Sum>(1);
  const OnDevice<int> next(std::vector<int>{0});
  const OnDevice<unsigned> torn(std::vector<unsigned>{0}), backwards(std::vector<unsigned>{0});
  start(talk<Sum>, {dim3(9), dim3(1)}, slot.data(), next.data(), 20'000u, torn.data(), backwards.data());
  if (!done_within(time_limit, nullptr)) give_up("LookBack, talk");
  EXPECT_EQ(torn.back()[0], 0u) << "value and status are not of one publication";
  EXPECT_EQ(backwards.back()[0], 0u) << "an older publication was read after a newer one";
}

class LookBackSlotsTest : public NeedsGpu<testing::Test> {};
TEST_F(LookBackSlotsTest, AreNeverSeenHalfWritten) {
  check_talk<std::uint32_t>();
  check_talk<std::uint64_t>();
}

// Slots that do not change: `count` of them before the block's own, all local except a global one `global_at` positions
// back (0: none). Values behind that, and before the start of the line, must not be added or waited for.
struct Standing {
  int count, global_at;
};
constexpr Standing standing[] = {{0, 0},  {1, 0},   {3, 0},   {4, 0},   {5, 0},   {31, 0},  {32, 0},  {33, 0},
                                 {64, 0}, {65, 0},  {99, 0},  {1, 1},   {5, 1},   {5, 4},   {5, 5},   {40, 1},
                                 {40, 2}, {40, 31}, {40, 32}, {40, 33}, {40, 40}, {99, 64}, {99, 65}, {99, 98}};
constexpr int cases = static_cast<int>(std::size(standing)), slots_per_case = 128;

// One case per block of one warp. Each lane looks back alone, by fours and by ones, and then all lanes together. `depths`: how
// far they went.
template <class Sum>
__global__ void look_back_at(const Slot<Sum>* slots, const int* counts, Sum* by_fours, Sum* by_ones, Sum* together,
                             int* depths) {
  const int number = static_cast<int>(blockIdx.x), i = number * warp_lanes + static_cast<int>(threadIdx.x);
  const Slot<Sum>* mine = slots + (number + 1) * slots_per_case - 1;
  const auto slot = [&](int d) { return mine - d; };
  int alone = 0, as_warp = 0;
  by_fours[i] = look_back<Sum>(counts[number], slot, [&](int d) { alone = d; });
  by_ones[i] = look_back<Sum, 1>(counts[number], slot);
  together[i] = look_back_warp<Sum>(counts[number], slot, [&](int d) { as_warp = d; });
  depths[2 * i] = alone;
  depths[2 * i + 1] = as_warp;
}

TYPED_TEST(LookBackTest, AddsUpToTheFirstGlobalSum) {
  const auto values = numbers<TypeParam>(cases * slots_per_case);
  std::vector<Slot<TypeParam>> slots;
  std::vector<TypeParam> carries;
  std::vector<int> counts, depths;
  for (int c = 0; c < cases; ++c) {
    const auto [count, global_at] = standing[c];
    TypeParam carry = 0;
    for (int d = slots_per_case - 1; d >= 0; --d) {
      const auto value = values[static_cast<std::size_t>(c * slots_per_case + d)];
      const bool counts_too = d >= 1 && d <= count && (global_at == 0 || d <= global_at);
      if (counts_too) carry += value;
      // Elsewhere all three states.
      const auto status = !counts_too ? static_cast<Status>(d % 3) : d == global_at ? Status::global : Status::local;
      slots.push_back(slot_of(status, value));
    }
    carries.insert(carries.end(), warp_lanes, carry);
    counts.push_back(count);
    depths.insert(depths.end(), 2 * warp_lanes, global_at == 0 ? count : global_at);
  }
  const OnDevice<Slot<TypeParam>> there(slots);
  const OnDevice<int> there_counts(counts), seen_depths(depths.size());
  const OnDevice<TypeParam> by_fours(carries.size()), by_ones(carries.size()), together(carries.size());
  start(look_back_at<TypeParam>, {dim3(cases), dim3(warp_lanes)}, there.data(), there_counts.data(), by_fours.data(),
        by_ones.data(), together.data(), seen_depths.data());
  if (!done_within(time_limit, nullptr)) give_up("LookBack, slots that do not change");
  EXPECT_TRUE(same(by_fours.back(), carries));
  EXPECT_TRUE(same(by_ones.back(), carries));
  EXPECT_TRUE(same(together.back(), carries));
  EXPECT_TRUE(same(seen_depths.back(), depths));
}

// A slot that stays empty: a thread alone adds all slots before it, a warp all steps of 32 slots before it; then their budgets are spent.
template <class Sum>
__global__ void look_back_at_a_gap(const Slot<Sum>* mine, int count, Sum* alone, Sum* together, int* over) {
  const auto slot = [&](int d) { return mine - d; };
  PollBudget of_thread{1}, of_warp{1};
  alone[threadIdx.x] = look_back<Sum>(count, slot, Unobserved{}, of_thread);
  together[threadIdx.x] = look_back_warp<Sum>(count, slot, Unobserved{}, of_warp);
  over[threadIdx.x] = of_thread.spent() && of_warp.spent();
}

TYPED_TEST(LookBackTest, GivesUpAtASlotThatStaysEmpty) {
  constexpr int count = 40, gap = 35;
  const auto values = numbers<TypeParam>(count + 1);
  std::vector<Slot<TypeParam>> slots;
  TypeParam before_gap = 0, first_step = 0;
  for (int d = count; d >= 0; --d) {
    const auto value = values[static_cast<std::size_t>(d)];
    slots.push_back(slot_of(d == gap ? Status::empty : Status::local, value));
    if (d >= 1 && d < gap) before_gap += value;
    if (d >= 1 && d <= warp_lanes) first_step += value;
  }
  const OnDevice<Slot<TypeParam>> there(slots);
  const OnDevice<TypeParam> alone(warp_lanes), together(warp_lanes);
  const OnDevice<int> over(warp_lanes);
  start(look_back_at_a_gap<TypeParam>, {dim3(1), dim3(warp_lanes)}, there.data() + count, count, alone.data(),
        together.data(), over.data());
  if (!done_within(time_limit, nullptr)) give_up("LookBack, a slot that stays empty");
  EXPECT_TRUE(same(alone.back(), std::vector<TypeParam>(warp_lanes, before_gap)));
  EXPECT_TRUE(same(together.back(), std::vector<TypeParam>(warp_lanes, first_step)));
  EXPECT_TRUE(same(over.back(), std::vector<int>(warp_lanes, 1)));
}

// Blocks of 32 threads: each thread in its own line, or all together in one line. Every block is delayed, some for long.
// Its global sum may come much later still, so that successors must walk on to the start of the line.
struct Lateness {
  unsigned before_local, before_global;  // maximum delay in nanoseconds
};
__device__ void be_late(int place, unsigned most) {
  const unsigned hash = static_cast<unsigned>(place) * 2654435761u >> 16;
  __nanosleep(hash % 4 == 0 ? most : hash % (most / 8 + 1));
}

template <class Sum>
__global__ void thread_lines(Slot<Sum>* slots, int* next, const Sum* parts, Sum* carries, Lateness late) {
  const int place = take_place(next), i = place * warp_lanes + static_cast<int>(threadIdx.x);
  be_late(place, late.before_local);
  carries[i] = carry_along(slots + i, parts[i], place, warp_lanes);
}
template <class Sum>
__global__ void warp_line(Slot<Sum>* slots, int* next, const Sum* parts, Sum* carries, Lateness late) {
  const int place = take_place(next);
  be_late(place, late.before_local);
  Slot<Sum>* mine = slots + place;
  if (threadIdx.x == 0 && place > 0) mine->publish(Status::local, parts[place]);
  const Sum carry = look_back_warp<Sum>(place, [&](int d) { return mine - d; });
  carries[place * warp_lanes + static_cast<int>(threadIdx.x)] = carry;
  be_late(place + 1, late.before_global);
  if (threadIdx.x == 0) mine->publish(Status::global, carry + parts[place]);
}

constexpr std::size_t blocks = 300;
constexpr Lateness latenesses[] = {{0, 0}, {20'000, 0}, {2'000, 20'000}, {0, 500'000}};

// `lines` lines per block; each of the 32 threads of a block gets the carry of its line.
template <class Sum, class Kernel>
void check_lines(Kernel kernel, std::size_t lines, const char* who) {
  const auto parts = numbers<Sum>(blocks * lines);
  std::vector<Sum> carries(blocks * warp_lanes);
  for (std::size_t i = warp_lanes; i < carries.size(); ++i) {
    const auto part = lines == 1 ? i / warp_lanes - 1 : i - warp_lanes;
    carries[i] = carries[i - warp_lanes] + parts[part];
  }
  const OnDevice<Sum> there(parts);
  for (const auto& late : latenesses)
    for (int repeat = 0; repeat < 10; ++repeat) {
      const auto slots = empty_slots<Sum>(blocks * lines);
      const OnDevice<int> next(std::vector<int>{0});
      const OnDevice<Sum> seen(carries.size());
      start(kernel, {dim3(blocks), dim3(warp_lanes)}, slots.data(), next.data(), there.data(), seen.data(), late);
      if (!done_within(time_limit, nullptr)) give_up(who);
      ASSERT_TRUE(same(seen.back(), carries))
          << who << ", late by " << late.before_local << " and " << late.before_global << " ns";
    }
}

TYPED_TEST(LookBackTest, FindsTheCarriesOfLateBlocks) {
  check_lines<TypeParam>(thread_lines<TypeParam>, warp_lanes, "carry_along");
  check_lines<TypeParam>(warp_line<TypeParam>, 1, "look_back_warp");
}

}  // namespace
}  // namespace gpu::sat
