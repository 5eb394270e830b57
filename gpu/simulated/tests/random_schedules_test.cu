// Algorithms whose blocks wait for blocks of the same launch, or of the one before: the correct table, for every order in which blocks
// start, threads run and relaxed words are seen, and every number of resident blocks.
#include <algorithm>
#include <ostream>
#include <span>
#include <string_view>

#include "gpu/execution/thread_pool.h"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat_runner.h"
#include "gpu/simulated/tests/kernels.cuh"
#include "gpu/tests/sat/impatient_algorithms.h"
#include "gpu/tests/vision/random_cascade.h"
#include "gpu/vision/detector.h"

namespace gpu::simulated {
namespace {

// Several tiles or sections in at least one direction, the last ones partial, for every tile width.
constexpr Size sizes[] = {{205, 171}, {1037, 21}, {131, 290}, {21, 1037}, {140, 200}};
// The same for tiles of 128 x 128 that have no parameter for their width: up to 28 tiles of them, 91 of 64 x 64.
constexpr Size large_sizes[] = {{801, 391}, {401, 391}, {2070, 21}, {21, 2070}, {205, 171}};
// Where blocks take the last tile first: each that starts too early computes all tiles before its own.
constexpr Size backward_sizes[] = {{401, 391}, {205, 521}, {1070, 21}, {21, 1070}, {205, 171}};
// For the tiles of row_waves, of 256 x 128 to 128 x 32: more than one group of four and of eight.
constexpr Size many_columns[] = {{1201, 301}, {2333, 131}, {2100, 21}, {21, 1300}, {401, 391}};

// [first, end): each is a schedule, and the size, arguments and pixels that it runs with.
struct Seeds {
  std::uint64_t first, end;
};

GpuSettings settings_of(std::uint64_t seed) {
  const auto resident = 2 + static_cast<int>(seed * 17 % 63);  // 2 .. 64, all different for 50 seeds
  return {.resident_blocks = resident, .schedule = {Schedule::Kind::random, seed}};
}

// Pixels are integers, and so small that even floating-point sums, below 2^24, are exact.
template <class Input, class Sum>
void check(SatRunner& runner, const SatAlgorithm& algorithm, const Arguments& arguments, Size size, std::uint64_t seed,
           const GpuSettings& settings) {
  const auto count = size.pixels();
  const Zeroed<Input> pixels(count);
  const Zeroed<Sum> sums(count);
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) pixels[i] = static_cast<Input>(random.below(50));
  const ImageView<Input> image{pixels.data(), size.width, size.height, size.width};
  const ImageView<Sum> table{sums.data(), size.width, size.height, size.width};
  {
    const WithSettings set(settings);
    runner.run(algorithm, AnyImageView(image), table, arguments);
  }
  std::vector<Sum> expected(count);
  sat::reference(ImageView<const Input>(image), ImageView<Sum>{expected.data(), size.width, size.height, size.width});
  ASSERT_EQ(sums.values(), expected) << size.width << " x " << size.height << ", sums of " << sizeof(Sum) << " bytes";
}

// Alternates the values of the first parameter (tile width, section length), and types with sums of 4 bytes and of
// 8 bytes.
void check_schedules(const SatAlgorithm* algorithm, Seeds seeds, std::span<const Size> of = sizes) {
  ASSERT_TRUE(algorithm);
  // One for all: scratch memory keeps the data of previous runs.
  auto runner = SatRunner::on_stream(nullptr);
  const auto& parameter = algorithm->parameters.front();
  const auto values = split_choices(parameter.choices);
  for (auto seed = seeds.first; seed < seeds.end; ++seed) {
    const auto value = values[seed % values.size()];
    const auto size = of[seed / values.size() % of.size()];
    SCOPED_TRACE(std::string(parameter.name) + " = " + std::string(value) + ", seed " + std::to_string(seed));
    Arguments arguments(algorithm->parameters);
    arguments.set(parameter.name, value);
    const auto settings = settings_of(seed);
    const auto check_type = [&]<class Input, class Sum>() {
      const auto type = sat_type(element_type<Input>(), element_type<Sum>());
      if (std::ranges::find(algorithm->types, type) != algorithm->types.end())
        check<Input, Sum>(runner, *algorithm, arguments, size, seed, settings);
    };
    if (seed % 2 == 0 || algorithm->types.size() == 1) {
      ASSERT_NO_FATAL_FAILURE((check_type.template operator()<std::uint8_t, std::uint32_t>()));
      ASSERT_NO_FATAL_FAILURE((check_type.template operator()<double, double>()));
    } else {
      ASSERT_NO_FATAL_FAILURE((check_type.template operator()<float, float>()));
      ASSERT_NO_FATAL_FAILURE((check_type.template operator()<std::uint8_t, std::uint64_t>()));
    }
  }
}

void check_schedules(std::string_view name, Seeds seeds, std::span<const Size> of = sizes) {
  check_schedules(find_sat_algorithm(name), seeds, of);
}
void check_early_launches(Seeds seeds) {
  for (const auto* name : {"2r1w", "1r1w", "ha_blocks"}) check_schedules(name, seeds);
}

// The third run is the last one with its number: slots of all blocks are clear after it, and the numbers start again.
void check_last_runs(Seeds seeds) {
  const auto& algorithm = *find_sat_algorithm("1r1w_skss_lb");
  Arguments arguments(algorithm.parameters);
  arguments.set("W", "32");
  for (auto seed = seeds.first; seed < seeds.end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto runner = SatRunner::on_stream(nullptr);
    const auto run = [&](std::uint64_t number) {
      check<std::uint8_t, std::uint32_t>(runner, algorithm, arguments, {140, 200}, 4 * seed + number,
                                         settings_of(4 * seed + number));
    };
    run(0);
    const auto bytes = runner.persistent_bytes();
    auto* const memory = runner.context().persistent<std::byte>(sat::RunSlots<std::uint32_t>::name, bytes);
    auto& word = reinterpret_cast<sat::RunTickets*>(memory)->word;
    word = static_cast<std::uint64_t>(sat::RunTickets::last_run - 2) << 32;
    run(1);
    ASSERT_EQ(word >> 32, sat::RunTickets::last_run - 1);
    run(2);
    ASSERT_TRUE(std::all_of(memory, memory + bytes, [](std::byte byte) { return byte == std::byte{}; }));
    run(3);
    ASSERT_EQ(word >> 32, 1u);
  }
}

void check_fallback(Seeds seeds) {
  check_schedules(find_sat_algorithm("decoupled_fallback"), seeds, large_sizes);
  check_schedules(&sat::decoupled_fallback_backward, seeds, backward_sizes);
}
void check_row_waves(Seeds seeds) {
  check_schedules(find_sat_algorithm("row_waves"), seeds, many_columns);
  check_schedules(&sat::row_waves_backward, seeds, many_columns);
}

// Launches of few blocks are plain: nothing promises that they are resident together, nor that the first start first. Other work
// leaves room for one block, or for some.
void check_small_waves(Seeds seeds) {
  auto runner = SatRunner::on_stream(nullptr);
  const auto& algorithm = *find_sat_algorithm("one_wave");
  for (auto seed = seeds.first; seed < seeds.end; ++seed) {
    constexpr Size small[] = {{390, 130}, {128, 500}, {900, 60}, {300, 96}};
    const auto size = small[seed % std::size(small)];
    const auto room = 1 + static_cast<int>(seed % 5);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", room for " + std::to_string(room));
    const GpuSettings settings{.schedule = {Schedule::Kind::random, seed}, .taken = GpuSettings().resident_blocks - room};
    const auto check_types = [&](const SatAlgorithm& each) {
      const Arguments arguments(each.parameters);
      ASSERT_NO_FATAL_FAILURE((check<std::uint8_t, std::uint32_t>(runner, each, arguments, size, seed, settings)));
      ASSERT_NO_FATAL_FAILURE((check<double, double>(runner, each, arguments, size, seed, settings)));
    };
    ASSERT_NO_FATAL_FAILURE(check_types(algorithm));
    ASSERT_NO_FATAL_FAILURE(check_types(sat::one_wave_impatient));
  }
}

// Several images in one launch, more of its blocks than are resident, in any order.
template <class Input, class Sum>
void check_batch(SatRunner& runner, const SatAlgorithm& algorithm, Size size, const ImageBatch& batch,
                 const GpuSettings& settings, Random& random) {
  const auto pixels_of = [&](int tables) { return size.pixels() * static_cast<std::size_t>(tables); };
  const Zeroed<Input> pixels(pixels_of(batch.tables()));
  const Zeroed<Sum> sums(pixels_of(batch.tables()));
  for (std::size_t i = 0; i < pixels_of(batch.tables()); ++i) pixels[i] = static_cast<Input>(random.below(50));
  const ImageView<const Input> image{pixels.data(), size.width, size.height, size.width * batch.channels};
  const ImageView<Sum> table{sums.data(), size.width, size.height, size.width};
  const auto work = [&](Context& context) {
    algorithm.run_batch(context, image, table, Arguments(algorithm.parameters), batch);
  };
  {
    const WithSettings set(settings);
    runner.reserve(runner.plan(work).workspace_bytes);
    work(runner.context());
  }
  std::vector<Sum> expected(sums.values().size());
  std::vector<Input> channel(size.pixels());
  for (int i = 0; i < batch.tables(); ++i) {
    for (std::size_t at = 0; at < channel.size(); ++at)
      channel[at] = pixels[pixels_of(i / batch.channels * batch.channels) + at * static_cast<std::size_t>(batch.channels) +
                           static_cast<std::size_t>(i % batch.channels)];
    sat::reference(ImageView<const Input>{channel.data(), size.width, size.height, size.width},
                   ImageView<Sum>{expected.data() + pixels_of(i), size.width, size.height, size.width});
  }
  ASSERT_EQ(sums.values(), expected) << size.width << " x " << size.height << ", sums of " << sizeof(Sum) << " bytes";
}
void check_batches(Seeds seeds) {
  auto runner = SatRunner::on_stream(nullptr);
  for (auto seed = seeds.first; seed < seeds.end; ++seed) {
    constexpr Size small[] = {{390, 130}, {128, 300}, {140, 60}, {300, 96}, {64, 64}};
    const auto size = small[seed % std::size(small)];
    const int channels = seed % 3 == 0 ? 3 : 1, count = 1 + static_cast<int>(seed % 4);
    const auto pixels = static_cast<std::ptrdiff_t>(size.pixels());
    const ImageBatch batch{count, pixels * channels, pixels, channels};
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto settings = settings_of(seed);
    for (const auto* algorithm : {find_sat_algorithm("one_wave"), &sat::one_wave_impatient}) {
      ASSERT_NO_FATAL_FAILURE((check_batch<std::uint8_t, std::uint32_t>(runner, *algorithm, size, batch, settings, random)));
      ASSERT_NO_FATAL_FAILURE((check_batch<double, double>(runner, *algorithm, size, batch, settings, random)));
    }
  }
}

// Fractions whose sums are rounded, so that they depend on the order of additions.
std::vector<float> table_of_fractions(SatRunner& runner, const SatAlgorithm& algorithm, const Arguments& arguments,
                                      Size size, std::uint64_t seed) {
  const Zeroed<float> pixels(size.pixels()), sums(size.pixels());
  Random random(1);
  for (std::size_t i = 0; i < size.pixels(); ++i) pixels[i] = static_cast<float>(random.below(1u << 24)) * 0x1p-24f;
  // One GPU: the number of resident blocks does not change.
  const WithSettings set({.resident_blocks = 40, .schedule = {Schedule::Kind::random, seed}});
  runner.run(algorithm, AnyImageView(ImageView<float>{pixels.data(), size.width, size.height, size.width}),
             ImageView<float>{sums.data(), size.width, size.height, size.width}, arguments);
  return sums.values();
}

// How many of `seeds` schedules give another table than the first one. With the smallest tiles, so that there are many.
int other_tables(const SatAlgorithm& algorithm, Size size, std::uint64_t seeds) {
  auto runner = SatRunner::on_stream(nullptr);
  Arguments arguments(algorithm.parameters);
  if (arguments.has("W")) arguments.set("W", "32");
  if (arguments.has("section")) arguments.set("section", "256");
  if (arguments.has("tile")) arguments.set("tile", "16x1");
  const auto first = table_of_fractions(runner, algorithm, arguments, size, 0);
  int others = 0;
  for (std::uint64_t seed = 1; seed < seeds; ++seed)
    others += table_of_fractions(runner, algorithm, arguments, size, seed) != first;
  return others;
}

class RandomSchedulesFloatTablesTest : public testing::TestWithParam<const SatAlgorithm*> {};

TEST_P(RandomSchedulesFloatTablesTest, AreTheSameInEveryRunWhereTheDescriptorSaysSo) {
  const auto& algorithm = *GetParam();
  int others = 0;
  for (const Size size : {Size{171, 133}, Size{1037, 21}, Size{41, 621}}) others += other_tables(algorithm, size, 6);
  if (algorithm.repeatable)
    EXPECT_EQ(others, 0);
  else
    EXPECT_GT(others, 0) << "the descriptor could say that it is repeatable";
}

std::vector<const SatAlgorithm*> kernels_of_floats() {
  std::vector<const SatAlgorithm*> ours;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->device == Device::cuda && algorithm->not_simulated.empty() &&
        std::ranges::find(algorithm->types, SatType::f32_f32) != algorithm->types.end())
      ours.push_back(algorithm);
  return ours;
}
INSTANTIATE_TEST_SUITE_P(Every, RandomSchedulesFloatTablesTest, testing::ValuesIn(kernels_of_floats()),
                         [](const auto& test) { return std::string(test.param->name); });

// Cascades that most windows of a frame pass, so that they are grouped on the GPU, and long ones; upright, tilted, and of LBP.
void check_detector(Seeds seeds) {
  const Size size{95, 71};
  ThreadPool pool(1);
  auto host = Context::on_host(pool, {});
  auto gpu = Context::on_stream(nullptr, {});
  for (auto seed = seeds.first; seed < seeds.end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const vision::RandomCascadeKind kind{.stages = seed % 2 == 0 ? 2 : 15, .tilted = seed % 4 >= 2, .lbp = seed % 3 == 2};
    const auto cascade = vision::RandomCascade(kind, static_cast<unsigned>(seed)).make();
    vision::Detector expected(cascade, {}, size), found(cascade, {}, size);
    const auto picture = vision::wavy_picture(size, static_cast<unsigned>(seed));
    const Zeroed<std::uint8_t> pixels(size.pixels());
    for (int y = 0; y < size.height; ++y) std::copy_n(picture.view().row(y), size.width, pixels.data() + y * size.width);
    const ImageView<const std::uint8_t> frame{pixels.data(), size.width, size.height, size.width};
    expected.run(host, frame);
    {
      const WithSettings set(settings_of(seed));
      found.run(gpu, frame);
    }
    ASSERT_TRUE(std::ranges::equal(found.hits(), expected.hits()));
    ASSERT_TRUE(std::ranges::equal(found.detections(), expected.detections()));
  }
}

// Every run has the first schedules; --ci has some more, and --full the rest.
struct Case {
  const char* name;
  void (*check)(Seeds);
  std::uint64_t few, some, all;
};
void PrintTo(const Case& each, std::ostream* to) { *to << each.name; }
constexpr Case cases[] = {
    {"ColumnsThatWaitForColumns", [](Seeds seeds) { check_schedules("1r1w_skss", seeds); }, 5, 25, 50},
    {"TilesThatLookBack", [](Seeds seeds) { check_schedules("1r1w_skss_lb", seeds); }, 5, 25, 50},
    {"TilesOfTensorCores", [](Seeds seeds) { check_schedules("tensor_tiles", seeds, large_sizes); }, 3, 25, 50},
    {"TilesThatFallBack", check_fallback, 3, 12, 50},
    {"LinesThatLookBack", [](Seeds seeds) { check_schedules("2r2w_optimal", seeds); }, 5, 25, 50},
    {"SectionsThatWaitForSections", [](Seeds seeds) { check_schedules("scan_transpose", seeds); }, 5, 15, 50},
    {"TilesThatWaitForAllBefore", [](Seeds seeds) { check_schedules("one_wave", seeds); }, 5, 25, 50},
    {"TilesOfSmallLaunchesWithoutRoom", check_small_waves, 5, 25, 50},
    {"TilesOfSeveralImages", check_batches, 5, 20, 50},
    {"TilesInTheOrderOfRows", check_row_waves, 3, 12, 50},
    {"WindowsOfCascades", check_detector, 5, 10, 20},
    {"LaunchesThatStartEarly", check_early_launches, 5, 25, 50},
    {"NumbersOfRunsStartAgain", check_last_runs, 5, 25, 50},
};

class RandomSchedulesFewTest : public testing::TestWithParam<Case> {};
class RandomSchedulesTest : public testing::TestWithParam<Case> {};
class RandomSchedulesLongTest : public testing::TestWithParam<Case> {};

TEST_P(RandomSchedulesFewTest, GiveTheTable) { GetParam().check({0, GetParam().few}); }
TEST_P(RandomSchedulesTest, GiveTheTable) { GetParam().check({GetParam().few, GetParam().some}); }
TEST_P(RandomSchedulesLongTest, GiveTheTable) { GetParam().check({GetParam().some, GetParam().all}); }

std::string name_of(const testing::TestParamInfo<Case>& test) { return test.param.name; }
INSTANTIATE_TEST_SUITE_P(Every, RandomSchedulesFewTest, testing::ValuesIn(cases), name_of);
INSTANTIATE_TEST_SUITE_P(Every, RandomSchedulesTest, testing::ValuesIn(cases), name_of);
INSTANTIATE_TEST_SUITE_P(Every, RandomSchedulesLongTest, testing::ValuesIn(cases), name_of);

}  // namespace
}  // namespace gpu::simulated
