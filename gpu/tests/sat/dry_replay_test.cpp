// What each algorithm would start, replayed without a GPU: kernel names, grids, blocks and workspace, compared with its
// paper.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/tests/sat/dry_replay.h"

namespace gpu {
namespace {

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
constexpr auto f32 = SatType::f32_f32;

// 2r2w: one thread per column, then one thread per row, and no scratch memory.
const Expectation two_reads_two_writes[] = {
    {"2r2w", "block", "256", u32, {1, 1}, {{"column scan", 1, 1, 256}, {"row scan", 1, 1, 256}}, 0, 0},
    {"2r2w", "block", "256", u32, {1000, 1021}, {{"column scan", 4, 1, 256}, {"row scan", 4, 1, 256}}, 0, 0},
    {"2r2w", "block", "64", f64, {1920, 1080}, {{"column scan", 30, 1, 64}, {"row scan", 17, 1, 64}}, 0, 0},
};

// 2r1w: one block per tile; blocks of 256 threads over the rows of tiles, their columns, and one for the corners, with two,
// four or eight threads per line if it has more than eight entries each; one block per tile. Scratch: one sum per row and column of
// each tile, and one per tile, each array rounded up to 256 bytes.
const Expectation two_reads_one_write[] = {
    {"2r1w",
     "W",
     "64",
     u32,
     {1, 1},
     {{"tile sums", 1, 1, 128}, {"prefix sums", 3, 1, 256}, {"tile tables", 1, 1, 128}},
     0,
     256 + 256 + 256},
    {"2r1w",
     "W",
     "64",
     u32,
     {1920, 1080},
     {{"tile sums", 30, 17, 128}, {"prefix sums", 17 + 30 + 1, 1, 256}, {"tile tables", 30, 17, 128}},
     0,
     130560 + 130560 + 2048},
    {"2r1w",
     "W",
     "128",
     u32,
     {1920, 1080},
     {{"tile sums", 15, 9, 256}, {"prefix sums", 9 + 15 + 1, 1, 256}, {"tile tables", 15, 9, 256}},
     0,
     69120 + 69120 + 768},
    {"2r1w",
     "W",
     "32",
     f64,
     {1000, 1021},
     {{"tile sums", 32, 32, 128}, {"prefix sums", 4 * 4 + 4 * 4 + 1, 1, 256}, {"tile tables", 32, 32, 128}},
     0,
     262144 + 262144 + 8192},
    {"2r1w",
     "W",
     "64",
     u32,
     {8192, 4096},
     {{"tile sums", 128, 64, 128}, {"prefix sums", 8 * 16 + 4 * 32 + 1, 1, 256}, {"tile tables", 128, 64, 128}},
     0,
     2097152 + 2097152 + 32768},
};

// 1r1w_skss_lb, tensor_tiles and decoupled_fallback: one kernel, one block per tile. Scratch without persistent memory, cleared by one
// call: 256 bytes for the tickets, and for each tile 2 W + 1 slots of twice the size of a sum; rounded up to a multiple of a
// quarter of a power of two.
const Expectation one_read_one_write[] = {
    {"1r1w_skss_lb", "W", "128", u32, {1, 1}, {{"1r1w_skss_lb", 1, 1, 512}}, 1, 2560},
    {"1r1w_skss_lb", "W", "128", u32, {1000, 1021}, {{"1r1w_skss_lb", 64, 1, 512}}, 1, 163840},
    {"1r1w_skss_lb", "W", "128", u32, {1920, 1080}, {{"1r1w_skss_lb", 135, 1, 512}}, 1, 327680},
    {"1r1w_skss_lb", "m", "W/2", u32, {1920, 1080}, {{"1r1w_skss_lb", 135, 1, 256}}, 1, 327680},
    {"1r1w_skss_lb", "m", "W/4", u32, {8192, 8192}, {{"1r1w_skss_lb", 4096, 1, 512}}, 1, 10485760},
    {"1r1w_skss_lb", "W", "64", f64, {129, 64}, {{"1r1w_skss_lb", 3, 1, 256}}, 1, 7168},
    {"tensor_tiles", "ahead", "auto", u32, {1, 1}, {{"tensor_tiles", 1, 1, 256}}, 1, 2560},
    {"tensor_tiles", "ahead", "none", u32, {1920, 1080}, {{"tensor_tiles", 135, 1, 256}}, 1, 327680},
    {"decoupled_fallback", "m", "auto", u32, {1920, 1080}, {{"decoupled_fallback", 135, 1, 512}}, 1, 327680},
    {"decoupled_fallback", "m", "auto", u32, {4096, 4096}, {{"decoupled_fallback", 1024, 1, 256}}, 1, 2621440},
    {"decoupled_fallback", "m", "W/4", f64, {129, 64}, {{"decoupled_fallback", 3, 1, 256}}, 1, 7168},
};

// row_waves: one kernel, one block per tile of 32 KB. Scratch as for 1r1w_skss_lb, for the sums that others read.
const Expectation rows_of_tiles[] = {
    {"row_waves", "group", "eight", u32, {1, 1}, {{"row_waves", 1, 1, 288}}, 1, 512},
    {"row_waves", "group", "eight", u32, {1920, 1080}, {{"row_waves", 72, 1, 288}}, 1, 196608},
    {"row_waves", "group", "eight", u32, {4096, 4096}, {{"row_waves", 512, 1, 288}}, 1, 1572864},
    {"row_waves", "group", "four", u32, {4096, 4096}, {{"row_waves", 512, 1, 288}}, 1, 1835008},
    {"row_waves", "ahead", "none", f32, {1920, 1080}, {{"row_waves", 255, 1, 288}}, 1, 393216},
    {"row_waves", "group", "four", f64, {129, 64}, {{"row_waves", 4, 1, 288}}, 1, 3584},
};

// 2r2w_optimal: one block per tile, twice; both use one slot per row of each tile, and memory as for 1r1w_skss_lb.
// 1r1w_skss: one block per column of tiles, of twice the usual threads; one slot per row of each tile, and memory as for
// 1r1w_skss_lb.
const Expectation one_pass_per_direction[] = {
    {"2r2w_optimal", "W", "64", u32, {1920, 1080}, {{"row scan", 510, 1, 128}, {"column scan", 510, 1, 128}}, 1, 262144},
    {"2r2w_optimal", "W", "128", u32, {1, 1}, {{"row scan", 1, 1, 256}, {"column scan", 1, 1, 256}}, 1, 1280},
    {"1r1w_skss", "W", "128", u32, {1920, 1080}, {{"1r1w_skss", 15, 1, 512}}, 1, 163840},
    {"1r1w_skss", "W", "64", f64, {129, 64}, {{"1r1w_skss", 3, 1, 512}}, 1, 3584},
};

// one_wave: one block per tile; launches of as many tile rows as are resident together on 132 multiprocessors, or of parts
// of one row. Scratch without persistent memory: the words of 4 x 192 tiles of 128 x 128 (or half as many with 8-byte sums)
// and 256 bytes for the tickets, rounded up, cleared by one call; and two sets of 128 row sums.
const Expectation one_wave[] = {
    {"one_wave", "tile", "auto", u32, {256, 256}, {{"one_wave", 16, 1, 256}}, 1, 1835008 + 1024},
    {"one_wave", "tile", "auto", u32, {1920, 1080}, {{"one_wave", 255, 1, 256}}, 1, 1835008 + 1024},
    {"one_wave", "tile", "auto", u32, {3840, 2160}, {{"one_wave", 510, 1, 256}}, 1, 1835008 + 1024},
    {"one_wave",
     "tile",
     "auto",
     u32,
     {4096, 4096},
     {{"one_wave", 512, 1, 256}, {"one_wave", 512, 1, 256}},
     1,
     1835008 + 1024},
    {"one_wave", "tile", "auto", f32, {256, 256}, {{"one_wave", 16, 1, 256}}, 1, 1835008 + 1024},
    {"one_wave", "tile", "auto", f32, {1920, 1080}, {{"one_wave", 255, 1, 256}}, 1, 1835008 + 1024},
    {"one_wave", "tile", "auto", f32, {2048, 2048}, {{"one_wave", 256, 1, 256}}, 1, 1835008 + 1024},
    {"one_wave", "tile", "8x4", f32, {2048, 650}, {{"one_wave", 176, 1, 256}, {"one_wave", 160, 1, 256}}, 1, 1835008 + 1024},
    {"one_wave",
     "tile",
     "16x1",
     f64,
     {128 * 300, 17},
     {{"one_wave", 150, 1, 512}, {"one_wave", 150, 1, 512}, {"one_wave", 150, 1, 512}, {"one_wave", 150, 1, 512}},
     1,
     1835008 + 2048},
};

// 1r1w: one kernel per diagonal, one block per tile. 1_plus_r_r1w with r = 0.5: of 4 x 4 tiles and 7 diagonals, the first
// three and the last three (6 tiles each) by three kernels.
const Expectation diagonal_by_diagonal[] = {
    {"1r1w",
     "W",
     "64",
     u32,
     {130, 64},
     {{"diagonal", 1, 1, 128}, {"diagonal", 1, 1, 128}, {"diagonal", 1, 1, 128}},
     0,
     768 + 768 + 256},
    {"1r1w",
     "W",
     "128",
     u32,
     {256, 256},
     {{"diagonal", 1, 1, 256}, {"diagonal", 2, 1, 256}, {"diagonal", 1, 1, 256}},
     0,
     2048 + 2048 + 256},
    {"1_plus_r_r1w",
     "r",
     "0.5",
     u32,
     {128, 128},
     {{"tile sums", 6, 1, 64},
      {"prefix sums", 3, 1, 256},
      {"tile tables", 6, 1, 64},
      {"diagonal", 4, 1, 64},
      {"tile sums", 6, 1, 64},
      {"prefix sums", 3, 1, 256},
      {"tile tables", 6, 1, 64}},
     0,
     2048 + 2048 + 256},
};

// The transposed table in scratch memory has rows of a multiple of 256 entries.
const Expectation scans_and_transposes[] = {
    {"scan_transpose_naive",
     "rows",
     "8",
     u32,
     {1000, 1021},
     {{"row sums", 16, 1, 64}, {"transpose", 1024, 1, 256}, {"row sums", 16, 1, 64}, {"transpose", 1024, 1, 256}},
     0,
     1000 * 1024 * 4},
    {"scan_transpose_naive",
     "block",
     "256",
     u32,
     {1000, 1021},
     {{"row sums", 4, 1, 256}, {"transpose", 1024, 1, 256}, {"row sums", 4, 1, 256}, {"transpose", 1024, 1, 256}},
     0,
     1000 * 1024 * 4},
    {"scan_transpose",
     "section",
     "512",
     u32,
     {1000, 1021},
     {{"row scan", 2 * 1021, 1, 128},
      {"transpose", 1024, 1, 256},
      {"row scan", 2 * 1000, 1, 128},
      {"transpose", 1024, 1, 256}},
     2,
     1000 * 1024 * 4 + 2 * 18432},
};

class DryReplayTest : public testing::TestWithParam<Expectation> {};

TEST_P(DryReplayTest, IsThatOfThePaper) {
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
INSTANTIATE_TEST_SUITE_P(TwoReadsTwoWrites, DryReplayTest, testing::ValuesIn(two_reads_two_writes));
INSTANTIATE_TEST_SUITE_P(TwoReadsOneWrite, DryReplayTest, testing::ValuesIn(two_reads_one_write));
INSTANTIATE_TEST_SUITE_P(OneReadOneWrite, DryReplayTest, testing::ValuesIn(one_read_one_write));
INSTANTIATE_TEST_SUITE_P(OnePassPerDirection, DryReplayTest, testing::ValuesIn(one_pass_per_direction));
INSTANTIATE_TEST_SUITE_P(RowWaves, DryReplayTest, testing::ValuesIn(rows_of_tiles));
INSTANTIATE_TEST_SUITE_P(OneWave, DryReplayTest, testing::ValuesIn(one_wave));
INSTANTIATE_TEST_SUITE_P(DiagonalByDiagonal, DryReplayTest, testing::ValuesIn(diagonal_by_diagonal));
INSTANTIATE_TEST_SUITE_P(ScansAndTransposes, DryReplayTest, testing::ValuesIn(scans_and_transposes));

// Algorithms without parameters, and those whose list of kernels is longer than a line: the number of each name.
struct KernelCounts {
  std::string algorithm;
  Size size;
  std::vector<std::pair<std::string, std::size_t>> kernels;  // in the order of their first launch
  std::size_t library_calls;
};
void PrintTo(const KernelCounts& counts, std::ostream* out) { *out << counts.algorithm; }

const KernelCounts kernel_counts[] = {
    {"transpose_harris", {1000, 1021}, {{"row scan", 2}, {"transpose", 2}}, 0},
    // ceil(log2 1000) and ceil(log2 1025) steps: 10 and 11.
    {"prefix_doubling",
     {1000, 1025},
     {{"add at distance 1", 2},
      {"add at distance 2", 2},
      {"add at distance 4", 2},
      {"add at distance 8", 2},
      {"add at distance 16", 2},
      {"add at distance 32", 2},
      {"add at distance 64", 2},
      {"add at distance 128", 2},
      {"add at distance 256", 2},
      {"add at distance 512", 2},
      {"transpose", 2},
      {"add at distance 1024", 1}},
     0},
    {"prefix_tree", {1024, 1024}, {{"interval sums", 20}, {"sums of interval sums", 20}, {"transpose", 2}}, 0},
    {"prefix_tree", {1000, 3}, {{"interval sums", 12}, {"sums of interval sums", 12}, {"transpose", 2}}, 0},
    {"prefix_tree_blocked", {1000, 1021}, {{"row scan", 2}, {"transpose", 2}}, 0},
    {"ha_blocks", {1920, 1080}, {{"reduce", 1}, {"partial sums", 1}, {"scan", 1}}, 0},
    {"scanrow_brlt", {1920, 1080}, {{"row scan and transpose", 2}}, 0},
    {"brlt_scanrow", {1920, 1080}, {{"row scan and transpose", 2}}, 0},
    {"scanrow_column", {1920, 1080}, {{"row scan", 1}, {"column scan", 1}}, 0},
    {"cub", {1920, 1080}, {{"row scan", 2}, {"transpose", 2}}, 0},
    {"cub_segmented", {1920, 1080}, {{"transpose", 2}}, 2},
    {"npp", {1920, 1080}, {}, 2},  // the call of the library, and the copy to the table
};

class DryReplayKernelListTest : public testing::TestWithParam<KernelCounts> {};

TEST_P(DryReplayKernelListTest, IsThatOfThePaper) {
  const auto* algorithm = find_sat_algorithm(GetParam().algorithm);
  ASSERT_NE(algorithm, nullptr);
  const auto context = replay(*algorithm, Arguments(algorithm->parameters), u32, GetParam().size);
  std::vector<std::pair<std::string, std::size_t>> seen;
  for (const auto& kernel : kernels_of(context)) {
    const auto at = std::find_if(seen.begin(), seen.end(), [&](const auto& entry) { return entry.first == kernel.name; });
    if (at == seen.end())
      seen.emplace_back(kernel.name, 1);
    else
      ++at->second;
  }
  EXPECT_EQ(seen, GetParam().kernels);
  EXPECT_EQ(count(context, LaunchRecord::Kind::library), GetParam().library_calls);
}
INSTANTIATE_TEST_SUITE_P(Every, DryReplayKernelListTest, testing::ValuesIn(kernel_counts));

// The traffic that descriptors state, as far as it can be tested without running.
constexpr Size frame{1920, 1080};

TEST(TrafficDryTest, LaunchesAreThoseOfADryReplay) {
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->traffic) continue;
    for (const auto& arguments : all_arguments(*algorithm))
      for (const auto type : {SatType::u8_u32, SatType::f64_f64}) {
        if (std::ranges::find(algorithm->types, type) == algorithm->types.end()) continue;
        for (const Size size : {Size{1, 1}, Size{33, 1}, Size{1, 130}, Size{129, 65}, Size{300, 1021}, frame}) {
          PersistentMemory persistent(Device::cuda);
          auto dry = Context::dry(Device::cuda, 0, GpuLimits{});
          dry.set_persistent(&persistent);
          compute_sat(dry, *algorithm, view_without_memory(size, info(type).input),
                      view_without_memory(size, info(type).sum), arguments);
          const auto launches = std::ranges::count_if(dry.launches(),
                                                      [](const auto& launch) { return !launch.first_run_only; });
          EXPECT_EQ(algorithm->traffic(size, type, arguments, GpuLimits{}).launches, launches)
              << algorithm->name << text(arguments) << ", " << size.width << " x " << size.height;
        }
      }
  }
}

// Every algorithm reads the image and writes the table at least once.
TEST(TrafficDryTest, IsNoLessThanImageAndTable) {
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->traffic) continue;
    for (const Size size : {Size{1, 1}, Size{1, 130}, Size{129, 65}, frame}) {
      const auto traffic = algorithm->traffic(size, SatType::u8_u32, Arguments(algorithm->parameters), GpuLimits{});
      EXPECT_GE(traffic.read_bytes, size.pixels()) << algorithm->name;
      EXPECT_GE(traffic.written_bytes, 4 * size.pixels()) << algorithm->name;
      EXPECT_LT(traffic.written_bytes, std::uint64_t{1} << 40) << algorithm->name << ": a negative difference?";
    }
  }
}

}  // namespace
}  // namespace gpu
