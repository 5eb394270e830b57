// The host's algorithms on machines with any number of cores.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/cuda/memory.h"
#include "gpu/sat_runner.h"
#include "gpu/tests/sat/dry_replay.h"
#include "gpu/tests/sat/sat_matrix.h"

namespace gpu {
namespace {

// Many more threads than this machine has cores: as many bands as the rows allow, each of very few rows, and as many strips as the
// columns allow.
class HostParallelSatManyThreadsTest : public testing::TestWithParam<SatTestCase> {};

TEST_P(HostParallelSatManyThreadsTest, EqualsReference) {
  constexpr std::size_t random_and_all_max = 2;
  SatMatrix<HostThreads<128>>(GetParam())
      .check({{{65, 1080}, 68, 70, 1}, {{311, 239}, 320, 320}, {{33, 1021}, 256, 256}, {{1000, 517}, 1024, 1024}},
             random_and_all_max);
}

std::vector<SatTestCase> cases() {
  auto all = sat_test_cases(Device::host);
  std::erase_if(all, [](const SatTestCase& test) { return test.algorithm->name == "host_serial"; });
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, HostParallelSatManyThreadsTest, testing::ValuesIn(cases()), case_name);

struct Part {
  std::string name;
  int parts;
  friend bool operator==(const Part&, const Part&) = default;
};
void PrintTo(const Part& part, std::ostream* out) { *out << part.parts << " of " << part.name; }

std::vector<Part> parts_of(const Context& context) {
  std::vector<Part> parts;
  for (const auto& record : context.launches()) parts.push_back({record.name, record.parts});
  return parts;
}

// The phases of host_parallel with their parts, and its lines: two per band, each of 2048 entries at this width.
TEST(HostParallelTest, HasThreePhases) {
  const auto& algorithm = *find_sat_algorithm("host_parallel");
  const auto phases = [&](int threads, std::size_t lines) {
    const auto context = replay(algorithm, Arguments(algorithm.parameters), SatType::u8_u32, {2000, 1080}, {}, threads);
    EXPECT_EQ(context.workspace_bytes(), lines * 2048 * 4);
    return parts_of(context);
  };
  EXPECT_EQ(phases(1, 2), (std::vector<Part>{{"column sums", 1}, {"bands", 1}}));
  EXPECT_EQ(phases(2, 4), (std::vector<Part>{{"column sums", 2}, {"sums above", 1}, {"bands", 2}}));
  EXPECT_EQ(phases(64, 128), (std::vector<Part>{{"column sums", 64}, {"sums above", 32}, {"bands", 64}}));
  EXPECT_EQ(phases(128, 256), (std::vector<Part>{{"column sums", 128}, {"sums above", 64}, {"bands", 128}}));
}

// Tables past the caches are written by stores that need rows at multiples of 64 bytes: here the first row is at one, and the second
// is not, or every row is, or none.
void check_large_tables(const SatAlgorithm& algorithm, const std::vector<int>& padding) {
  constexpr int width = 4096, height = 4099;  // 64 MiB and three rows
  const std::vector<std::uint8_t> image(std::size_t{width} * height, 1);
  ThreadPool pool(2);
  Buffer<std::uint32_t> memory(std::size_t{width + 17} * height + 16, Device::host);
  for (const int more : padding)
    for (const int offset : {0, 1}) {
      const int stride = width + more;
      SCOPED_TRACE(std::to_string(stride) + ", from " + std::to_string(offset));
      std::memset(memory.data(), 0xcd, memory.size() * sizeof(std::uint32_t));
      const ImageView<std::uint32_t> table{memory.data() + offset, width, height, stride};
      auto runner = SatRunner::on_host(pool);
      runner.run(algorithm, ImageView<const std::uint8_t>{image.data(), width, height, width}, table,
                 Arguments(algorithm.parameters));
      for (int y = 0; y < height; y += 97)
        for (int x = 0; x < width; ++x)
          ASSERT_EQ(table(x, y), static_cast<std::uint32_t>(x + 1) * static_cast<std::uint32_t>(y + 1)) << x << ',' << y;
      for (int y = 0; y + 1 < height; ++y)
        for (int x = width; x < stride; ++x) ASSERT_EQ(table.row(y)[x], 0xcdcdcdcdu) << "behind row " << y;
    }
}
TEST(HostParallelTest, LargeTablesWithRowsAtAnyDistance) {
  check_large_tables(*find_sat_algorithm("host_parallel"), {0, 1, 2, 4, 8, 16});
}
TEST(HostEhsanTest, LargeTablesWithRowsAtAnyDistance) { check_large_tables(*find_sat_algorithm("host_ehsan"), {0, 1}); }
TEST(HostWavefrontTest, LargeTablesWithRowsAtAnyDistance) {
  check_large_tables(*find_sat_algorithm("host_wavefront"), {0, 1});
}

// Strips of at least 64 columns. A single one reads the image once.
TEST(HostEhsanTest, HasAStripPerThread) {
  const auto& algorithm = *find_sat_algorithm("host_ehsan");
  for (const auto& arguments : all_arguments(algorithm)) {
    const auto phases = [&](int threads, Size size) {
      return parts_of(replay(algorithm, arguments, SatType::u8_u32, size, {}, threads));
    };
    EXPECT_EQ(phases(1, {2000, 1080}), (std::vector<Part>{{"strips", 1}}));
    EXPECT_EQ(phases(3, {2000, 1080}), (std::vector<Part>{{"strip sums", 12}, {"strips", 3}}));
    EXPECT_EQ(phases(64, {2000, 5}), (std::vector<Part>{{"strip sums", 5}, {"strips", 32}}));
    EXPECT_EQ(phases(64, {64, 1080}), (std::vector<Part>{{"strips", 1}}));
  }
}

TEST(HostWavefrontTest, HasAStepPerDiagonalOfTiles) {
  const auto& algorithm = *find_sat_algorithm("host_wavefront");
  Arguments arguments(algorithm.parameters);
  arguments.set("W", "128");
  const auto parts = [&](Size size) {
    std::vector<int> tiles;
    for (const auto& part : parts_of(replay(algorithm, arguments, SatType::u8_u32, size, {}, 2)))
      tiles.push_back(part.parts);
    return tiles;
  };
  EXPECT_EQ(parts({1, 1}), std::vector{1});
  EXPECT_EQ(parts({512, 256}), (std::vector{1, 2, 2, 2, 1}));
  EXPECT_EQ(parts({129, 400}), (std::vector{1, 2, 2, 2, 1}));
}

// Even on a machine with many cores no phase has more parts than requested threads, and scratch memory grows no faster
// than their number.
TEST(HostParallelTest, KeepsToItsThreads) {
  const auto& algorithm = *find_sat_algorithm("host_parallel");
  for (const int threads : {1, 2, 3, 64, 128})
    for (const auto& arguments : all_arguments(algorithm))
      for (const auto type : all_sat_types)
        for (const Size size : {Size{1, 1}, Size{1920, 1080}, Size{1, 16400}, Size{16400, 33}, Size{32768, 32768}}) {
          const auto context = replay(algorithm, arguments, type, size, {}, threads);
          const auto& choice = arguments.text("threads");
          const int most = choice == "all" ? threads : std::min(threads, arguments.integer("threads"));
          SCOPED_TRACE(std::string(info(type).name) + gpu::text(arguments) + ", " + std::to_string(threads) + " cores, " +
                       std::to_string(size.width) + "x" + std::to_string(size.height));
          const auto line = static_cast<std::size_t>((size.width + 63) / 64 * 64) * size_of(info(type).sum);
          EXPECT_LE(context.workspace_bytes(), 2 * static_cast<std::size_t>(most) * line);
          EXPECT_LE(context.launches().size(), 3u);
          for (const auto& record : context.launches()) {
            EXPECT_GE(record.parts, 1) << record.name;
            EXPECT_LE(record.parts, most) << record.name;
          }
        }
}

}  // namespace
}  // namespace gpu
