// run_slots.cuh on the GPU. What one run publishes is empty for all later ones, and ends the walks of earlier ones. Look-backs find
// their carries in slots that earlier runs have used for other lines and other sums. Every block gets a serial number of its own
// and the number of its run, in launches of any number of blocks; the slots are cleared when the numbers start again.
#include "gpu/sat/block/run_slots.cuh"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/look_back.cuh"
#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

template <class Sum>
class RunSlotsPersistentTest : public PerSum<Sum> {};
TYPED_TEST_SUITE(RunSlotsPersistentTest, Sums);

template <class Sum>
OnDevice<TaggedWord<Sum>> zero_slots(std::size_t count) {
  return OnDevice(std::vector<TaggedWord<Sum>>(count, TaggedWord<Sum>{0, 0}));
}

template <class Sum>
__global__ void publish_in_run(TaggedWord<Sum>* words, std::uint32_t run, const Sum* values) {
  const RunSlot<Sum> slot{words + threadIdx.x, run};
  slot->publish(threadIdx.x % 2 == 0 ? Status::local : Status::global, values[threadIdx.x]);
}
template <class Sum>
__global__ void read_in_run(TaggedWord<Sum>* words, std::uint32_t run, Sum* values, int* states) {
  const auto seen = (RunSlot<Sum>{words, run} + threadIdx.x)->read();
  values[threadIdx.x] = seen.value;
  states[threadIdx.x] = static_cast<int>(seen.status);
}

TYPED_TEST(RunSlotsPersistentTest, AreEmptyInLaterRunsAndTheEndInEarlierOnes) {
  constexpr std::size_t count = 64;
  constexpr std::uint32_t last = RunTickets::last_run, runs[] = {1, 2, 3, 4, 5, 1u << 29, (1u << 29) + 1, last - 1, last};
  std::vector<int> states(count);
  for (std::size_t i = 0; i < count; ++i) states[i] = i % 2 == 0 ? 1 : 2;
  const std::vector<int> empty(count, 0), end(count, 2);
  const OnDevice<TypeParam> seen(count);
  const OnDevice<int> seen_states(count);
  const auto slots = zero_slots<TypeParam>(count);
  const auto read = [&](std::uint32_t run) {
    start(read_in_run<TypeParam>, {dim3(1), dim3(count)}, slots.data(), run, seen.data(), seen_states.data());
  };
  for (const auto run : runs) {
    read(run);
    EXPECT_TRUE(same(seen_states.back(), empty)) << "zeroed memory, in run " << run;
  }
  for (const auto run : runs) {
    const auto values = numbers<TypeParam>(count, run);
    const OnDevice<TypeParam> there(values);
    start(publish_in_run<TypeParam>, {dim3(1), dim3(count)}, slots.data(), run, there.data());
    for (const auto other : runs) {
      read(other);
      EXPECT_TRUE(same(seen_states.back(), other == run  ? states
                                           : other > run ? empty
                                                         : end))
          << "of run " << run << ", in run " << other;
      if (other == run) {
        EXPECT_TRUE(same(seen.back(), values)) << "of run " << run;
      }
    }
  }
}

__device__ RunTickets::Ticket take_ticket(RunTickets* tickets) {
  auto& ticket = static_shared<RunTickets::Ticket>();
  if (threadIdx.x == 0) ticket = tickets->take(gridDim.x);
  __syncthreads();
  return ticket;
}
// Every fourth block is late, so that others wait for it.
__device__ void be_late(int place) {
  if (place % 4 == 0) __nanosleep(5'000);
}
template <class Sum>
__device__ void end_run(const RunSlots<Sum>& slots, std::uint32_t run) {
  __syncthreads();
  if (threadIdx.x == 0) slots.end(run, gridDim.x);
}

// Blocks of 32 threads: each thread in its own line, or all together in one line.
template <class Sum>
__global__ void thread_lines_of_run(RunSlots<Sum> slots, const Sum* parts, Sum* carries) {
  const auto [place, run] = take_ticket(slots.tickets);
  const int i = place * warp_lanes + static_cast<int>(threadIdx.x);
  be_late(place);
  carries[i] = carry_along(RunSlot<Sum>{slots.words + i, run}, parts[i], place, warp_lanes);
  end_run(slots, run);
}
template <class Sum>
__global__ void warp_line_of_run(RunSlots<Sum> slots, const Sum* parts, Sum* carries) {
  const auto [place, run] = take_ticket(slots.tickets);
  const RunSlot<Sum> mine{slots.words + place, run};
  be_late(place);
  if (threadIdx.x == 0 && place > 0) mine->publish(Status::local, parts[place]);
  const Sum carry = look_back_warp<Sum>(place, [&](int d) { return mine - d; });
  carries[place * warp_lanes + static_cast<int>(threadIdx.x)] = carry;
  if (threadIdx.x == 0) mine->publish(Status::global, carry + parts[place]);
  end_run(slots, run);
}

// The memory of many runs.
template <class Sum>
class Lines {
 public:
  static constexpr std::size_t most_blocks = 100;

  explicit Lines(std::uint32_t completed)
      : tickets_(std::vector<RunTickets>(1, {static_cast<unsigned long long>(completed) << 32, 0})) {}
  // One run of new sums, in one line per thread of a block, or in one.
  void check_run(std::size_t blocks, bool together, unsigned seed) {
    SCOPED_TRACE(std::to_string(blocks) + (together ? " blocks, one line, seed " : " blocks, 32 lines, seed ") +
                 std::to_string(seed));
    const std::size_t lines = together ? 1 : warp_lanes;
    const auto parts = numbers<Sum>(blocks * lines, seed);
    std::vector<Sum> carries(blocks * warp_lanes);
    for (std::size_t i = warp_lanes; i < carries.size(); ++i)
      carries[i] = carries[i - warp_lanes] + parts[together ? i / warp_lanes - 1 : i - warp_lanes];
    const OnDevice<Sum> there(parts), seen(carries.size());
    start(together ? warp_line_of_run<Sum> : thread_lines_of_run<Sum>,
          {dim3(static_cast<unsigned>(blocks)), dim3(warp_lanes)},
          RunSlots<Sum>{tickets_.data(), words_.data(), most_blocks * warp_lanes}, there.data(), seen.data());
    if (!done_within(time_limit, nullptr)) give_up("look-backs in slots that persist");
    ASSERT_TRUE(same(seen.back(), carries));
  }
  std::vector<TaggedWord<Sum>> words() const { return words_.back(); }

 private:
  OnDevice<RunTickets> tickets_;
  OnDevice<TaggedWord<Sum>> words_ = zero_slots<Sum>(most_blocks * warp_lanes);
};

TYPED_TEST(RunSlotsPersistentTest, SumsOfEarlierRunsAreNotRead) {
  Lines<TypeParam> lines(0);
  unsigned seed = 0;
  for (const std::size_t blocks : {100u, 100u, 60u, 33u, 1u, 100u, 77u})
    for (const bool together : {false, true, true, false}) {
      ASSERT_NO_FATAL_FAILURE(lines.check_run(blocks, together, ++seed));
    }
}

// Slots of the runs 1 and 2 remain where the last runs use none.
TYPED_TEST(RunSlotsPersistentTest, SumsAreNotReadWhenNumbersStartAgain) {
  Lines<TypeParam> lines(RunTickets::last_run - 2);
  ASSERT_NO_FATAL_FAILURE(lines.check_run(100, false, 1));
  ASSERT_NO_FATAL_FAILURE(lines.check_run(20, true, 2));
  for (const auto& word : lines.words()) {
    ASSERT_EQ(word.tag, 0u);
    ASSERT_EQ(word.value, 0u);
  }
  for (unsigned seed = 3; seed < 7; ++seed) {
    ASSERT_NO_FATAL_FAILURE(lines.check_run(100, seed % 2 == 0, seed));
  }
}

TEST(RunSlotsSizesTest, AreFewAndLittleLargerThanNeeded) {
  std::set<std::size_t> sizes;
  constexpr std::size_t most = 1'000'000;
  for (std::size_t slots = 0; slots <= most; slots += 13) {
    const auto needed = 256 + 8 * slots, bytes = RunSlots<float>::bytes(slots);
    ASSERT_GE(bytes, needed);
    ASSERT_LT(bytes - needed, std::max<std::size_t>(needed / 4, 256));
    ASSERT_EQ(bytes % 256, 0u);
    sizes.insert(bytes);
  }
  EXPECT_LE(sizes.size(), 4u * 16u);
}

using Word = TaggedWord<std::uint32_t>;

// Each block writes where its ticket was taken, and uses the slot of its serial number.
__global__ void take_tickets(RunTickets* tickets, Word* words, std::size_t count, int* serials, std::uint32_t* runs) {
  const auto ticket = tickets->take(gridDim.x);
  serials[blockIdx.x] = ticket.serial;
  runs[blockIdx.x] = ticket.run;
  words[ticket.serial].publish(ticket.run, 1u);
  tickets->end(ticket.run, gridDim.x, words, count);
}

class RunSlotsTicketsTest : public NeedsGpu<testing::Test> {
 protected:
  static constexpr std::size_t most_blocks = 300, spare = 5;  // more slots than any launch uses

  void SetUp() override {
    NeedsGpu::SetUp();
    if (!IsSkipped()) memory_.emplace();
  }
  void start_from(std::uint32_t completed) {
    const RunTickets tickets{static_cast<unsigned long long>(completed) << 32, 0};
    test::copy_bytes(memory_->tickets.data(), &tickets, sizeof tickets);
  }
  void check_run(std::size_t blocks, std::uint32_t run) {
    SCOPED_TRACE(std::to_string(blocks) + " blocks, run " + std::to_string(run));
    start(take_tickets, {dim3(static_cast<unsigned>(blocks)), dim3(1)}, memory_->tickets.data(), memory_->words.data(),
          most_blocks + spare, memory_->serials.data(), memory_->runs.data());
    auto serials = memory_->serials.back();
    serials.resize(blocks);
    std::ranges::sort(serials);
    for (std::size_t i = 0; i < blocks; ++i) ASSERT_EQ(serials[i], static_cast<int>(i));
    const auto runs = memory_->runs.back();
    for (std::size_t i = 0; i < blocks; ++i) ASSERT_EQ(runs[i], run) << "block " << i;
    const auto after = memory_->tickets.back()[0];
    EXPECT_EQ(after.word, static_cast<unsigned long long>(run == RunTickets::last_run ? 0 : run) << 32);
    EXPECT_EQ(after.ended, 0u);
  }

  struct Memory {
    OnDevice<RunTickets> tickets{std::vector<RunTickets>(1, RunTickets{0, 0})};
    OnDevice<Word> words{std::vector<Word>(most_blocks + spare, Word{7, 9})};
    OnDevice<int> serials{most_blocks};
    OnDevice<std::uint32_t> runs{most_blocks};
  };
  std::optional<Memory> memory_;  // only with a GPU
};

TEST_F(RunSlotsTicketsTest, CountBlocksAndRuns) {
  std::uint32_t run = 0;
  for (const std::size_t blocks : {20u, 1u, 1u, 7u, 300u, 299u, 2u, 20u}) check_run(blocks, ++run);
}

// As when two launches of 20 blocks have run at once: no block gets a number outside the grid, and none waits for a number that nobody
// has; the next launches share out what is left.
TEST_F(RunSlotsTicketsTest, NoSerialNumberExceedsTheGrid) {
  constexpr std::size_t blocks = 20;
  for (const unsigned long long taken : {0ull, 7ull, 19ull, 20ull, 25ull, 1'000'000ull}) {
    SCOPED_TRACE(taken);
    const RunTickets tickets{(3ull << 32) + taken, 0};
    test::copy_bytes(memory_->tickets.data(), &tickets, sizeof tickets);
    std::set<std::pair<std::uint32_t, int>> all;
    for (int launch = 0; launch < 3; ++launch) {
      start(take_tickets, {dim3(blocks), dim3(1)}, memory_->tickets.data(), memory_->words.data(), most_blocks + spare,
            memory_->serials.data(), memory_->runs.data());
      const auto serials = memory_->serials.back();
      const auto runs = memory_->runs.back();
      for (std::size_t i = 0; i < blocks; ++i) {
        ASSERT_GE(serials[i], 0);
        ASSERT_LT(serials[i], static_cast<int>(blocks));
        all.emplace(runs[i], serials[i]);
      }
    }
    for (const auto& [run, serial] : all) {
      const bool before_these = run == 4 && serial <= static_cast<int>(taken);
      EXPECT_TRUE(serial == 0 || before_these || all.contains({run, serial - 1})) << run << ',' << serial;
    }
  }
}

TEST_F(RunSlotsTicketsTest, StartAgainWithClearedSlots) {
  for (const std::size_t blocks : {1u, 20u, 300u}) {
    start_from(RunTickets::last_run - 2);
    check_run(blocks, RunTickets::last_run - 1);
    EXPECT_NE(memory_->words.back()[0].tag, 0u) << "cleared before the last run";
    check_run(blocks, RunTickets::last_run);
    for (const auto& word : memory_->words.back()) {
      ASSERT_EQ(word.tag, 0u);
      ASSERT_EQ(word.value, 0u);
    }
    check_run(blocks, 1);
    EXPECT_EQ(memory_->words.back()[0].tag, 1u);
    check_run(blocks, 2);
  }
}

}  // namespace
}  // namespace gpu::sat
