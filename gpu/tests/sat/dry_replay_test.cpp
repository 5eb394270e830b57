// What each algorithm would start, replayed without a GPU: kernel names, grids, blocks and workspace, compared with its
// paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpu/tests/sat/dry_replay.h"

namespace gpu {
namespace {

struct Expectation {
  std::string algorithm;  // as replay() takes it
  SatType type;
  Size size;
  std::string kernels;  // as kernels_of() gives them
  std::size_t clears, workspace_bytes;
};
void PrintTo(const Expectation& e, std::ostream* out) {
  *out << e.algorithm << " " << info(e.type).name << " " << e.size.width << "x" << e.size.height;
}

constexpr auto u32 = SatType::u8_u32;
constexpr auto f64 = SatType::f64_f64;
constexpr auto f32 = SatType::f32_f32;

// Of one_wave: the words of 4 x 192 tiles of 128 x 128 (or half as many with 8-byte sums) and 256 bytes for the tickets, rounded up.
constexpr std::size_t words_of_waves = 1835008;
const std::string corner = "tile sums 6/64, prefix sums 3/256, tile tables 6/64", transposed = ", transpose 1024/256",
                  scans = "row scan 2042/128" + transposed + ", row scan 2000/128" + transposed;

std::string times(int count, const std::string& kernels) {
  return count == 1 ? kernels : kernels + ", " + times(count - 1, kernels);
}

const Expectation expectations[] = {
    // 2r2w: one thread per column, then one thread per row, and no scratch memory.
    {"2r2w block=256", u32, {1, 1}, "column scan 1/256, row scan 1/256", 0, 0},
    {"2r2w block=256", u32, {1000, 1021}, "column scan 4/256, row scan 4/256", 0, 0},
    {"2r2w block=64", f64, {1920, 1080}, "column scan 30/64, row scan 17/64", 0, 0},
    // 2r1w: one block per tile; blocks of 256 threads over the rows of tiles, their columns, and one for the corners, with two,
    // four or eight threads per line if it has more than eight entries each; one block per tile. Scratch: one sum per row and column
    // of each tile, and one per tile, each array rounded up to 256 bytes.
    {"2r1w W=64", u32, {1, 1}, "tile sums 1/128, prefix sums 3/256, tile tables 1/128", 0, 256 + 256 + 256},
    {"2r1w W=64", u32, {1920, 1080}, "tile sums 30x17/128, prefix sums 48/256, tile tables 30x17/128", 0, 2 * 130560 + 2048},
    {"2r1w W=128", u32, {1920, 1080}, "tile sums 15x9/256, prefix sums 25/256, tile tables 15x9/256", 0, 2 * 69120 + 768},
    {"2r1w W=32", f64, {1000, 1021}, "tile sums 32x32/128, prefix sums 33/256, tile tables 32x32/128", 0, 2 * 262144 + 8192},
    {"2r1w W=64", u32, {8192, 4096}, "tile sums 128x64/128, prefix sums 257/256, tile tables 128x64/128", 0, 4227072},
    // 1r1w_skss_lb, tensor_tiles and decoupled_fallback: one kernel, one block per tile. Scratch without persistent memory, cleared
    // by one call: 256 bytes for the tickets, and for each tile 2 W + 1 slots of twice the size of a sum; rounded up to a multiple of
    // a quarter of a power of two.
    {"1r1w_skss_lb W=128", u32, {1, 1}, "1r1w_skss_lb 1/512", 1, 2560},
    {"1r1w_skss_lb W=128", u32, {1000, 1021}, "1r1w_skss_lb 64/512", 1, 163840},
    {"1r1w_skss_lb W=128", u32, {1920, 1080}, "1r1w_skss_lb 135/512", 1, 327680},
    {"1r1w_skss_lb m=W/2", u32, {1920, 1080}, "1r1w_skss_lb 135/256", 1, 327680},
    {"1r1w_skss_lb m=W/4", u32, {8192, 8192}, "1r1w_skss_lb 4096/512", 1, 10485760},
    {"1r1w_skss_lb W=64", f64, {129, 64}, "1r1w_skss_lb 3/256", 1, 7168},
    {"tensor_tiles ahead=auto", u32, {1, 1}, "tensor_tiles 1/256", 1, 2560},
    {"tensor_tiles ahead=none", u32, {1920, 1080}, "tensor_tiles 135/256", 1, 327680},
    {"decoupled_fallback m=auto", u32, {1920, 1080}, "decoupled_fallback 135/512", 1, 327680},
    {"decoupled_fallback m=auto", u32, {4096, 4096}, "decoupled_fallback 1024/256", 1, 2621440},
    {"decoupled_fallback m=W/4", f64, {129, 64}, "decoupled_fallback 3/256", 1, 7168},
    // row_waves: one kernel, one block per tile of 32 KB. Scratch as for 1r1w_skss_lb, for the sums that others read.
    {"row_waves group=eight", u32, {1, 1}, "row_waves 1/288", 1, 512},
    {"row_waves group=eight", u32, {1920, 1080}, "row_waves 72/288", 1, 196608},
    {"row_waves group=eight", u32, {4096, 4096}, "row_waves 512/288", 1, 1572864},
    {"row_waves group=four", u32, {4096, 4096}, "row_waves 512/288", 1, 1835008},
    {"row_waves ahead=none", f32, {1920, 1080}, "row_waves 255/288", 1, 393216},
    {"row_waves group=four", f64, {129, 64}, "row_waves 4/288", 1, 3584},
    // 2r2w_optimal: one block per tile, twice; both use one slot per row of each tile, and memory as for 1r1w_skss_lb.
    {"2r2w_optimal W=64", u32, {1920, 1080}, "row scan 510/128, column scan 510/128", 1, 262144},
    {"2r2w_optimal W=128", u32, {1, 1}, "row scan 1/256, column scan 1/256", 1, 1280},
    // 1r1w_skss: one block per column of tiles, of twice the usual threads; slots and memory as for 2r2w_optimal.
    {"1r1w_skss W=128", u32, {1920, 1080}, "1r1w_skss 15/512", 1, 163840},
    {"1r1w_skss W=64", f64, {129, 64}, "1r1w_skss 3/512", 1, 3584},
    // one_wave: one block per tile; launches of as many tile rows as are resident together on 132 multiprocessors, or of parts
    // of one row. Scratch without persistent memory: its words, cleared by one call; and two sets of 128 row sums.
    {"one_wave tile=auto", u32, {256, 256}, "one_wave 16/256", 1, words_of_waves + 1024},
    {"one_wave tile=auto", u32, {1920, 1080}, "one_wave 255/256", 1, words_of_waves + 1024},
    {"one_wave tile=auto", u32, {3840, 2160}, "one_wave 510/256", 1, words_of_waves + 1024},
    {"one_wave tile=auto", u32, {4096, 4096}, "one_wave 512/256, one_wave 512/256", 1, words_of_waves + 1024},
    {"one_wave tile=auto", f32, {256, 256}, "one_wave 16/256", 1, words_of_waves + 1024},
    {"one_wave tile=auto", f32, {1920, 1080}, "one_wave 255/256", 1, words_of_waves + 1024},
    {"one_wave tile=auto", f32, {2048, 2048}, "one_wave 256/256", 1, words_of_waves + 1024},
    {"one_wave tile=8x4", f32, {2048, 650}, "one_wave 176/256, one_wave 160/256", 1, words_of_waves + 1024},
    {"one_wave tile=16x1", f64, {38400, 17}, times(4, "one_wave 150/512"), 1, words_of_waves + 2048},
    // 1r1w: one kernel per diagonal, one block per tile. 1_plus_r_r1w with r = 0.5: of 4 x 4 tiles and 7 diagonals, the first
    // three and the last three (6 tiles each) by three kernels.
    {"1r1w W=64", u32, {130, 64}, "diagonal 1/128, diagonal 1/128, diagonal 1/128", 0, 768 + 768 + 256},
    {"1r1w W=128", u32, {256, 256}, "diagonal 1/256, diagonal 2/256, diagonal 1/256", 0, 2048 + 2048 + 256},
    {"1_plus_r_r1w r=0.5", u32, {128, 128}, corner + ", diagonal 4/64, " + corner, 0, 2048 + 2048 + 256},
    // The transposed table in scratch memory has rows of a multiple of 256 entries.
    {"scan_transpose_naive rows=8", u32, {1000, 1021}, times(2, "row sums 16/64" + transposed), 0, 1000 * 1024 * 4},
    {"scan_transpose_naive block=256", u32, {1000, 1021}, times(2, "row sums 4/256" + transposed), 0, 1000 * 1024 * 4},
    {"scan_transpose section=512", u32, {1000, 1021}, scans, 2, 1000 * 1024 * 4 + 2 * 18432},
};

class DryReplayTest : public testing::TestWithParam<Expectation> {};

TEST_P(DryReplayTest, IsThatOfThePaper) {
  const auto& expected = GetParam();
  const auto context = replay(expected.algorithm, expected.type, expected.size);
  EXPECT_EQ(kernels_of(context), expected.kernels);
  EXPECT_EQ(count(context, LaunchRecord::Kind::clear), expected.clears);
  EXPECT_EQ(context.workspace_bytes(), expected.workspace_bytes);
}
INSTANTIATE_TEST_SUITE_P(Every, DryReplayTest, testing::ValuesIn(expectations));

// Algorithms without parameters, and those whose list of kernels is longer than a line: the number of each name.
struct KernelCounts {
  std::string algorithm;
  Size size;
  std::string kernels;  // in the order of their first launch
  std::size_t library_calls;
};
void PrintTo(const KernelCounts& counts, std::ostream* out) { *out << counts.algorithm; }

// Two of each distance below 1024.
std::string distances() {
  std::string text;
  for (int distance = 1; distance < 1024; distance *= 2) text += "add at distance " + std::to_string(distance) + ": 2, ";
  return text;
}

const KernelCounts kernel_counts[] = {
    {"transpose_harris", {1000, 1021}, "row scan: 2, transpose: 2", 0},
    // ceil(log2 1000) and ceil(log2 1025) steps: 10 and 11.
    {"prefix_doubling", {1000, 1025}, distances() + "transpose: 2, add at distance 1024: 1", 0},
    {"prefix_tree", {1024, 1024}, "interval sums: 20, sums of interval sums: 20, transpose: 2", 0},
    {"prefix_tree", {1000, 3}, "interval sums: 12, sums of interval sums: 12, transpose: 2", 0},
    {"prefix_tree_blocked", {1000, 1021}, "row scan: 2, transpose: 2", 0},
    {"ha_blocks", {1920, 1080}, "reduce: 1, partial sums: 1, scan: 1", 0},
    {"scanrow_brlt", {1920, 1080}, "row scan and transpose: 2", 0},
    {"brlt_scanrow", {1920, 1080}, "row scan and transpose: 2", 0},
    {"scanrow_column", {1920, 1080}, "row scan: 1, column scan: 1", 0},
    {"cub", {1920, 1080}, "row scan: 2, transpose: 2", 0},
    {"cub_segmented", {1920, 1080}, "transpose: 2", 2},
    {"npp", {1920, 1080}, "", 2},  // the call of the library, and the copy to the table
};

class DryReplayKernelListTest : public testing::TestWithParam<KernelCounts> {};

TEST_P(DryReplayKernelListTest, IsThatOfThePaper) {
  const auto context = replay(GetParam().algorithm, u32, GetParam().size);
  std::vector<std::string> names;
  std::string seen;
  for (const auto& record : context.launches())
    if (record.kind == LaunchRecord::Kind::kernel && std::ranges::find(names, record.name) == names.end()) {
      names.push_back(record.name);
      seen += (seen.empty() ? "" : ", ") + record.name + ": " +
              std::to_string(std::ranges::count(context.launches(), record.name, &LaunchRecord::name));
    }
  EXPECT_EQ(seen, GetParam().kernels);
  EXPECT_EQ(count(context, LaunchRecord::Kind::library), GetParam().library_calls);
}
INSTANTIATE_TEST_SUITE_P(Every, DryReplayKernelListTest, testing::ValuesIn(kernel_counts));

// 1_plus_r_r1w: its share r.
Context replay_with(const std::string& r, Size size) { return replay("1_plus_r_r1w W=64 r=" + r, u32, size); }

// As many kernels as in Table I of the paper if sqrt(r) n / W is an integer; r is the share of all tiles, also for images
// that are not square. `tiles` counts those of both corners.
TEST(OnePlusRTest, UsesTheShareR) {
  const auto tiles_of = [](const Context& context) {
    unsigned tiles = 0;
    for (const auto& launch : context.launches())
      if (launch.name == "tile sums") tiles += launch.shape.grid.x;
    return tiles;
  };
  for (const double r : {0.01, 0.0625, 0.25, 0.33, 0.5, 0.75, 0.95}) {
    for (const int n : {4, 8, 10, 15, 64}) {
      const auto context = replay_with(std::to_string(r), {64 * n, 64 * n});
      // At least one diagonal lies between the corners.
      const auto corner = std::min(static_cast<unsigned>(std::ceil(std::sqrt(r) * n)), static_cast<unsigned>(n - 1));
      EXPECT_EQ(count(context, LaunchRecord::Kind::kernel), 2 * (static_cast<unsigned>(n) - corner) + 5)
          << r << ", n = " << n;
      EXPECT_EQ(tiles_of(context), corner * (corner + 1)) << "r = " << r << ", n = " << n;
    }
    for (const Size size : {Size{16400, 33}, Size{33, 16400}, Size{16400, 640}, Size{1920, 1080}, Size{640, 6400}}) {
      const int rows = ceil_div(size.height, 64), columns = ceil_div(size.width, 64);
      const double share = static_cast<double>(tiles_of(replay_with(std::to_string(r), size))) / (rows * columns);
      EXPECT_GE(share, r / 2);  // where the tolerance is larger than the share
      EXPECT_NEAR(share, r, 3.0 / std::max(rows, columns)) << "r = " << r << ", " << size.width << " x " << size.height;
    }
  }
}

TEST(OnePlusRTest, LeavesADiagonalBetweenTheCorners) {
  for (const Size size : {Size{1, 1}, Size{65, 1}, Size{1920, 1080}, Size{1280, 640}, Size{64, 6400}})
    EXPECT_GT(std::ranges::count(replay_with("0.95", size).launches(), "diagonal", &LaunchRecord::name), 0)
        << size.width << " x " << size.height;
}

TEST(OnePlusRTest, WithoutAShareIs1R1W) {
  for (const Size size : {Size{640, 640}, Size{1920, 1080}, Size{1, 1}})
    EXPECT_EQ(kernels_of(replay_with("0", size)), kernels_of(replay("1r1w W=64", u32, size)));
}

TEST(OnePlusRTest, TakesAnyShareUpTo95Percent) {
  const auto* algorithm = find_sat_algorithm("1_plus_r_r1w");
  ASSERT_NE(algorithm, nullptr);
  Arguments arguments(algorithm->parameters);
  for (const auto* r : {"0", "0.123456", "0.95"}) EXPECT_NO_THROW(arguments.set("r", r)) << r;
  for (const auto* r : {"-0.01", "0.96", "1", "half"}) EXPECT_THROW(arguments.set("r", r), ArgumentError) << r;
}

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
