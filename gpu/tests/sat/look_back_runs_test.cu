// 1r1w_skss and 1r1w_skss_lb in slots that persist (run_slots.cuh): run after run without clearing, of different sizes, images
// and algorithms in the same memory, when run numbers start again, after a run that was aborted, and in two streams.

#include "gpu/tests/sat/ticketed_runs.cuh"

namespace gpu {
namespace {

using sat::RunTickets;

const SatAlgorithm& skss() { return *find_sat_algorithm("1r1w_skss"); }
const SatAlgorithm& skss_lb() { return *find_sat_algorithm("1r1w_skss_lb"); }

Arguments with_width(const SatAlgorithm& algorithm, std::string_view W) {
  Arguments arguments(algorithm.parameters);
  arguments.set("W", W);
  return arguments;
}

class LookBackRunsTest : public NeedsGpu<testing::Test> {};

// With tiles of 32 x 32, these take memory of one size: 63 to 70 tiles for 1r1w_skss_lb, and 133, which need fewer slots each,
// for 1r1w_skss.
struct Sharing {
  const SatAlgorithm& (*algorithm)();
  Size size;
};
constexpr Sharing sharing[] = {{skss_lb, {300, 200}}, {skss_lb, {300, 200}}, {skss, {600, 210}},    {skss_lb, {260, 220}},
                               {skss_lb, {200, 300}}, {skss, {210, 601}},    {skss_lb, {300, 200}}, {skss, {600, 210}}};

template <class Input, class Sum>
void check_sharing() {
  TicketedRuns<Input, Sum> runs;
  std::uint32_t count = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const auto& [algorithm, size] : sharing) {
      runs.run(algorithm(), with_width(algorithm(), "32"), size, content_of(count));
      ASSERT_EQ(runs.tickets().word, completed(++count)) << "the memory was cleared, is another, or was counted wrongly";
    }
}

TEST_F(LookBackRunsTest, ShareMemoryWithoutClearing) {
  check_sharing<std::uint8_t, std::uint32_t>();
  check_sharing<float, float>();
  check_sharing<double, double>();
}

template <class Input, class Sum>
void check_sizes() {
  TicketedRuns<Input, Sum> runs;
  std::size_t count = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const Size size : {Size{300, 200}, Size{1, 1}, Size{200, 300}, Size{131, 257}, Size{500, 31}})
      for (const auto* algorithm : {&skss(), &skss_lb()})
        for (const auto* W : {"128", "64", "32"})
          for (int i = 0; i < 2; ++i) runs.run(*algorithm, with_width(*algorithm, W), size, content_of(count++));
}

TEST_F(LookBackRunsTest, AreRightInEverySize) {
  check_sizes<std::uint8_t, std::uint32_t>();
  check_sizes<std::uint8_t, std::uint64_t>();
}

// When the numbers start again, slots of the first runs remain: the last runs of the old numbers are of an image of fewer tiles
// in memory of the same size.
TEST_F(LookBackRunsTest, NumbersStartAgain) {
  for (const auto* algorithm : {&skss(), &skss_lb()}) {
    SCOPED_TRACE(algorithm->name);
    const bool fewer = algorithm == &skss_lb();  // than 1r1w_skss, which needs fewer slots per tile
    const Size large = fewer ? Size{300, 200} : Size{420, 310}, small = fewer ? Size{260, 220} : Size{600, 210};
    const auto arguments = with_width(*algorithm, "32");
    TicketedRuns<std::uint8_t, std::uint32_t> runs;
    for (std::size_t i = 0; i < 4; ++i) runs.run(*algorithm, arguments, large, content_of(i));
    runs.set_tickets({completed(RunTickets::last_run - 2), 0});
    runs.run(*algorithm, arguments, small, content_of(4));
    EXPECT_EQ(runs.tickets().word, completed(RunTickets::last_run - 1));
    EXPECT_GT(runs.used_bytes(), 0u) << "it was cleared too early";
    runs.run(*algorithm, arguments, small, content_of(5));
    EXPECT_EQ(runs.tickets().word, 0u);
    EXPECT_EQ(runs.tickets().ended, 0u);
    EXPECT_EQ(runs.used_bytes(), 0u) << "slots of the old numbers remain";
    for (std::uint32_t run = 1; run <= 3; ++run) {
      runs.run(*algorithm, arguments, large, content_of(run));
      EXPECT_EQ(runs.tickets().word, completed(run));
    }
  }
}

// Some blocks had taken tickets.
TEST_F(LookBackRunsTest, AnAbortedRunIsForgotten) {
  for (const auto* algorithm : {&skss(), &skss_lb()}) {
    SCOPED_TRACE(algorithm->name);
    const auto arguments = with_width(*algorithm, "32");
    TicketedRuns<float, float> runs;
    for (std::size_t i = 0; i < 3; ++i) runs.run(*algorithm, arguments, {300, 200}, content_of(i));
    runs.set_tickets({completed(3) + 5, 0});
    runs.persistent().invalidate();
    runs.run(*algorithm, arguments, {300, 200}, content_of(3));
    EXPECT_EQ(runs.tickets().word, completed(1)) << "it was not cleared";
    runs.run(*algorithm, arguments, {300, 200}, content_of(4));
  }
}

TEST_F(LookBackRunsTest, TwoStreamsDoNotDisturbEachOther) {
  TicketedRuns<std::uint8_t, std::uint32_t> first, second;
  for (std::size_t i = 0; i < 6; ++i) {
    first.start(skss_lb(), with_width(skss_lb(), "32"), {600, 500}, content_of(i));
    second.start(i % 2 ? skss() : skss_lb(), with_width(i % 2 ? skss() : skss_lb(), "64"), {500, 601}, content_of(i + 1));
    first.expect_right();
    second.expect_right();
  }
}

}  // namespace
}  // namespace gpu
