// Kernels move no more data than necessary: regression tests of what observation found.
#include "gpu/effect.h"
#include "gpu/simulated/observed/simulate.h"
#include "gpu/simulated/tests/observed_support.cuh"

namespace gpu::simulated {
namespace {

using ObservedEfficiencyTest = Observed;
constexpr Size size{256, 64};
constexpr std::uint64_t sector_bytes = 32;

// Three bytes per pixel, each sector once: one pixel per thread would touch each sector three times.
TEST_F(ObservedEfficiencyTest, ColoursAreReadOnce) {
  const Image<Bgr> colour(size, Device::cuda);
  const Image<std::uint8_t> gray(size, Device::cuda);
  const Image<Rgba> rgba(size, Device::cuda);
  auto context = Context::on_stream(nullptr, {});
  observer_.reset(32, 1, 264);
  const EffectInput input{colour.view(), gray.view(), {}, nullptr, nullptr};
  find_effect("none")->run(context, input, Canvas{{}, rgba.view()}, Arguments());
  EXPECT_EQ(observer_.results().counts.read.sectors, size.pixels() * 3 / sector_bytes);
  EXPECT_EQ(observer_.results().counts.written.sectors, size.pixels() * 4 / sector_bytes);
}

// With 16 pixels per thread, the first of a thread's three loads leaves half a sector to the next: the L1 cache has it.
TEST_F(ObservedEfficiencyTest, LumaTouchesEachSectorTwice) {
  const Image<Bgr> colour(size, Device::cuda);
  const Image<std::uint8_t> gray(size, Device::cuda);
  auto context = Context::on_stream(nullptr, {});
  observer_.reset(32, 1, 264);
  luma(context, colour.view(), gray.view());
  EXPECT_EQ(observer_.results().counts.read.sectors, 2 * size.pixels() * 3 / sector_bytes);
  EXPECT_EQ(observer_.results().counts.written.sectors, size.pixels() / sector_bytes);
}

TEST_F(ObservedEfficiencyTest, LanesOf1R1WHaveNoBankConflicts) {
  for (const auto type : {SatType::u8_u32, SatType::f32_f32}) {
    SimulationRequest request;
    request.algorithm = "1r1w";
    request.type = type;
    request.size = {256, 192};
    const auto counts = simulate(request).counts;
    EXPECT_GT(counts.shared_stages, 0u);
    EXPECT_EQ(counts.shared_stages, counts.shared_stages_without_conflicts);
  }
}

}  // namespace
}  // namespace gpu::simulated
