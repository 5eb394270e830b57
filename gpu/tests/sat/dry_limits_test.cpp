// What every algorithm would start, with every parameter, compared with the limits of GPUs.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "gpu/sat/block/tile_order.cuh"
#include "gpu/tests/sat/dry_replay.h"

namespace gpu {
namespace {

// The limits of every GPU since compute capability 7.5, except shared memory, which differs.
void check_limits(const LaunchRecord& record, std::size_t most_shared_bytes) {
  const auto& [grid, block, shared_bytes, start] = record.shape;
  EXPECT_GE(block.x * block.y * block.z, 1u);
  EXPECT_LE(block.x * block.y * block.z, 1024u);
  EXPECT_LE(block.z, 64u);
  EXPECT_LE(grid.x, 2147483647u);
  EXPECT_LE(grid.y, 65535u);
  EXPECT_LE(grid.z, 65535u);
  EXPECT_LE(shared_bytes, most_shared_bytes);
  if (start == Start::cooperative) {
    EXPECT_EQ(grid.y * grid.z, 1u);
  }
}

class DryLimitsAnyReplayTest : public testing::TestWithParam<const SatAlgorithm*> {};

TEST_P(DryLimitsAnyReplayTest, KeepsToTheLimitsOfGpus) {
  const auto& algorithm = *GetParam();
  for (const auto type : algorithm.types)
    for (const auto& arguments : all_arguments(algorithm))
      for (const Size size : {Size{1, 1}, Size{1, 4000}, Size{4000, 1}, Size{1920, 1080}, Size{32768, 32768},
                              Size{1, 1000000}, Size{1000000, 1}, Size{1, 3000000}, Size{3000000, 1}}) {
        if (size.height > algorithm.most_rows) continue;
        SCOPED_TRACE(std::string(info(type).name) + gpu::text(arguments) + " " + std::to_string(size.width) + "x" +
                     std::to_string(size.height));
        const auto workspace_bytes = replay(algorithm, arguments, type, size).workspace_bytes();
        for (const int multiprocessors : {1, 20}) {
          const auto context = replay(algorithm, arguments, type, size, {.multiprocessors = multiprocessors});
          for (const auto& record : context.launches())
            if (record.kind == LaunchRecord::Kind::kernel) check_limits(record, GpuLimits{}.shared_bytes);
        }
        for (const auto shared_bytes : shared_sizes) {
          const auto context = replay(algorithm, arguments, type, size, {.shared_bytes = shared_bytes});
          EXPECT_FALSE(context.launches().empty());
          EXPECT_EQ(context.workspace_bytes(), workspace_bytes) << "the workspace must serve every GPU";
          const auto first = std::ranges::find(context.launches(), LaunchRecord::Kind::kernel, &LaunchRecord::kind);
          EXPECT_TRUE(first == context.launches().end() || first->shape.start != Start::dependent)
              << "the launch before it is not of this run";
          for (const auto& record : context.launches()) {
            EXPECT_FALSE(record.name.empty());
            if (record.kind == LaunchRecord::Kind::kernel) check_limits(record, shared_bytes);
            EXPECT_EQ(record.kind == LaunchRecord::Kind::host, algorithm.device == Device::host);
          }
        }
      }
}

// Scratch memory of at most a few tables, also for rows shorter than the alignment.
TEST_P(DryLimitsAnyReplayTest, TakesAFewTablesOfScratchMemory) {
  constexpr std::size_t most_tables = 5, besides = std::size_t{1} << 20;
  const auto& algorithm = *GetParam();
  for (const auto type : algorithm.types)
    for (const auto& arguments : all_arguments(algorithm))
      for (const Size size : {Size{1, 1000000}, Size{1000000, 1}, Size{3, 300000}, Size{300000, 3}, Size{5, 200000},
                              Size{200000, 5}, Size{33, 100000}, Size{100000, 33}, Size{1000, 1021}, Size{8192, 8192}}) {
        if (size.height > algorithm.most_rows) continue;
        SCOPED_TRACE(std::string(info(type).name) + gpu::text(arguments) + " " + std::to_string(size.width) + "x" +
                     std::to_string(size.height));
        EXPECT_LE(replay(algorithm, arguments, type, size).workspace_bytes(),
                  most_tables * size.pixels() * size_of(info(type).sum) + besides);
      }
}

TEST(DryLimitsWorkspaceTest, OfATreeIsTwoTables) {
  for (const Size size : {Size{1, 1000000}, Size{1000000, 1}, Size{4096, 4096}})
    EXPECT_LE(replay("prefix_tree", SatType::u8_u32, size).workspace_bytes(),
              (2 * size.pixels() + size.pixels() / 20) * sizeof(std::uint32_t));
}

// The workspace is reserved once for a frame size and used for every frame of it.
TEST_P(DryLimitsAnyReplayTest, IsTheSameEveryTime) {
  const auto& algorithm = *GetParam();
  for (const auto type : algorithm.types)
    for (const auto& arguments : all_arguments(algorithm)) {
      const auto first = replay(algorithm, arguments, type, {1000, 1021});
      auto second = replay(algorithm, arguments, type, {1000, 1021});
      EXPECT_EQ(first.workspace_bytes(), second.workspace_bytes());
      EXPECT_EQ(kernels_of(first), kernels_of(second));
      // Twice in one frame (one table per colour channel) takes no more.
      compute_sat(second, algorithm, view_without_memory({1000, 1021}, info(type).input),
                  view_without_memory({1000, 1021}, info(type).sum), arguments);
      EXPECT_EQ(first.workspace_bytes(), second.workspace_bytes());
    }
}

INSTANTIATE_TEST_SUITE_P(Every, DryLimitsAnyReplayTest, testing::ValuesIn(sat_algorithms().begin(), sat_algorithms().end()),
                         [](const auto& info) { return std::string(info.param->name); });

// Shared memory of one block, if it depends on the GPU. (These kernels have no static shared memory.)
struct SharedMemory {
  std::string algorithm;
  SatType type;
  std::size_t bytes[std::size(shared_sizes)];  // with 227, 163, 99 and 64 KB
  unsigned threads, with_least;                // and with 64 KB
};
void PrintTo(const SharedMemory& memory, std::ostream* out) { *out << memory.algorithm << " " << info(memory.type).name; }

constexpr std::size_t KB = 1024;
// Besides the staged tiles: a word and padding, column sums of the bands, LRS, prefix sums and their totals, GCS twice.
constexpr std::size_t skss_bytes(std::size_t W, std::size_t groups, std::size_t sum, std::size_t padding) {
  return 16 + (groups * W + W + W + W / 32 + 2 * W) * sum + padding;
}
constexpr std::size_t brlt_bytes(std::size_t warps, std::size_t sum) { return (2 * warps * 32 + warps * 32 * 33) * sum; }
constexpr std::size_t ha_bytes(std::size_t patches) { return (patches * 32 * 33 + 8 * 256 + 8) * 8; }
constexpr auto b128 = skss_bytes(128, 16, 4, 0), q128 = skss_bytes(128, 32, 8, 0), b64 = skss_bytes(64, 16, 4, 8);
constexpr auto brlt_words = brlt_bytes(16, 4), brlt_doubles = brlt_bytes(8, 8);

const SharedMemory shared_memory[] = {
    {"1r1w_skss W=128", SatType::u8_u32, {128 * KB + b128, 128 * KB + b128, 80 * KB + b128, 48 * KB + b128}, 512, 512},
    {"1r1w_skss W=128", SatType::f32_f32, {192 * KB + b128, 128 * KB + b128, 64 * KB + b128, b128}, 512, 512},
    {"1r1w_skss W=128", SatType::u8_u64, {128 * KB + q128, 112 * KB + q128, 48 * KB + q128, 16 * KB + q128}, 1024, 1024},
    {"1r1w_skss W=128", SatType::f64_f64, {128 * KB + q128, q128, q128, q128}, 1024, 1024},
    {"1r1w_skss W=64", SatType::f32_f32, {96 * KB + b64, 96 * KB + b64, 80 * KB + b64, 48 * KB + b64}, 256, 256},
    {"brlt_scanrow", SatType::u8_u32, {brlt_words, brlt_words, brlt_words, brlt_bytes(8, 4)}, 512, 256},
    {"scanrow_brlt", SatType::f64_f64, {brlt_doubles, brlt_doubles, brlt_doubles, brlt_bytes(4, 8)}, 256, 128},
    {"ha_blocks b=256", SatType::u8_u64, {ha_bytes(8), ha_bytes(8), ha_bytes(8), ha_bytes(4)}, 256, 256},
};

class DryLimitsSharedMemoryTest : public testing::TestWithParam<SharedMemory> {};

TEST_P(DryLimitsSharedMemoryTest, FollowsTheGpu) {
  const auto& expected = GetParam();
  for (std::size_t i = 0; i < std::size(shared_sizes); ++i) {
    const auto context = replay(expected.algorithm, expected.type, {20000, 2000}, {.shared_bytes = shared_sizes[i]});
    const auto first = std::ranges::find(context.launches(), LaunchRecord::Kind::kernel, &LaunchRecord::kind);
    ASSERT_NE(first, context.launches().end());
    EXPECT_EQ(first->shape.shared_bytes, expected.bytes[i]) << "with " << shared_sizes[i];
    EXPECT_EQ(first->shape.block.x, i == 3 ? expected.with_least : expected.threads) << "with " << shared_sizes[i];
  }
}
INSTANTIATE_TEST_SUITE_P(Every, DryLimitsSharedMemoryTest, testing::ValuesIn(shared_memory));

// The formulas of Harris (sec. 2.2): the two indices of the grid, and a case for square matrices.
sat::TilePlace diagonal_of_the_paper(int block, int rows, int columns, bool square) {
  const int x = block % columns, y = block / columns;
  if (square) return {x, (x + y) % columns};
  const int I = block % rows;
  return {I, (block / rows + I) % columns};
}

TEST(DryLimitsBlockOrderTest, CoversEveryTileOnce) {
  using namespace sat;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 7}, {7, 1}, {4, 4}, {3, 8}, {8, 3}, {31, 17}}) {
    std::vector<int> plain(static_cast<std::size_t>(rows * columns)), diagonal = plain;
    for (int block = 0; block < rows * columns; ++block) {
      const auto p = place_of_block<BlockOrder::plain>(block, rows, columns);
      EXPECT_EQ(p.I * columns + p.J, block);
      ++plain[static_cast<std::size_t>(p.I * columns + p.J)];
      const auto d = place_of_block<BlockOrder::diagonal>(block, rows, columns);
      ++diagonal[static_cast<std::size_t>(d.I * columns + d.J)];
      const auto paper = diagonal_of_the_paper(block, rows, columns, rows == columns);
      EXPECT_EQ(d.I, paper.I);
      EXPECT_EQ(d.J, paper.J);
    }
    EXPECT_EQ(plain, std::vector<int>(plain.size(), 1));
    EXPECT_EQ(diagonal, std::vector<int>(plain.size(), 1));
  }
}

// What takes batches needs no scratch memory; memory that persists and does not depend on how many images there are; and as many
// launches as one image, or as few as there are words for tiles.
TEST(DryLimitsBatchTest, MemoryDoesNotGrowAndLaunchesAreFew) {
  int found = 0;
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->run_batch) continue;
    ++found;
    const Arguments arguments(algorithm->parameters);
    for (const auto type : algorithm->types) {
      const auto image = view_without_memory({640, 480}, info(type).input),
                 sat = view_without_memory({640, 480}, info(type).sum);
      PersistentMemory persistent(Device::cuda);
      const auto launches = [&](const ImageBatch& batch) {
        auto dry = Context::dry(Device::cuda);
        dry.set_persistent(&persistent);
        algorithm->run_batch(dry, image, sat, arguments, batch);
        EXPECT_EQ(dry.workspace_bytes(), 0u);
        std::vector<std::string> names;
        for (const auto& launch : dry.launches())
          if (launch.kind != LaunchRecord::Kind::clear) names.push_back(launch.name);
        return names;
      };
      const auto one = launches({1});
      const auto bytes = persistent.noted_bytes();
      EXPECT_EQ(launches({64, 640 * 480, 640 * 480}), one);
      EXPECT_EQ(launches({21, 3 * 640 * 480, 640 * 480, 3}), one);
      EXPECT_LE(launches({1000, 640 * 480, 640 * 480}).size(), 10 * one.size());
      EXPECT_EQ(persistent.noted_bytes(), bytes);
      EXPECT_LE(bytes, std::size_t{16} << 20);
    }
  }
  EXPECT_GE(found, 2);
}

// A plan reserves for two images: that is enough for any number, and for channels, whatever the parameters and the size.
TEST(DryLimitsBatchTest, MemoryOfTwoImagesIsEnoughForChannels) {
  const auto& algorithm = *find_sat_algorithm("one_wave");
  for (const char* tile : {"auto", "16x1", "8x4", "8x8", "16x4", "8x16"})
    for (const Size size : {Size{640, 480}, {16384, 8192}}) {
      SCOPED_TRACE(std::string(tile) + " " + std::to_string(size.width));
      Arguments arguments(algorithm.parameters);
      arguments.set("tile", tile);
      const auto stride = static_cast<std::ptrdiff_t>(size.pixels());
      PersistentMemory persistent(Device::cuda);
      const auto workspace = [&](const ImageBatch& batch) {
        auto dry = Context::dry(Device::cuda);
        dry.set_persistent(&persistent);
        algorithm.run_batch(dry, view_without_memory(size, ElementType::u8), view_without_memory(size, ElementType::u32),
                            arguments, batch);
        return dry.workspace_bytes();
      };
      const auto of_two = workspace({2, stride, stride});
      const auto bytes = persistent.noted_bytes();
      EXPECT_EQ(workspace({5, stride, stride}), of_two);
      EXPECT_LE(workspace({1, stride, stride, 3}), of_two);
      EXPECT_EQ(persistent.noted_bytes(), bytes);
    }
}

TEST(DryLimitsBatchTest, TheMostImagesHaveRowsOfBlocksThatCanBeCounted) {
  for (const auto* algorithm : sat_algorithms()) {
    if (!algorithm->run_batch) continue;
    auto context = Context::dry(Device::cuda);
    algorithm->run_batch(context, view_without_memory({1, 1}, ElementType::u8),
                         view_without_memory({1, 1}, ElementType::u32), Arguments(algorithm->parameters),
                         {ImageBatch::most_images, 1, 1});
    for (const auto& launch : context.launches()) {
      const auto [x, y, z] = launch.shape.grid;
      EXPECT_LE(x, 2147483647u) << launch.name;
      EXPECT_LE(std::max(y, z), 65535u) << launch.name;
      EXPECT_GE(std::uint64_t{x} * y * z, std::uint64_t{ImageBatch::most_images}) << launch.name;
      EXPECT_LE(std::uint64_t{x} * y * z, std::uint64_t{std::numeric_limits<int>::max()}) << launch.name;
    }
  }
}

}  // namespace
}  // namespace gpu
