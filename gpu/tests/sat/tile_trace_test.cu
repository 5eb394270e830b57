// What the tile algorithms record of their tiles: each tile once, in the order that the carries require; and the table is the
// one of a run that records nothing.
#include <algorithm>

#include "gpu/checks/sat_cases.h"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/sat_runner.h"
#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu {
namespace {

constexpr Size sizes[] = {{1, 1}, {205, 171}, {640, 97}, {131, 290}, {1601, 150}};

struct Traced {
  std::vector<TilePass> passes;
  int launches = 0;
  std::vector<TileRecord> records;
  std::vector<std::uint32_t> table;

  const TileRecord& at(const TilePass& pass, int I, int J) const {
    return records[pass.first + static_cast<std::size_t>(I) * static_cast<std::size_t>(pass.columns) +
                   static_cast<std::size_t>(J)];
  }
  std::span<const TileRecord> of(const TilePass& pass) const { return std::span(records).subspan(pass.first, pass.tiles()); }
};

std::vector<std::uint8_t> random_pixels(Size size) { return numbers<std::uint8_t>(size.pixels()); }

template <class T>
ImageView<T> view(T* data, Size size) {
  return {data, size.width, size.height, size.width};
}

// The records before the run are garbage: the run clears those that it does not write.
Traced trace(const SatAlgorithm& algorithm, const Arguments& arguments, Size size) {
  const OnDevice<std::uint8_t> pixels(random_pixels(size));
  const OnDevice<std::uint32_t> table(size.pixels());
  const ImageView<const std::uint8_t> image = view(pixels.data(), size);
  const auto plan = plan_tiles(Device::cuda, 0, algorithm, size, arguments);
  const Buffer<TileRecord> room(plan.records(), Device::cuda);
  check(cudaMemset(room.data(), 0xa5, plan.records() * sizeof(TileRecord)));
  auto runner = SatRunner::on_stream(nullptr);
  runner.reserve(runner.plan(algorithm, size, SatType::u8_u32, arguments).workspace_bytes);
  auto& context = runner.context();
  TileRecorder recorder(room.span());
  compute_sat(context, algorithm, image, view(table.data(), size), arguments, recorder);

  EXPECT_EQ(recorder.passes(), plan.passes()) << "planned otherwise";
  Traced traced{recorder.passes(), recorder.launches(), std::vector<TileRecord>(recorder.records()), table.back()};
  check(cudaMemcpy(traced.records.data(), room.data(), traced.records.size() * sizeof(TileRecord), cudaMemcpyDeviceToHost));
  return traced;
}

// Each tile of every pass once. The first pass of 1_plus_r_r1w has the tiles of two corners, every other pass all tiles.
void expect_every_tile(const Traced& traced, std::string_view algorithm, Size size) {
  ASSERT_FALSE(traced.passes.empty());
  for (const auto& pass : traced.passes) {
    EXPECT_EQ(pass.rows, ceil_div(size.height, pass.H));
    EXPECT_EQ(pass.columns, ceil_div(size.width, pass.W));
    std::size_t recorded = 0;
    for (const auto& record : traced.of(pass)) {
      if (record == TileRecord{}) continue;
      ++recorded;
      EXPECT_GE(record.launch, 1u);
      EXPECT_LE(record.launch, static_cast<std::uint32_t>(traced.launches));
      EXPECT_GT(record.started, 0u);
      EXPECT_LE(record.started, record.carried);
      EXPECT_LE(record.carried, record.finished);
    }
    const bool corners = algorithm == "1_plus_r_r1w" && pass.name == "tile sums";
    if (corners)
      EXPECT_TRUE(recorded > 0 && recorded < pass.tiles()) << recorded;
    else
      EXPECT_EQ(recorded, pass.tiles()) << pass.name;
  }
}

// Kernels of one stream run one after another: no tile starts before the launch before has finished.
void expect_launches_in_order(const Traced& traced) {
  const auto launches = static_cast<std::size_t>(traced.launches) + 1;
  std::vector<std::uint64_t> first(launches, ~std::uint64_t{0}), last(launches, 0);
  for (const auto& record : traced.records) {
    if (record.launch == 0) continue;
    first[record.launch] = std::min(first[record.launch], record.started);
    last[record.launch] = std::max(last[record.launch], record.finished);
  }
  for (std::size_t launch = 2; launch < launches; ++launch) {
    EXPECT_GT(last[launch], 0u) << "launch " << launch << " recorded nothing";
    EXPECT_LE(last[launch - 1], first[launch]) << "launch " << launch;
  }
}

void expect_table_of_untraced_kernels(const Traced& traced, const SatAlgorithm& algorithm, const Arguments& arguments,
                                      Size size) {
  const OnDevice<std::uint8_t> pixels(random_pixels(size));
  const OnDevice<std::uint32_t> table(size.pixels());
  const ImageView<const std::uint8_t> image = view(pixels.data(), size);
  auto runner = SatRunner::on_stream(nullptr);
  runner.run(algorithm, image, view(table.data(), size), arguments);
  EXPECT_TRUE(same(traced.table, table.back())) << "the table is another one";
}

std::vector<const SatAlgorithm*> algorithms_with_tiles() {
  std::vector<const SatAlgorithm*> found;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->records_tiles) found.push_back(algorithm);
  return found;
}

using TileTraceTest = NeedsGpu<testing::TestWithParam<const SatAlgorithm*>>;

TEST_P(TileTraceTest, HasEveryTileInOrderAndTheUsualTable) {
  const auto& algorithm = *GetParam();
  for (const auto& arguments : all_arguments(algorithm))
    for (const auto size : sizes) {
      SCOPED_TRACE(text(arguments) + ", " + std::to_string(size.width) + " x " + std::to_string(size.height));
      const auto traced = trace(algorithm, arguments, size);
      expect_every_tile(traced, algorithm.name, size);
      expect_launches_in_order(traced);
      expect_table_of_untraced_kernels(traced, algorithm, arguments, size);
    }
}

INSTANTIATE_TEST_SUITE_P(, TileTraceTest, testing::ValuesIn(algorithms_with_tiles()),
                         [](const auto& info) { return "of_" + std::string(info.param->name); });

// Calls check(tile, neighbour) for every tile of the only pass and its neighbour `up` rows above and `left` columns before.
template <class Check>
void for_neighbours(const Traced& traced, int up, int left, Check&& check) {
  ASSERT_EQ(traced.passes.size(), 1u);
  const auto& pass = traced.passes.front();
  for (int I = up; I < pass.rows; ++I)
    for (int J = left; J < pass.columns; ++J) {
      SCOPED_TRACE("tile " + std::to_string(I) + ", " + std::to_string(J));
      check(traced.at(pass, I, J), traced.at(pass, I - up, J - left));
    }
}

class TileTraceOrderTest : public NeedsGpu<testing::Test> {
 protected:
  template <class Check>
  void for_each_trace(std::string_view name, Check&& check) {
    const auto& algorithm = *find_sat_algorithm(name);
    for (const auto& arguments : all_arguments(algorithm))
      for (const auto size : sizes) check(trace(algorithm, arguments, size));
  }
};

// A tile of 1r1w starts when its neighbours to the left and above have finished.
TEST_F(TileTraceOrderTest, DiagonalsFollowOneAnother) {
  for_each_trace("1r1w", [](const Traced& traced) {
    const auto after = [](const TileRecord& tile, const TileRecord& before) {
      EXPECT_LE(before.finished, tile.started);
      EXPECT_EQ(before.launch + 1, tile.launch);
    };
    for_neighbours(traced, 1, 0, after);
    for_neighbours(traced, 0, 1, after);
  });
}

// A block of 1r1w_skss walks down a column; row sums come from the left when that tile has begun.
TEST_F(TileTraceOrderTest, ABlockOfSkssWalksDownAColumn) {
  for_each_trace("1r1w_skss", [](const Traced& traced) {
    for_neighbours(traced, 1, 0, [](const TileRecord& tile, const TileRecord& above) {
      EXPECT_LE(above.finished, tile.started);
      EXPECT_EQ(above.multiprocessor, tile.multiprocessor);
    });
    for_neighbours(traced, 0, 1,
                   [](const TileRecord& tile, const TileRecord& left) { EXPECT_LE(left.started, tile.carried); });
  });
}

// A tile of 1r1w_skss_lb has its carries after all tiles to the left, above and on its diagonal have published, and so started; one
// of one_wave after all tiles above and to the left have.
TEST_F(TileTraceOrderTest, CarriesComeAfterAllBeforeHavePublished) {
  const auto after = [](const TileRecord& tile, const TileRecord& before) { EXPECT_LE(before.started, tile.carried); };
  for (const std::string_view name : {"1r1w_skss_lb", "one_wave"})
    for_each_trace(name, [&](const Traced& traced) {
      const auto& pass = traced.passes.front();
      for (int up = 0; up < pass.rows; ++up)
        for (int left = 0; left < pass.columns; ++left)
          if (name == "one_wave" || up == 0 || left == 0 || up == left) for_neighbours(traced, up, left, after);
    });
}

// Calls check(record, I, J) for every tile of a pass.
template <class Check>
void for_tiles(const Traced& traced, const TilePass& pass, Check&& check) {
  for (int I = 0; I < pass.rows; ++I)
    for (int J = 0; J < pass.columns; ++J) {
      SCOPED_TRACE(pass.name + ", tile " + std::to_string(I) + ", " + std::to_string(J));
      check(traced.at(pass, I, J), I, J);
    }
}

// A look-back adds the sum of the neighbour at least, if there is one, and ends at the edge of the grid.
void expect_depth(int depth, int predecessors) {
  EXPECT_GE(depth, std::min(predecessors, 1));
  EXPECT_LE(depth, predecessors);
}

TEST_F(TileTraceOrderTest, TilesLookBackInsideTheGrid) {
  for (const auto* algorithm : {"1r1w_skss_lb", "decoupled_fallback", "row_waves", "tensor_tiles"})
    for_each_trace(algorithm, [](const Traced& traced) {
      for_tiles(traced, traced.passes.front(), [](const TileRecord& record, int I, int J) {
        expect_depth(record.look_back.left, J);
        expect_depth(record.look_back.up, I);
        expect_depth(record.look_back.diagonal, std::min(I, J));
      });
    });
}

TEST_F(TileTraceOrderTest, RowsLookBackLeftAndColumnsUp) {
  for_each_trace("2r2w_optimal", [](const Traced& traced) {
    ASSERT_EQ(traced.passes.size(), 2u);
    for_tiles(traced, traced.passes[0], [](const TileRecord& record, int, int J) {
      expect_depth(record.look_back.left, J);
      EXPECT_EQ(record.look_back, (LookBackDepths{record.look_back.left, 0, 0}));
    });
    for_tiles(traced, traced.passes[1], [](const TileRecord& record, int I, int) {
      expect_depth(record.look_back.up, I);
      EXPECT_EQ(record.look_back, (LookBackDepths{0, record.look_back.up, 0}));
    });
  });
}

TEST_F(TileTraceOrderTest, OtherAlgorithmsDoNotLookBack) {
  constexpr std::string_view looking_back[] = {"1r1w_skss_lb", "decoupled_fallback", "row_waves", "2r2w_optimal",
                                               "tensor_tiles"};
  for (const auto* algorithm : algorithms_with_tiles())
    if (std::ranges::find(looking_back, algorithm->name) == std::end(looking_back))
      for_each_trace(algorithm->name, [](const Traced& run) {
        for (const auto& record : run.records) EXPECT_EQ(record.look_back, LookBackDepths{});
      });
}

// 2r1w and ha_blocks make every table after every sum.
TEST_F(TileTraceOrderTest, TablesFollowSums) {
  for (const auto* name : {"2r1w", "ha_blocks", "2r2w_optimal"})
    for_each_trace(name, [](const Traced& traced) {
      ASSERT_EQ(traced.passes.size(), 2u);
      const auto sums = traced.of(traced.passes[0]), tables = traced.of(traced.passes[1]);
      const auto last = std::ranges::max(sums, {}, &TileRecord::finished).finished;
      EXPECT_LE(last, std::ranges::min(tables, {}, &TileRecord::started).started);
    });
}

}  // namespace
}  // namespace gpu
