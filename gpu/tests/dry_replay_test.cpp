// What each algorithm would start, replayed without a GPU: kernel names, grids, blocks and workspace, held against
// what its paper says; and what holds for all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>

#include "gpu/tests/sat_cases.h"

namespace gpu {
namespace {

// Views whose pixels must not be touched: they point to nowhere.
AnyConstImageView nowhere(Size size, ElementType type) {
  return AnyImageView(reinterpret_cast<void*>(std::uintptr_t{1} << 20), size.width, size.height,
                      (size.width + 255) / 256 * 256, type);
}
AnyImageView nowhere_to_write(Size size, ElementType type) {
  return AnyImageView(reinterpret_cast<void*>(std::uintptr_t{1} << 40), size.width, size.height,
                      (size.width + 255) / 256 * 256, type);
}

Context replay(const SatAlgorithm& algorithm, const Arguments& arguments, SatType type, Size size) {
  auto context = Context::dry(algorithm.device, 2);
  compute_sat(context, algorithm, nowhere(size, info(type).input), nowhere_to_write(size, info(type).sum), arguments);
  return context;
}

struct Launch {
  std::string name;
  unsigned grid_x, grid_y, block;
  friend bool operator==(const Launch&, const Launch&) = default;
};
void PrintTo(const Launch& launch, std::ostream* out) {
  *out << launch.name << " <<<" << launch.grid_x << "x" << launch.grid_y << ", " << launch.block << ">>>";
}

std::vector<Launch> kernels_of(const Context& context) {
  std::vector<Launch> kernels;
  for (const auto& record : context.launches())
    if (record.kind == LaunchRecord::Kind::kernel)
      kernels.push_back({record.name, record.shape.grid.x, record.shape.grid.y,
                         record.shape.block.x * record.shape.block.y * record.shape.block.z});
  return kernels;
}

std::size_t count(const Context& context, LaunchRecord::Kind kind) {
  return static_cast<std::size_t>(std::count_if(context.launches().begin(), context.launches().end(),
                                                [&](const LaunchRecord& record) { return record.kind == kind; }));
}

struct Expectation {
  std::string algorithm, parameter, value;
  SatType type;
  Size size;
  std::vector<Launch> kernels;
  std::size_t clears, workspace_bytes;
};
void PrintTo(const Expectation& e, std::ostream* out) {
  *out << e.algorithm << " " << e.parameter << "=" << e.value << " " << info(e.type).name << " " << e.size.width << "x"
       << e.size.height;
}

constexpr auto u32 = SatType::u8_u32;
constexpr auto f64 = SatType::f64_f64;

// 2r2w: a thread a column, then a thread a row, and no scratch memory.
const Expectation two_reads_two_writes[] = {
    {"2r2w", "block", "256", u32, {1, 1}, {{"column scan", 1, 1, 256}, {"row scan", 1, 1, 256}}, 0, 0},
    {"2r2w", "block", "256", u32, {1000, 1021}, {{"column scan", 4, 1, 256}, {"row scan", 4, 1, 256}}, 0, 0},
    {"2r2w", "block", "64", f64, {1920, 1080}, {{"column scan", 30, 1, 64}, {"row scan", 17, 1, 64}}, 0, 0},
};

// 2r1w: a block a tile; blocks of 256 threads over the tiles' rows, their columns, and one for the corners; a block a
// tile. Scratch: a sum for each row and column of each tile, and one a tile, each array rounded up to 256 bytes.
const Expectation two_reads_one_write[] = {
    {"2r1w", "W", "64", u32, {1, 1},
     {{"tile sums", 1, 1, 128}, {"prefix sums", 3, 1, 256}, {"tile tables", 1, 1, 128}}, 0, 256 + 256 + 256},
    {"2r1w", "W", "64", u32, {1920, 1080},
     {{"tile sums", 30, 17, 128}, {"prefix sums", 5 + 8 + 1, 1, 256}, {"tile tables", 30, 17, 128}}, 0,
     130560 + 130560 + 2048},
    {"2r1w", "W", "128", u32, {1920, 1080},
     {{"tile sums", 15, 9, 256}, {"prefix sums", 5 + 8 + 1, 1, 256}, {"tile tables", 15, 9, 256}}, 0,
     69120 + 69120 + 768},
    {"2r1w", "W", "32", f64, {1000, 1021},
     {{"tile sums", 32, 32, 128}, {"prefix sums", 4 + 4 + 1, 1, 256}, {"tile tables", 32, 32, 128}}, 0,
     262144 + 262144 + 8192},
};

// 1r1w_skss_lb: one kernel, a block a tile. Scratch, cleared at once: a counter, and for each tile 2 W + 1 slots of
// twice a sum's size.
const Expectation one_read_one_write[] = {
    {"1r1w_skss_lb", "W", "128", u32, {1, 1}, {{"1r1w_skss_lb", 1, 1, 256}}, 1, 2304},
    {"1r1w_skss_lb", "W", "128", u32, {1000, 1021}, {{"1r1w_skss_lb", 64, 1, 256}}, 1, 131840},
    {"1r1w_skss_lb", "W", "128", u32, {1920, 1080}, {{"1r1w_skss_lb", 135, 1, 256}}, 1, 277760},
    {"1r1w_skss_lb", "W", "64", f64, {129, 64}, {{"1r1w_skss_lb", 3, 1, 256}}, 1, 6400},
};

class DryReplay : public testing::TestWithParam<Expectation> {};

TEST_P(DryReplay, IsAsThePaperSays) {
  const auto& expected = GetParam();
  const auto* algorithm = find_sat_algorithm(expected.algorithm);
  ASSERT_NE(algorithm, nullptr);
  Arguments arguments(algorithm->parameters);
  arguments.set(expected.parameter, expected.value);
  const auto context = replay(*algorithm, arguments, expected.type, expected.size);
  EXPECT_EQ(kernels_of(context), expected.kernels);
  EXPECT_EQ(count(context, LaunchRecord::Kind::clear), expected.clears);
  EXPECT_EQ(context.workspace_bytes(), expected.workspace_bytes);
}
INSTANTIATE_TEST_SUITE_P(TwoReadsTwoWrites, DryReplay, testing::ValuesIn(two_reads_two_writes));
INSTANTIATE_TEST_SUITE_P(TwoReadsOneWrite, DryReplay, testing::ValuesIn(two_reads_one_write));
INSTANTIATE_TEST_SUITE_P(OneReadOneWrite, DryReplay, testing::ValuesIn(one_read_one_write));

// What every GPU since compute capability 7.5 takes, but for shared memory, where Hopper has the most.
void check_limits(const LaunchRecord& record) {
  const auto& [grid, block, shared_bytes] = record.shape;
  EXPECT_GE(block.x * block.y * block.z, 1u);
  EXPECT_LE(block.x * block.y * block.z, 1024u);
  EXPECT_LE(block.z, 64u);
  EXPECT_LE(grid.x, 2147483647u);
  EXPECT_LE(grid.y, 65535u);
  EXPECT_LE(grid.z, 65535u);
  EXPECT_LE(shared_bytes, 227u * 1024u);
}

class AnyReplay : public testing::TestWithParam<const SatAlgorithm*> {};

TEST_P(AnyReplay, KeepsToTheLimitsOfGpus) {
  const auto& algorithm = *GetParam();
  for (const auto type : algorithm.types)
    for (const auto& arguments : all_arguments(algorithm))
      for (const Size size : {Size{1, 1}, Size{1, 4000}, Size{4000, 1}, Size{1920, 1080}, Size{32768, 32768},
                              Size{1, 1000000}, Size{1000000, 1}}) {
        SCOPED_TRACE(std::string(info(type).name) + gpu::text(arguments) + " " + std::to_string(size.width) + "x" +
                     std::to_string(size.height));
        const auto context = replay(algorithm, arguments, type, size);
        EXPECT_FALSE(context.launches().empty());
        for (const auto& record : context.launches()) {
          EXPECT_FALSE(record.name.empty());
          if (record.kind == LaunchRecord::Kind::kernel) check_limits(record);
          EXPECT_EQ(record.kind == LaunchRecord::Kind::host, algorithm.device == Device::host);
        }
      }
}

// The workspace is reserved once for a frame size and used for every frame of it.
TEST_P(AnyReplay, IsTheSameEveryTime) {
  const auto& algorithm = *GetParam();
  for (const auto type : algorithm.types)
    for (const auto& arguments : all_arguments(algorithm)) {
      const auto first = replay(algorithm, arguments, type, {1000, 1021});
      auto second = replay(algorithm, arguments, type, {1000, 1021});
      EXPECT_EQ(first.workspace_bytes(), second.workspace_bytes());
      EXPECT_EQ(kernels_of(first), kernels_of(second));
      // Twice in one frame (a table a colour channel) takes no more.
      compute_sat(second, algorithm, nowhere({1000, 1021}, info(type).input),
                  nowhere_to_write({1000, 1021}, info(type).sum), arguments);
      EXPECT_EQ(first.workspace_bytes(), second.workspace_bytes());
    }
}

INSTANTIATE_TEST_SUITE_P(Every, AnyReplay, testing::ValuesIn(sat_algorithms().begin(), sat_algorithms().end()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace gpu
