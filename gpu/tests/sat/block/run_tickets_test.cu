// run_slots.cuh on the GPU: every block gets a serial number of its own and the number of its run, in launches of any number
// of blocks; and the slots are cleared when the numbers start again.
#include "gpu/sat/block/run_slots.cuh"

#include <algorithm>
#include <optional>

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

using Sum = std::uint32_t;
using Word = TaggedWord<Sum>;

// Each block writes where its ticket was taken, and uses the slot of its serial number.
__global__ void take_tickets(RunTickets* tickets, Word* words, std::size_t count, int* serials, std::uint32_t* runs) {
  const auto ticket = tickets->take(gridDim.x);
  serials[blockIdx.x] = ticket.serial;
  runs[blockIdx.x] = ticket.run;
  words[ticket.serial].publish(ticket.run, 1u);
  tickets->end(ticket.run, gridDim.x, words, count);
}

class RunTicketsTest : public NeedsGpu<testing::Test> {
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

TEST_F(RunTicketsTest, CountBlocksAndRuns) {
  std::uint32_t run = 0;
  for (const std::size_t blocks : {20u, 1u, 1u, 7u, 300u, 299u, 2u, 20u}) check_run(blocks, ++run);
}

TEST_F(RunTicketsTest, StartAgainWithClearedSlots) {
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
