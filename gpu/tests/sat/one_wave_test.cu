// one_wave in memory that persists: run after run without clearing, of different sizes and shapes, when run numbers start
// again, after a run that was aborted, in two streams, and in launches of any number of tiles.
#include "gpu/tests/sat/impatient_algorithms.h"
#include "gpu/tests/sat/ticketed_runs.cuh"

namespace gpu {
namespace {

using sat::RunTickets;

const SatAlgorithm& one_wave() { return *find_sat_algorithm("one_wave"); }

Arguments with_tile(std::string_view tile) {
  Arguments arguments(one_wave().parameters);
  arguments.set("tile", tile);
  return arguments;
}

template <class Input, class Sum>
class Place : public TicketedRuns<Input, Sum> {
 public:
  using TicketedRuns<Input, Sum>::TicketedRuns;

  void start(Size size, std::string_view tile) { TicketedRuns<Input, Sum>::start(one_wave(), with_tile(tile), size); }
  void run(Size size, std::string_view tile) { TicketedRuns<Input, Sum>::run(one_wave(), with_tile(tile), size); }
};

class OneWaveTest : public NeedsGpu<testing::Test> {};

template <class Input, class Sum>
void check_runs() {
  Place<Input, Sum> place;
  std::uint32_t launches = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const auto* tile : {"auto", "16x1", "8x4", "8x16"})
      for (const Size size : {Size{300, 200}, Size{200, 300}, Size{1, 1}, Size{131, 257}}) {
        place.run(size, tile);
        ASSERT_EQ(place.tickets().word, completed(++launches)) << "it was cleared, or counted wrongly";
      }
}

TEST_F(OneWaveTest, RunsFollowOneAnotherWithoutClearing) {
  check_runs<std::uint8_t, std::uint32_t>();
  check_runs<double, double>();
}

// Words of earlier launches are of the runs 1, 2, ... and lie where the new launches read, which have the same numbers again.
TEST_F(OneWaveTest, NumbersStartAgain) {
  Place<std::uint8_t, std::uint32_t> place;
  for (int i = 0; i < 4; ++i) place.run({390, 300}, "8x4");
  place.set_tickets({completed(RunTickets::last_run - 2), 0});
  place.run({390, 200}, "8x4");
  EXPECT_EQ(place.tickets().word, completed(RunTickets::last_run - 1));
  EXPECT_GT(place.used_bytes(), 0u) << "it was cleared too early";
  place.run({390, 200}, "8x4");
  EXPECT_EQ(place.tickets().ended, 0u);
  EXPECT_EQ(place.used_bytes(), 0u) << "words of the old numbers remain";
  for (std::uint32_t run = 0; run <= 3; ++run) {
    EXPECT_EQ(place.tickets().word, completed(run));
    place.run({390, 300}, "8x4");
  }
}

// Some blocks had taken tickets, and had published sums of another image.
TEST_F(OneWaveTest, AnAbortedRunIsForgotten) {
  Place<float, float> place;
  for (int i = 0; i < 3; ++i) place.run({390, 300}, "8x4");
  place.set_tickets({completed(3) + 5, 0});
  place.persistent().invalidate();
  place.run({390, 300}, "8x4");
  EXPECT_EQ(place.tickets().word, completed(1)) << "it was not cleared";
  place.run({390, 300}, "8x4");
}

TEST_F(OneWaveTest, TwoStreamsDoNotDisturbEachOther) {
  Place<std::uint8_t, std::uint32_t> first, second;
  for (int i = 0; i < 6; ++i) {
    first.start({600, 500}, "8x4");
    second.start({500, 601}, i % 2 ? "8x8" : "auto");
    first.expect_right();
    second.expect_right();
  }
}

// On few multiprocessors: launches of several tile rows, of one, and of parts of one.
template <class Input, class Sum>
void check_bands() {
  for (const int multiprocessors : {1, 2, 3, 5}) {
    SCOPED_TRACE(std::to_string(multiprocessors) + " multiprocessors");
    Place<Input, Sum> place({.multiprocessors = multiprocessors});
    for (const auto* tile : {"auto", "16x1", "8x4", "8x8", "16x4", "8x16"})
      for (const Size size : {Size{390, 300}, Size{129, 515}, Size{1100, 140}}) place.run(size, tile);
  }
}

// More tile columns than half a block has threads.
TEST_F(OneWaveTest, WideImages) {
  Place<std::uint8_t, std::uint32_t> place;
  place.run({16700, 40}, "8x4");
  place.run({16700, 20}, "16x1");
}

// Tables of these algorithms have memory of one size for these images: each finds what the others have left.
TEST_F(OneWaveTest, SharesMemoryWithLookBacks) {
  Place<std::uint8_t, std::uint32_t> place;
  Arguments narrow(find_sat_algorithm("1r1w_skss_lb")->parameters);
  narrow.set("W", "32");
  for (std::uint32_t run = 0; run < 6; ++run) {
    if (run % 2 == 0)
      place.run({1792, 1792}, "8x16");  // 196 tiles: one launch on any of these GPUs
    else
      place.TicketedRuns::run(*find_sat_algorithm("1r1w_skss_lb"), narrow, {1792, 1792}, {Content::Kind::ones});
    EXPECT_EQ(place.tickets().word, completed(run + 1)) << "the memory is another";
  }
}

// A block that does not wait publishes what it needs itself, and its table is the same. After other runs, whose words are there.
template <class Input, class Sum>
void check_impatient() {
  TicketedRuns<Input, Sum> runs;
  std::uint32_t run = 0;
  for (const Size size : {Size{390, 130}, Size{1, 1}, Size{128, 500}, Size{2000, 20}}) {
    for (const auto* algorithm : {&one_wave(), &sat::one_wave_impatient, &sat::one_wave_impatient})
      runs.run(*algorithm, with_tile("8x4"), size, content_of(run++));
    ASSERT_EQ(runs.tickets().word, completed(run));
  }
}
TEST_F(OneWaveTest, NeedsNobodyToGoOn) {
  check_impatient<std::uint8_t, std::uint32_t>();
  check_impatient<double, double>();
}

// Only their kernel has the fallback that a plain launch needs.
TEST(OneWaveLaunchesTest, OnlySmallOnesOfLowTilesArePlain) {
  const auto start_of = [](std::string_view tile, Size size) {
    auto dry = Context::dry(Device::cuda, 0, GpuLimits{.multiprocessors = 132});
    const ImageView<const std::uint8_t> image{nullptr, size.width, size.height, size.width};
    const ImageView<std::uint32_t> table{nullptr, size.width, size.height, size.width};
    compute_sat(dry, one_wave(), image, table, with_tile(tile));
    return dry.launches().back().shape.start;
  };
  EXPECT_EQ(start_of("auto", {256, 256}), Start::in_order);
  EXPECT_EQ(start_of("8x4", {128, 33 * 32}), Start::in_order);
  EXPECT_EQ(start_of("8x4", {128, 34 * 32}), Start::cooperative);
  EXPECT_EQ(start_of("16x1", {256, 256}), Start::cooperative);
  EXPECT_EQ(start_of("8x16", {256, 256}), Start::cooperative);
}

TEST_F(OneWaveTest, BandsContinueEachOther) {
  check_bands<std::uint8_t, std::uint32_t>();
  check_bands<float, float>();
  check_bands<double, double>();
  check_bands<std::uint8_t, std::uint64_t>();
}

}  // namespace
}  // namespace gpu
