// Algorithms whose runs have numbers, in slots that persist (run_slots.cuh): run after run without clearing, of different sizes, images
// and algorithms in the same memory, when run numbers start again, after a run that was aborted, and in two streams; fallbacks in both
// orders of their blocks, and waves in launches of any number of tiles.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/sat/block/run_slots.cuh"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/device_space.cuh"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/sat/impatient_algorithms.h"

namespace gpu {
namespace {

using sat::RunTickets;

struct TicketedRun {
  std::string_view algorithm, parameters;  // as find_algorithm() and set_from_text() take them
  Size size = {};

  std::string text() const {
    return std::string(algorithm) + " " + std::string(parameters) + ", " + std::to_string(size.width) + "x" +
           std::to_string(size.height);
  }
};

// What the tickets hold after so many runs.
constexpr unsigned long long completed(std::uint32_t runs) { return static_cast<unsigned long long>(runs) << 32; }

// Runs one after another in one stream and over one PersistentMemory, whose tables are checked. Images that follow one another differ
// everywhere, so that slots of an earlier run have wrong sums.
template <class Input, class Sum>
class TicketedRuns {
 public:
  explicit TicketedRuns(GpuLimits limits = {}, std::size_t first_image = 0) : limits_(limits), images_(first_image) {}

  // Draws an image, and queues one run, after its memory has been reserved.
  void start(const TicketedRun& run) {
    const auto& algorithm = *sat::find_algorithm(run.algorithm);
    Arguments arguments(algorithm.parameters);
    set_from_text(arguments, run.parameters);
    constexpr Content::Kind kinds[] = {Content::Kind::random, Content::Kind::ones, Content::Kind::ramp};
    const auto size = run.size;
    prepared_.emplace(space_, Layout{size, size.width + 3, size.width + 5, 1, 1},
                      Content{kinds[images_++ % std::size(kinds)]});
    const auto stride = static_cast<std::ptrdiff_t>(size.width) + 5;
    table_ = Buffer<Sum>(static_cast<std::size_t>(stride * size.height), Device::cuda);
    space_.fill(std::as_writable_bytes(table_.span()), guard_byte);
    view_ = {table_.data(), size.width, size.height, stride};
    auto dry = space_.dry();
    dry.set_persistent(&persistent_);
    compute_sat(dry, algorithm, prepared_->image(), view_, arguments);
    persistent_.reserve();
    const auto bytes = dry.workspace_bytes();
    EXPECT_LE(bytes, 4096u) << "what is to persist is in scratch memory";
    if (workspace_.size() < bytes) workspace_ = Buffer<std::byte>(bytes, Device::cuda);
    auto context = space_.context(workspace_.span());
    context.set_limits(limits_);
    context.set_persistent(&persistent_);
    compute_sat(context, algorithm, prepared_->image(), view_, arguments);
    space_.compare(prepared_->comparison(view_), &verdicts_.next()->table);
  }
  void expect_right() {
    if (!done_within(std::chrono::seconds(60), space_.stream())) give_up("TicketedRuns");
    EXPECT_EQ(verdicts_.wrong(space_, view_.width), "");
  }
  void run(const TicketedRun& run) {
    SCOPED_TRACE(run.text() + ", image " + std::to_string(images_));
    start(run);
    expect_right();
  }

  // The slots' memory has to be the only one allocated.
  RunTickets tickets() {
    RunTickets tickets{};
    check(cudaMemcpy(&tickets, memory(), sizeof tickets, cudaMemcpyDefault));
    return tickets;
  }
  void set_tickets(const RunTickets& tickets) { test::copy_bytes(memory(), &tickets, sizeof tickets); }
  // How many bytes of the slots are not zero.
  std::size_t used_bytes() {
    std::vector<unsigned char> bytes(persistent_.bytes() - sat::RunSlots<Sum>::tickets_bytes);
    check(cudaMemcpy(bytes.data(), memory() + sat::RunSlots<Sum>::tickets_bytes, bytes.size(), cudaMemcpyDefault));
    return bytes.size() - static_cast<std::size_t>(std::ranges::count(bytes, 0));
  }
  void invalidate() { persistent_.invalidate(); }

 private:
  std::byte* memory() {
    auto* const piece = persistent_.find(sat::RunSlots<Sum>::name, persistent_.bytes());
    if (!piece) throw std::logic_error("the persistent memory is not one piece of slots");
    return piece->memory.data();
  }

  DeviceSpace space_;
  Verdicts<DeviceSpace> verdicts_{space_, 1};
  GpuLimits limits_;
  std::size_t images_;
  PersistentMemory persistent_{Device::cuda};
  std::optional<Prepared<DeviceSpace, Input, Sum>> prepared_;
  Buffer<Sum> table_;
  Buffer<std::byte> workspace_;
  ImageView<Sum> view_;
};

// An algorithm, and images of different numbers of tiles whose slots take memory of one size.
struct TwoSizes {
  std::string_view algorithm, parameters;
  Size large, small;

  TicketedRun of(Size size) const { return {algorithm, parameters, size}; }
};
void PrintTo(const TwoSizes& sizes, std::ostream* out) { *out << sizes.algorithm; }
constexpr TwoSizes two_sizes[] = {
    {"1r1w_skss", "W=32", {420, 310}, {600, 210}},         {"1r1w_skss_lb", "W=32", {300, 200}, {260, 220}},
    {"decoupled_fallback", "", {1100, 1000}, {1200, 890}}, {"decoupled_fallback_backward", "", {1100, 1000}, {1200, 890}},
    {"row_waves", "", {1100, 1000}, {1100, 890}},          {"row_waves_backward", "", {1100, 1000}, {1100, 890}},
    {"one_wave", "tile=8x4", {390, 300}, {390, 200}}};

class RunTicketsTest : public NeedsGpu<testing::TestWithParam<TwoSizes>> {};
INSTANTIATE_TEST_SUITE_P(, RunTicketsTest, testing::ValuesIn(two_sizes),
                         [](const auto& test) { return "of_" + std::string(test.param.algorithm); });

// When the numbers start again, slots of the first runs remain: the last runs of the old numbers are of an image of fewer tiles
// in memory of the same size.
TEST_P(RunTicketsTest, NumbersStartAgain) {
  const auto large = GetParam().of(GetParam().large), small = GetParam().of(GetParam().small);
  TicketedRuns<std::uint8_t, std::uint32_t> runs;
  for (int i = 0; i < 4; ++i) runs.run(large);
  runs.set_tickets({completed(RunTickets::last_run - 2), 0});
  runs.run(small);
  EXPECT_EQ(runs.tickets().word, completed(RunTickets::last_run - 1));
  EXPECT_GT(runs.used_bytes(), 0u) << "it was cleared too early";
  runs.run(small);
  EXPECT_EQ(runs.tickets().ended, 0u);
  EXPECT_EQ(runs.used_bytes(), 0u) << "slots of the old numbers remain";
  for (std::uint32_t run = 0; run <= 3; ++run) {
    EXPECT_EQ(runs.tickets().word, completed(run));
    runs.run(large);
  }
}

// Some blocks had taken tickets, and had published sums of another image.
TEST_P(RunTicketsTest, AnAbortedRunIsForgotten) {
  const auto any = GetParam().of({390, 300});
  TicketedRuns<float, float> runs;
  for (int i = 0; i < 3; ++i) runs.run(any);
  runs.set_tickets({completed(3) + 5, 0});
  runs.invalidate();
  runs.run(any);
  EXPECT_EQ(runs.tickets().word, completed(1)) << "it was not cleared";
  runs.run(any);
}

using RunTicketsMemoryTest = NeedsGpu<testing::Test>;

TEST_F(RunTicketsMemoryTest, TwoStreamsDoNotDisturbEachOther) {
  struct Streams {
    TicketedRun first, second[2];  // in turn
  };
  constexpr Size large{1100, 1000}, fewer_diagonals{1200, 890}, fewer_rows{1100, 890};
  for (const auto& [one, others] :
       {Streams{{"1r1w_skss_lb", "W=32", {600, 500}},
                {{"1r1w_skss_lb", "W=64", {500, 601}}, {"1r1w_skss", "W=64", {500, 601}}}},
        {{"decoupled_fallback_backward", "", large},
         {{"decoupled_fallback_backward", "", fewer_diagonals}, {"decoupled_fallback", "", fewer_diagonals}}},
        {{"row_waves_backward", "", large}, {{"row_waves_backward", "", fewer_rows}, {"row_waves", "", fewer_rows}}},
        {{"one_wave", "tile=8x4", {600, 500}}, {{"one_wave", "", {500, 601}}, {"one_wave", "tile=8x8", {500, 601}}}}}) {
    SCOPED_TRACE(one.text());
    TicketedRuns<std::uint8_t, std::uint32_t> first, second({}, 1);
    for (int i = 0; i < 6; ++i) {
      first.start(one);
      second.start(others[i % 2]);
      first.expect_right();
      second.expect_right();
    }
  }
}

// Tables of these algorithms have memory of one size for these images: each run finds what the others have left.
template <class Input, class Sum>
void check_sharing(std::initializer_list<TicketedRun> sharing) {
  TicketedRuns<Input, Sum> runs;
  std::uint32_t count = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const auto& each : sharing) {
      runs.run(each);
      ASSERT_EQ(runs.tickets().word, completed(++count)) << "the memory was cleared, is another, or was counted wrongly";
    }
}

TEST_F(RunTicketsMemoryTest, IsSharedWithoutClearing) {
  // With tiles of 32 x 32, 63 to 70 tiles for 1r1w_skss_lb, and 133, which need fewer slots each, for 1r1w_skss.
  constexpr TicketedRun lb{"1r1w_skss_lb", "W=32", {300, 200}}, wide_lb{"1r1w_skss_lb", "W=32", {260, 220}},
      tall_lb{"1r1w_skss_lb", "W=32", {200, 300}}, skss{"1r1w_skss", "W=32", {600, 210}},
      tall_skss{"1r1w_skss", "W=32", {210, 601}};
  const auto look_backs = {lb, lb, skss, wide_lb, tall_lb, tall_skss, lb, skss};
  check_sharing<std::uint8_t, std::uint32_t>(look_backs);
  check_sharing<float, float>(look_backs);
  check_sharing<double, double>(look_backs);
  constexpr Size size{1100, 1000}, in_one_launch{1792, 1792};  // of 196 tiles, on any of these GPUs
  check_sharing<std::uint8_t, std::uint32_t>(
      {{"decoupled_fallback_backward", "", size}, {"1r1w_skss_lb", "", size}, {"decoupled_fallback", "", size}});
  check_sharing<std::uint8_t, std::uint32_t>(
      {{"one_wave", "tile=8x16", in_one_launch}, {"1r1w_skss_lb", "W=32", in_one_launch}});
}

// Every size with each algorithm, so often. `counted`: the slots of all have memory of one size.
template <class Input, class Sum>
void check_sizes(std::initializer_list<TicketedRun> algorithms, std::initializer_list<Size> sizes, int times, bool counted) {
  TicketedRuns<Input, Sum> runs;
  std::uint32_t count = 0;
  for (const Size size : sizes)
    for (const auto& [algorithm, parameters, unused] : algorithms)
      for (int i = 0; i < times; ++i, ++count) {
        runs.run({algorithm, parameters, size});
        if (counted) {
          ASSERT_EQ(runs.tickets().word, completed(count + 1)) << "it was cleared, or counted wrongly";
        }
      }
}

using RunTicketsSizesTest = NeedsGpu<testing::Test>;

TEST_F(RunTicketsSizesTest, LookBacks) {
  const auto check_type = []<class Sum>(Sum) {
    check_sizes<std::uint8_t, Sum>({{"1r1w_skss", "W=128"},
                                    {"1r1w_skss", "W=64"},
                                    {"1r1w_skss", "W=32"},
                                    {"1r1w_skss_lb", "W=128"},
                                    {"1r1w_skss_lb", "W=64"},
                                    {"1r1w_skss_lb", "W=32"}},
                                   {{300, 200}, {1, 1}, {200, 300}, {131, 257}, {500, 31}, {300, 200}, {1, 1}, {200, 300}},
                                   2, false);
  };
  check_type(std::uint32_t());
  check_type(std::uint64_t());
}

TEST_F(RunTicketsSizesTest, FallbacksInBothOrders) {
  const auto check_orders = [](const TicketedRun& forward, const TicketedRun& backward) {
    const auto orders = {forward, backward, backward};
    const auto check_type = [&]<class Input, class Sum>(Input, Sum, Size large) {
      check_sizes<Input, Sum>(orders, {{300, 200}, {1, 1}, {200, 300}, {131, 257}, {500, 31}, large}, 1, false);
    };
    constexpr Size many_small_tiles{500, 400};  // more pixels would take minutes under racecheck
    check_type(std::uint8_t(), std::uint32_t(), {1100, 1000});
    check_type(float(), float(), many_small_tiles);
    check_type(double(), double(), many_small_tiles);
  };
  check_orders({"decoupled_fallback", ""}, {"decoupled_fallback_backward", ""});
  check_orders({"row_waves", ""}, {"row_waves_backward", ""});
}

// A block that does not wait publishes what it needs itself, and its table is the same. After other runs, whose words are there.
TEST_F(RunTicketsSizesTest, WavesAndThoseThatNeedNobodyToGoOn) {
  const auto check_type = []<class Input, class Sum>(Input, Sum) {
    check_sizes<Input, Sum>(
        {{"one_wave", ""}, {"one_wave", "tile=16x1"}, {"one_wave", "tile=8x4"}, {"one_wave", "tile=8x16"}},
        {{300, 200}, {200, 300}, {1, 1}, {131, 257}}, 2, true);
    check_sizes<Input, Sum>(
        {{"one_wave", "tile=8x4"}, {"one_wave_impatient", "tile=8x4"}, {"one_wave_impatient", "tile=8x4"}},
        {{390, 130}, {1, 1}, {128, 500}, {2000, 20}}, 1, true);
  };
  check_type(std::uint8_t(), std::uint32_t());
  check_type(double(), double());
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

using RunTicketsBlocksTest = NeedsGpu<testing::Test>;

// The first blocks wait for blocks that have not started: they do their work.
TEST_F(RunTicketsBlocksTest, DoTheWorkOfThoseThatHaveNotStarted) {
  const Size of_words = more_tiles_than_are_resident(128, 256), of_doubles = more_tiles_than_are_resident(64, 256);
  for (const auto* algorithm : {"decoupled_fallback_backward", "row_waves_backward"}) {
    TicketedRuns<float, float> words;
    TicketedRuns<std::uint8_t, std::uint32_t> bytes;
    TicketedRuns<double, double> doubles;
    for (int run = 0; run < 3; ++run) {
      words.run({algorithm, "", of_words});
      bytes.run({algorithm, "", of_words});
      doubles.run({algorithm, "", of_doubles});
    }
  }
}

// On few multiprocessors: launches of several tile rows, of one, and of parts of one.
template <class Input, class Sum>
void check_bands_of_waves() {
  for (const int multiprocessors : {1, 2, 3, 5}) {
    SCOPED_TRACE(std::to_string(multiprocessors) + " multiprocessors");
    TicketedRuns<Input, Sum> runs({.multiprocessors = multiprocessors});
    for (const auto* tile : {"tile=auto", "tile=16x1", "tile=8x4", "tile=8x8", "tile=16x4", "tile=8x16"})
      for (const Size size : {Size{390, 300}, Size{129, 515}, Size{1100, 140}}) runs.run({"one_wave", tile, size});
  }
}
TEST_F(RunTicketsBlocksTest, OfBandsContinueEachOther) {
  check_bands_of_waves<std::uint8_t, std::uint32_t>();
  check_bands_of_waves<float, float>();
  check_bands_of_waves<double, double>();
  check_bands_of_waves<std::uint8_t, std::uint64_t>();
}

// More tile columns than half a block has threads.
TEST_F(RunTicketsBlocksTest, OfWideImages) {
  TicketedRuns<std::uint8_t, std::uint32_t> runs;
  runs.run({"one_wave", "tile=8x4", {16700, 40}});
  runs.run({"one_wave", "tile=16x1", {16700, 20}});
}

// Only the kernel of small launches of low tiles has the fallback that a plain launch needs.
TEST(RunTicketsLaunchesTest, OnlySmallWavesOfLowTilesArePlain) {
  const auto start_of = [](std::string_view tile, Size size) {
    auto dry = Context::dry(Device::cuda, 0, GpuLimits{.multiprocessors = 132});
    const auto& one_wave = *find_sat_algorithm("one_wave");
    Arguments arguments(one_wave.parameters);
    arguments.set("tile", tile);
    compute_sat(dry, one_wave, view_without_memory(size, ElementType::u8), view_without_memory(size, ElementType::u32),
                arguments);
    return dry.launches().back().shape.start;
  };
  EXPECT_EQ(start_of("auto", {256, 256}), Start::in_order);
  EXPECT_EQ(start_of("8x4", {128, 33 * 32}), Start::in_order);
  EXPECT_EQ(start_of("8x4", {128, 34 * 32}), Start::cooperative);
  EXPECT_EQ(start_of("16x1", {256, 256}), Start::cooperative);
  EXPECT_EQ(start_of("8x16", {256, 256}), Start::cooperative);
}

}  // namespace
}  // namespace gpu
