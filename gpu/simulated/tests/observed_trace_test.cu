// The kernels that record their tiles, under observation: they have no races, and write one record per tile and pass.
#include <cstddef>

#include "gpu/sat/block/tile_recorder.h"
#include "gpu/sat_runner.h"
#include "gpu/simulated/tests/observed_support.cuh"

namespace gpu::simulated {
namespace {

constexpr Size size{205, 171};

class ObservedTraceTest : public Observed {
 protected:
  Simulation observe(const SatAlgorithm& algorithm, TileRecorder* recorder) {
    const auto pixels = zeros<std::uint8_t>(size.pixels());
    const auto table = zeros<std::uint32_t>(size.pixels());
    const Arguments arguments(algorithm.parameters);
    const ImageView<const std::uint8_t> image{pixels.data(), size.width, size.height, size.width};
    const ImageView<std::uint32_t> sat{table.data(), size.width, size.height, size.width};
    auto runner = SatRunner::on_stream(nullptr);
    runner.reserve(runner.plan(algorithm, image, sat, arguments).workspace_bytes);
    auto& context = runner.context();
    observer_.reset(width_, latency_, 264);
    if (recorder)
      compute_sat(context, algorithm, image, sat, arguments, *recorder);
    else
      compute_sat(context, algorithm, image, sat, arguments);
    return observer_.results();
  }
};

TEST_F(ObservedTraceTest, HasNoRacesAndWritesOneRecordPerTile) {
  for (const auto* each : sat_algorithms()) {
    const auto& algorithm = *each;
    if (!algorithm.records_tiles) continue;
    SCOPED_TRACE(algorithm.name);
    const auto plan = plan_tiles(Device::cuda, 0, algorithm, size, Arguments(algorithm.parameters));
    const auto room = zeros<TileRecord>(plan.records());
    TileRecorder recorder(room.span());
    const auto with = observe(algorithm, &recorder), without = observe(algorithm, nullptr);
    EXPECT_EQ(text(with), "");
    std::size_t tiles = 0;
    for (const auto& record : room.span()) tiles += record.launch > 0;
    EXPECT_GT(tiles, 0u);
    // A record is cleared, and its times written once; `carried` twice in passes with carries, and the depths of look-backs.
    const auto cleared = plan.records() * sizeof(TileRecord), once = offsetof(TileRecord, look_back);
    const auto written = with.counts.written.bytes - without.counts.written.bytes - cleared;
    EXPECT_GE(written, tiles * once);
    EXPECT_LE(written, tiles * (once + sizeof(std::uint64_t) + sizeof(LookBackDepths)));
    EXPECT_LE(with.counts.read.bytes, without.counts.read.bytes);
  }
}

}  // namespace
}  // namespace gpu::simulated
