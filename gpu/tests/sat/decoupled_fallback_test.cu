// decoupled_fallback in memory that persists, in both orders of its blocks: beside 1r1w_skss_lb in the same memory, when run
// numbers start again, after a run that was aborted, and in two streams.
#include "gpu/tests/sat/decoupled_fallback_backward.h"
#include "gpu/tests/sat/ticketed_runs.cuh"

namespace gpu {
namespace {

using sat::RunTickets;

const SatAlgorithm& forward() { return *find_sat_algorithm("decoupled_fallback"); }
const SatAlgorithm& backward() { return sat::sat_decoupled_fallback_backward; }
Arguments initial() { return Arguments(forward().parameters); }

// 72 tiles, and 70, whose slots take memory of the same size.
constexpr Size large{1100, 1000}, small{1200, 890};

class DecoupledFallbackTest : public NeedsGpu<testing::Test> {};

template <class Input, class Sum>
void check_sizes() {
  TicketedRuns<Input, Sum> runs;
  std::uint32_t run = 0;
  for (const Size size : {Size{300, 200}, Size{1, 1}, Size{200, 300}, Size{131, 257}, Size{500, 31}, large})
    for (const auto* algorithm : {&forward(), &backward(), &backward()})
      runs.run(*algorithm, initial(), size, content_of(run++));
}

TEST_F(DecoupledFallbackTest, IsRightInBothOrders) {
  check_sizes<std::uint8_t, std::uint32_t>();
  check_sizes<float, float>();
  check_sizes<double, double>();
}

// A square of more tiles than blocks of so many threads can be resident.
Size more_tiles_than_are_resident(int tile_side, int threads) {
  constexpr int threads_per_multiprocessor = 2048;
  const int resident = current_gpu_limits().multiprocessors * threads_per_multiprocessor / threads;
  int tiles = 1;
  while (tiles * tiles <= resident) ++tiles;
  return {tiles * tile_side, tiles * tile_side - 50};
}

// The first blocks wait for blocks that have not started.
TEST_F(DecoupledFallbackTest, DoesTheWorkOfBlocksThatHaveNotStarted) {
  const Size of_words = more_tiles_than_are_resident(128, 256), of_doubles = more_tiles_than_are_resident(64, 256);
  TicketedRuns<float, float> words;
  TicketedRuns<std::uint8_t, std::uint32_t> bytes;
  TicketedRuns<double, double> doubles;
  for (std::uint32_t run = 0; run < 3; ++run) {
    words.run(backward(), initial(), of_words, content_of(run));
    bytes.run(backward(), initial(), of_words, content_of(run));
    doubles.run(backward(), initial(), of_doubles, content_of(run));
  }
}

TEST_F(DecoupledFallbackTest, SharesMemoryWithTickets) {
  TicketedRuns<std::uint8_t, std::uint32_t> runs;
  const auto& other = *find_sat_algorithm("1r1w_skss_lb");
  for (std::uint32_t run = 0; run < 6; ++run) {
    if (run % 2 == 0)
      runs.run(run % 4 ? forward() : backward(), initial(), large, content_of(run));
    else
      runs.run(other, Arguments(other.parameters), large, content_of(run));
    ASSERT_EQ(runs.tickets().word, completed(run + 1)) << "the memory was cleared, is another, or was counted wrongly";
  }
}

TEST_F(DecoupledFallbackTest, NumbersStartAgain) {
  for (const auto* algorithm : {&forward(), &backward()}) {
    SCOPED_TRACE(algorithm == &backward() ? "backward" : "forward");
    TicketedRuns<std::uint8_t, std::uint32_t> runs;
    for (std::uint32_t run = 0; run < 3; ++run) runs.run(*algorithm, initial(), large, content_of(run));
    runs.set_tickets({completed(RunTickets::last_run - 2), 0});
    runs.run(*algorithm, initial(), small, content_of(4));
    EXPECT_GT(runs.used_bytes(), 0u) << "it was cleared too early";
    runs.run(*algorithm, initial(), small, content_of(5));
    EXPECT_EQ(runs.tickets().word, 0u);
    EXPECT_EQ(runs.tickets().ended, 0u);
    EXPECT_EQ(runs.used_bytes(), 0u) << "slots of the old numbers remain";
    for (std::uint32_t run = 1; run <= 3; ++run) {
      runs.run(*algorithm, initial(), large, content_of(run));
      EXPECT_EQ(runs.tickets().word, completed(run));
    }
  }
}

TEST_F(DecoupledFallbackTest, AnAbortedRunIsForgotten) {
  TicketedRuns<float, float> runs;
  for (std::uint32_t run = 0; run < 3; ++run) runs.run(backward(), initial(), large, content_of(run));
  runs.set_tickets({completed(3) + 5, 0});
  runs.persistent().distrust();
  runs.run(backward(), initial(), large, content_of(3));
  EXPECT_EQ(runs.tickets().word, completed(1)) << "it was not cleared";
}

TEST_F(DecoupledFallbackTest, TwoStreamsDoNotDisturbEachOther) {
  TicketedRuns<std::uint8_t, std::uint32_t> first, second;
  for (std::uint32_t run = 0; run < 6; ++run) {
    first.start(backward(), initial(), large, content_of(run));
    second.start(run % 2 ? forward() : backward(), initial(), small, content_of(run + 1));
    first.expect_right();
    second.expect_right();
  }
}

}  // namespace
}  // namespace gpu
