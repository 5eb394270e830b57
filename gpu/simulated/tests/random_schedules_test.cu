// Algorithms whose blocks wait for blocks of the same launch: the correct table, for every order in which blocks start and
// threads run, and every number of resident blocks.
#include <string_view>

#include "gpu/image.h"
#include "gpu/sat/block/reference.h"
#include "gpu/sat_runner.h"
#include "gpu/simulated/tests/kernels.cuh"

namespace gpu::simulated {
namespace {

// Several tiles or sections in at least one direction, the last ones partial, for every tile width.
constexpr Size sizes[] = {{205, 171}, {1037, 21}, {131, 290}, {21, 1037}, {140, 200}};

GpuSettings settings_of(std::uint64_t seed) {
  const auto resident = 2 + static_cast<int>(seed * 17 % 63);  // 2 .. 64, all different for 50 seeds
  return {.resident_blocks = resident, .schedule = {Schedule::Kind::random, seed}};
}

// Pixels are integers, and so few that even floating-point sums are exact.
template <class Input, class Sum>
void check(SatRunner& runner, const SatAlgorithm& algorithm, const Arguments& arguments, Size size, std::uint64_t seed) {
  const auto count = size.pixels();
  const Zeroed<Input> pixels(count);
  const Zeroed<Sum> sums(count);
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) pixels[i] = static_cast<Input>(random.below(200));
  const ImageView<Input> image{pixels.data(), size.width, size.height, size.width};
  const ImageView<Sum> table{sums.data(), size.width, size.height, size.width};
  {
    const WithSettings set(settings_of(seed));
    runner.run(algorithm, AnyImageView(image), table, arguments);
  }
  std::vector<Sum> expected(count);
  sat::reference(ImageView<const Input>(image), ImageView<Sum>{expected.data(), size.width, size.height, size.width});
  ASSERT_EQ(sums.values(), expected) << size.width << " x " << size.height << ", sums of " << sizeof(Sum) << " bytes";
}

// Alternates the values of the first parameter (tile width, section length), and types with sums of 4 bytes and of
// 8 bytes.
void check_schedules(std::string_view name, std::uint64_t seeds) {
  const auto* algorithm = find_sat_algorithm(name);
  ASSERT_TRUE(algorithm);
  // One for all: scratch memory keeps the data of previous runs.
  auto runner = SatRunner::on_stream(nullptr);
  const auto& parameter = algorithm->parameters.front();
  const auto values = split_choices(parameter.choices);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto value = values[seed % values.size()];
    const auto size = sizes[seed / values.size() % std::size(sizes)];
    SCOPED_TRACE(std::string(parameter.name) + " = " + std::string(value) + ", seed " + std::to_string(seed));
    Arguments arguments(algorithm->parameters);
    arguments.set(parameter.name, value);
    if (seed % 2 == 0) {
      ASSERT_NO_FATAL_FAILURE((check<std::uint8_t, std::uint32_t>(runner, *algorithm, arguments, size, seed)));
      ASSERT_NO_FATAL_FAILURE((check<double, double>(runner, *algorithm, arguments, size, seed)));
    } else {
      ASSERT_NO_FATAL_FAILURE((check<float, float>(runner, *algorithm, arguments, size, seed)));
      ASSERT_NO_FATAL_FAILURE((check<std::uint8_t, std::uint64_t>(runner, *algorithm, arguments, size, seed)));
    }
  }
}

constexpr std::uint64_t few = 5, many = 50;

TEST(FewRandomSchedules, ColumnsThatWaitForColumns) { check_schedules("1r1w_skss", few); }
TEST(FewRandomSchedules, TilesThatLookBack) { check_schedules("1r1w_skss_lb", few); }
TEST(FewRandomSchedules, LinesThatLookBack) { check_schedules("2r2w_optimal", few); }
TEST(FewRandomSchedules, SectionsThatWaitForSections) { check_schedules("scan_transpose", few); }

TEST(RandomSchedules, ColumnsThatWaitForColumns) { check_schedules("1r1w_skss", many); }
TEST(RandomSchedules, TilesThatLookBack) { check_schedules("1r1w_skss_lb", many); }
TEST(RandomSchedules, LinesThatLookBack) { check_schedules("2r2w_optimal", many); }
TEST(RandomSchedules, SectionsThatWaitForSections) { check_schedules("scan_transpose", many); }

}  // namespace
}  // namespace gpu::simulated
