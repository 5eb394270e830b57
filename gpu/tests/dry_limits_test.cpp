// What every algorithm would start, with every parameter, held against what GPUs have room for.
#include "gpu/sat/block_order.h"
#include "gpu/tests/dry_replay.h"

namespace gpu {
namespace {

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
                              Size{1, 1000000}, Size{1000000, 1}, Size{1, 3000000}, Size{3000000, 1}}) {
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

// 001, sec. 2.2, as the paper writes it: the grid's two indices, and a case for square matrices.
sat::BlockPlace diagonal_of_the_paper(int block, int rows, int columns, bool square) {
  const int x = block % columns, y = block / columns;
  if (square) return {x, (x + y) % columns};
  const int I = block % rows;
  return {I, (block / rows + I) % columns};
}

TEST(BlockOrder, CoversEveryTileOnce) {
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

}  // namespace
}  // namespace gpu
