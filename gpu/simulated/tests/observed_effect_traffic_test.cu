// The traffic that effects state equals, to the byte, what threads of the simulated GPU request.
#include <algorithm>

#include "gpu/sat_runner.h"
#include "gpu/simulated/tests/observed_support.cuh"
#include "gpu/tests/effects/effect_cases.h"

namespace gpu::simulated {
namespace {

using test::EffectCase;

class ObservedEffectTrafficTest : public Observed {
 protected:
  // All tables that an effect can ask for. Their entries do not matter: no effect's accesses depend on them.
  struct Frame {
    explicit Frame(Size size)
        : colour(size, Device::cuda), gray(size, Device::cuda), rgba(size, Device::cuda), table(size, Device::cuda) {
      std::ranges::fill(colour.span(), Bgr{});
      std::ranges::fill(gray.span(), std::uint8_t{});
      std::ranges::fill(table.span(), 0u);
    }
    Image<Bgr> colour;
    Image<std::uint8_t> gray;
    Image<Rgba> rgba;
    Image<std::uint32_t> table;
  };

  // What the effect requests, and the launches that compute no tables.
  Traffic counted(const Effect& effect, const Arguments& arguments, const Frame& frame) {
    const auto& algorithm = *find_sat_algorithm("2r2w");
    const Arguments algorithm_arguments(algorithm.parameters);
    EffectInput input{frame.colour.view(), frame.gray.view(), {}, nullptr, &algorithm, &algorithm_arguments};
    input.tables.sum = frame.table.view();
    for (auto& channel : input.tables.channels) channel = frame.table.view();
    const int capacity = effect.annotation_capacity(arguments);
    const Buffer<std::byte> list(annotation_bytes(capacity), Device::cuda);
    const EffectOutput output{Canvas{{}, frame.rgba.view()}, annotations_in(list.data(), capacity)};
    auto dry = Context::dry(Device::cuda);
    effect.run(dry, input, output, arguments);
    Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
    auto context = Context::on_stream(nullptr, workspace.span());
    observer_.reset(32, 1, 264);
    effect.run(context, input, output, arguments);

    const auto& counts = observer_.results().counts;
    Traffic own{counts.read.bytes, counts.written.bytes, static_cast<int>(dry.launches().size())};
    const auto table = algorithm.traffic(frame.gray.size(), SatType::u8_u32, algorithm_arguments, GpuLimits{});
    const auto of_tables = std::ranges::count_if(dry.launches(),
                                                 [](const auto& launch) { return launch.name == "column scan"; });
    for (std::ptrdiff_t i = 0; i < of_tables; ++i) {
      own.read_bytes -= table.read_bytes;
      own.written_bytes -= table.written_bytes;
      own.launches -= table.launches;
    }
    return own;
  }

  void expect_stated(const Effect& effect, const Arguments& arguments, const Frame& frame) {
    Traffic stated;
    for (const auto& launch : effect.traffic(arguments, frame.gray.size(), sizeof(Rgba))) stated += launch.traffic;
    const auto here = counted(effect, arguments, frame);
    EXPECT_EQ(stated.read_bytes, here.read_bytes);
    EXPECT_EQ(stated.written_bytes, here.written_bytes);
    EXPECT_EQ(stated.launches, here.launches);
  }
};

TEST_F(ObservedEffectTrafficTest, IsStatedToTheByte) {
  for (const Size size : {Size{131, 123}, Size{256, 128}}) {
    const Frame frame(size);
    for (const auto& each : test::effect_cases()) {
      if (each.effect == "faces") continue;  // what its launches request depends on what the frame shows
      SCOPED_TRACE(each.text() + ", " + std::to_string(size.width));
      expect_stated(test::effect_named(each.effect), each.arguments(), frame);
    }
  }
}

// Whatever its shape: a pixel twice, and for every eight rows two sums of each column, which are written twice and read twice.
// Warps overlap, and every eight rows have a total.
TEST_F(ObservedEffectTrafficTest, OfATiltedTableDoesNotGrowWithTheHeight) {
  for (const Size size : {Size{16, 3000}, Size{3000, 16}, Size{128, 128}}) {
    const Frame frame(size);
    auto dry = Context::dry(Device::cuda);
    compute_tilted(dry, frame.gray.view(), frame.table.view());
    const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
    auto context = Context::on_stream(nullptr, workspace.span());
    observer_.reset(32, 1, 264);
    compute_tilted(context, frame.gray.view(), frame.table.view());
    const auto seen = observer_.results();
    EXPECT_EQ(text(seen), "");  // no race
    const auto& counts = seen.counts;
    const auto column = static_cast<std::uint64_t>(size.height);
    EXPECT_LE(counts.read.bytes, size.pixels() * 9 / 2 + column);
    EXPECT_LE(counts.written.bytes, size.pixels() * 6 + column);
  }
}

TEST_F(ObservedEffectTrafficTest, OfLumaIsStatedToTheByte) {
  const Frame frame({131, 83});
  auto context = Context::on_stream(nullptr, {});
  observer_.reset(32, 1, 264);
  luma(context, frame.colour.view(), frame.gray.view());
  const auto counts = observer_.results().counts;
  EXPECT_EQ(luma_traffic(frame.gray.size()).read_bytes, counts.read.bytes);
  EXPECT_EQ(luma_traffic(frame.gray.size()).written_bytes, counts.written.bytes);
}

}  // namespace
}  // namespace gpu::simulated
