// Recording tiles, as far as it needs no GPU: what is planned, what is refused, and that a run without a recorder starts
// other kernels than one with a recorder, in the same shapes.
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/execution/thread_pool.h"

#include <gtest/gtest.h>

#include "gpu/sat_runner.h"

namespace gpu {
namespace {

constexpr Size size{1000, 600};
const auto image = view_without_memory<const std::uint8_t>(size);
const auto table = view_without_memory<std::uint32_t>(size);

TEST(TileRecorderTest, PlansAPassOfEveryTile) {
  const auto& algorithm = *find_sat_algorithm("2r1w");
  const auto plan = plan_tiles(Device::cuda, 0, algorithm, size, Arguments(algorithm.parameters));  // W = 64
  const std::vector<TilePass> expected = {{"tile sums", 64, 64, 10, 16, 0}, {"tile tables", 64, 64, 10, 16, 160}};
  EXPECT_EQ(plan.passes(), expected);
  EXPECT_EQ(plan.launches(), 2);
  EXPECT_EQ(plan.records(), 320u);
}

TEST(TileRecorderTest, RefusesAlgorithmsWithoutTilesAndOtherTypes) {
  auto dry = Context::dry(Device::cuda);
  TileRecorder recorder;
  const auto& scan = *find_sat_algorithm("2r2w");
  EXPECT_FALSE(scan.records_tiles);
  EXPECT_THROW(compute_sat(dry, scan, image, table, Arguments(scan.parameters), recorder), std::invalid_argument);
  const auto& tiles = *find_sat_algorithm("1r1w");
  EXPECT_THROW(compute_sat(dry, tiles, image, view_without_memory<float>(size), Arguments(tiles.parameters), recorder),
               std::invalid_argument);
  EXPECT_EQ(recorder.records(), 0u);
}

// Also after a run that failed, the next one records nothing.
TEST(TileRecorderTest, EndsWithItsRun) {
  auto dry = Context::dry(Device::cuda);
  TileRecorder recorder;
  const auto& tiles = *find_sat_algorithm("1r1w");
  EXPECT_THROW(compute_sat(dry, tiles, image, table, Arguments(), recorder), std::invalid_argument);
  EXPECT_EQ(dry.tile_recorder(), nullptr);
  compute_sat(dry, tiles, image, table, Arguments(tiles.parameters), recorder);
  EXPECT_GT(recorder.records(), 0u);
  EXPECT_EQ(dry.tile_recorder(), nullptr);
}

TEST(TileRecorderTest, RefusesARoomThatIsTooSmall) {
  TileRecord one{};
  TileRecorder recorder({&one, 1});
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  EXPECT_THROW(recorder.begin_pass(context, "pass", {64, 64}, 1, 2), std::length_error);
}

// "Off it costs nothing": the kernels of a run without a recorder are instances of their own, without the code that records;
// gpu/tests/compare_kernels.py compares their machine code with that of another build.
TEST(TileRecorderTest, WithoutARecorderOtherKernelsRunInTheSameShapes) {
  int with_tiles = 0;
  for (const auto* each : sat_algorithms()) {
    const auto& algorithm = *each;
    if (!algorithm.records_tiles) continue;
    ++with_tiles;
    const Arguments arguments(algorithm.parameters);
    auto off = Context::dry(Device::cuda), on = Context::dry(Device::cuda);
    compute_sat(off, algorithm, image, table, arguments);
    TileRecorder recorder;
    compute_sat(on, algorithm, image, table, arguments, recorder);
    EXPECT_EQ(off.workspace_bytes(), on.workspace_bytes()) << algorithm.name;
    ASSERT_EQ(off.launches().size(), on.launches().size()) << algorithm.name;
    int different = 0;
    for (std::size_t i = 0; i < off.launches().size(); ++i) {
      const auto &a = off.launches()[i], &b = on.launches()[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.shape.grid.x, b.shape.grid.x);
      EXPECT_EQ(a.shape.block.x, b.shape.block.x);
      EXPECT_EQ(a.shape.shared_bytes, b.shape.shared_bytes);
      different += a.kernel != b.kernel;
    }
    EXPECT_EQ(different, recorder.launches()) << algorithm.name;
  }
  EXPECT_GE(with_tiles, 11);
}

}  // namespace
}  // namespace gpu
