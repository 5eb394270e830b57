// Algorithms with the fallback, decoupled_fallback and row_waves, in memory that persists and in both orders of their blocks:
// beside 1r1w_skss_lb in the same memory, when run numbers start again, after a run that was aborted, and in two streams.
#include "gpu/tests/sat/impatient_algorithms.h"
#include "gpu/tests/sat/ticketed_runs.cuh"

namespace gpu {
namespace {

using sat::RunTickets;

// Both orders of an algorithm's blocks; and two sizes of different numbers of tiles whose slots take memory of the same size.
struct Orders {
  const SatAlgorithm* backward;
  Size large, small;

  const SatAlgorithm& forward() const { return *find_sat_algorithm(backward->name); }
  Arguments initial() const { return Arguments(backward->parameters); }
};
void PrintTo(const Orders& orders, std::ostream* out) { *out << orders.backward->name; }
const Orders diagonals{&sat::decoupled_fallback_backward, {1100, 1000}, {1200, 890}};
const Orders rows{&sat::row_waves_backward, {1100, 1000}, {1100, 890}};

class DecoupledFallbackTest : public NeedsGpu<testing::TestWithParam<Orders>> {
 protected:
  const SatAlgorithm& forward() const { return GetParam().forward(); }
  const SatAlgorithm& backward() const { return *GetParam().backward; }
  Arguments initial() const { return GetParam().initial(); }
  Size large() const { return GetParam().large; }
  Size small() const { return GetParam().small; }
};
INSTANTIATE_TEST_SUITE_P(, DecoupledFallbackTest, testing::Values(diagonals, rows),
                         [](const auto& test) { return "of_" + std::string(test.param.backward->name); });

template <class Input, class Sum>
void check_sizes(const Orders& orders, Size large) {
  TicketedRuns<Input, Sum> runs;
  std::uint32_t run = 0;
  for (const Size size : {Size{300, 200}, Size{1, 1}, Size{200, 300}, Size{131, 257}, Size{500, 31}, large})
    for (const auto* algorithm : {&orders.forward(), orders.backward, orders.backward})
      runs.run(*algorithm, orders.initial(), size, content_of(run++));
}

TEST_P(DecoupledFallbackTest, IsRightInBothOrders) {
  constexpr Size many_small_tiles{500, 400};  // more pixels would take minutes under racecheck
  check_sizes<std::uint8_t, std::uint32_t>(GetParam(), large());
  check_sizes<float, float>(GetParam(), many_small_tiles);
  check_sizes<double, double>(GetParam(), many_small_tiles);
}

// More tiles than blocks of so many threads can be resident, in far more columns than rows: a tile taken for another one is seen.
Size more_tiles_than_are_resident(int tile_side, int threads) {
#ifdef SATSCOPE_SIMULATED
  constexpr int threads_per_multiprocessor = 512;  // as GpuSettings::resident_blocks says
#else
  constexpr int threads_per_multiprocessor = 2048;
#endif
  const int resident = current_gpu_limits().multiprocessors * threads_per_multiprocessor / threads;
  int tiles = 1;
  while (tiles * tiles <= resident) ++tiles;
  return {2 * tiles * tile_side, (tiles / 2 + 1) * tile_side - 50};
}

// The first blocks wait for blocks that have not started.
TEST_P(DecoupledFallbackTest, DoesTheWorkOfBlocksThatHaveNotStarted) {
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

TEST_P(DecoupledFallbackTest, NumbersStartAgain) {
  for (const auto* algorithm : {&forward(), &backward()}) {
    SCOPED_TRACE(algorithm == &backward() ? "backward" : "forward");
    TicketedRuns<std::uint8_t, std::uint32_t> runs;
    for (std::uint32_t run = 0; run < 3; ++run) runs.run(*algorithm, initial(), large(), content_of(run));
    runs.set_tickets({completed(RunTickets::last_run - 2), 0});
    runs.run(*algorithm, initial(), small(), content_of(4));
    EXPECT_GT(runs.used_bytes(), 0u) << "it was cleared too early";
    runs.run(*algorithm, initial(), small(), content_of(5));
    EXPECT_EQ(runs.tickets().word, 0u);
    EXPECT_EQ(runs.tickets().ended, 0u);
    EXPECT_EQ(runs.used_bytes(), 0u) << "slots of the old numbers remain";
    for (std::uint32_t run = 1; run <= 3; ++run) {
      runs.run(*algorithm, initial(), large(), content_of(run));
      EXPECT_EQ(runs.tickets().word, completed(run));
    }
  }
}

TEST_P(DecoupledFallbackTest, AnAbortedRunIsForgotten) {
  TicketedRuns<float, float> runs;
  for (std::uint32_t run = 0; run < 3; ++run) runs.run(backward(), initial(), large(), content_of(run));
  runs.set_tickets({completed(3) + 5, 0});
  runs.persistent().invalidate();
  runs.run(backward(), initial(), large(), content_of(3));
  EXPECT_EQ(runs.tickets().word, completed(1)) << "it was not cleared";
}

TEST_P(DecoupledFallbackTest, TwoStreamsDoNotDisturbEachOther) {
  TicketedRuns<std::uint8_t, std::uint32_t> first, second;
  for (std::uint32_t run = 0; run < 6; ++run) {
    first.start(backward(), initial(), large(), content_of(run));
    second.start(run % 2 ? forward() : backward(), initial(), small(), content_of(run + 1));
    first.expect_right();
    second.expect_right();
  }
}

class DecoupledFallbackTicketsTest : public NeedsGpu<testing::Test> {};

TEST_F(DecoupledFallbackTicketsTest, ShareMemory) {
  TicketedRuns<std::uint8_t, std::uint32_t> runs;
  const auto& other = *find_sat_algorithm("1r1w_skss_lb");
  for (std::uint32_t run = 0; run < 6; ++run) {
    if (run % 2 == 0)
      runs.run(run % 4 ? diagonals.forward() : *diagonals.backward, diagonals.initial(), diagonals.large, content_of(run));
    else
      runs.run(other, Arguments(other.parameters), diagonals.large, content_of(run));
    ASSERT_EQ(runs.tickets().word, completed(run + 1)) << "the memory was cleared, is another, or was counted wrongly";
  }
}

}  // namespace
}  // namespace gpu
