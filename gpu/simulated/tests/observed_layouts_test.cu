// Every algorithm on rows of every alignment: no access, and no asynchronous copy, is wider than the rows allow. And the kernels that
// record their tiles: they have no races, and write one record per tile and pass.
#include <cstddef>
#include <cstdint>

#include "gpu/checks/sat_cases.h"
#include "gpu/sat/block/tile_recorder.h"
#include "gpu/sat_runner.h"
#include "gpu/simulated/tests/observed_support.cuh"

namespace gpu::simulated {
namespace {

class ObservedLayoutsTest : public Observed {
 protected:
  template <class Input, class Sum>
  void run(const SatAlgorithm& algorithm, const Layout& layout) {
    // No more than the last row has.
    const auto elements = [&](std::ptrdiff_t stride, int offset) {
      return static_cast<std::size_t>(stride * (layout.size.height - 1) + layout.size.width + offset);
    };
    const auto pixels = zeros<Input>(elements(layout.image_stride, layout.image_offset));
    const auto sums = zeros<Sum>(elements(layout.table_stride, layout.table_offset));
    const ImageView<Input> image{pixels.data() + layout.image_offset, layout.size.width, layout.size.height,
                                 layout.image_stride};
    const ImageView<Sum> table{sums.data() + layout.table_offset, layout.size.width, layout.size.height,
                               layout.table_stride};
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) image(x, y) = Input(1);
    observer_.reset(32, 1, 264);
    SatRunner::on_stream(nullptr).run(algorithm, AnyImageView(image), table, Arguments(algorithm.parameters));
    EXPECT_EQ(text(observer_.results()), "");
    for (int y = 0; y < table.height; ++y)
      for (int x = 0; x < table.width; ++x) ASSERT_EQ(table(x, y), static_cast<Sum>((x + 1) * (y + 1)));
  }
};

TEST_F(ObservedLayoutsTest, NothingIsWiderThanRowsAllow) {
  for (const auto* algorithm : sat_algorithms()) {
    if (algorithm->device != Device::cuda || !algorithm->not_simulated.empty()) continue;
    for (const auto& layout : aligned_layouts(SatType::u8_u32, {261, 7})) {
      SCOPED_TRACE(std::string(algorithm->name) + ", " + layout.text());
      run<std::uint8_t, std::uint32_t>(*algorithm, layout);
      if (HasFatalFailure()) return;
    }
  }
}

// Those whose lanes load words of bytes, or exchange values.
constexpr const char* tiles_anywhere[] = {"one_wave", "decoupled_fallback", "row_waves",    "1r1w_skss",   "1r1w_skss_lb",
                                          "2r1w",     "2r2w_optimal",       "1_plus_r_r1w", "tensor_tiles"};

// Narrower than what a lane loads, at every place in 16 bytes, rows directly behind each other and not.
TEST_F(ObservedLayoutsTest, NarrowRowsAnywhere) {
  for (const char* algorithm : tiles_anywhere)
    for (int width = 1; width <= 9; ++width)
      for (int offset = 0; offset < 16; ++offset) {
        const bool bytes_only = find_sat_algorithm(algorithm)->types.size() == 1;
        const std::ptrdiff_t stride = width + offset % 4;
        const Layout layout{{width, 3}, stride, stride + 1, offset, offset / 2};
        SCOPED_TRACE(std::string(algorithm) + ", " + layout.text());
        run<std::uint8_t, std::uint32_t>(*find_sat_algorithm(algorithm), layout);
        if (offset < 4 && !bytes_only) run<float, float>(*find_sat_algorithm(algorithm), layout);
        if (offset < 2 && !bytes_only) run<double, double>(*find_sat_algorithm(algorithm), layout);
        if (HasFatalFailure()) return;
      }
}

// Images whose last pixel is the last byte of their memory: of some the last word of a row ends there, of others before it.
TEST_F(ObservedLayoutsTest, NothingBehindTheLastPixel) {
  for (const char* algorithm : tiles_anywhere)
    for (const Size size : {Size{11, 1}, {131, 5}, {133, 1}, {263, 5}, {519, 1}}) {
      const Layout layout{size, size.width, size.width};
      SCOPED_TRACE(std::string(algorithm) + ", " + layout.text());
      run<std::uint8_t, std::uint32_t>(*find_sat_algorithm(algorithm), layout);
      if (HasFatalFailure()) return;
    }
}

// The same of images without gaps, whose words hold bytes of two rows: of the last rows there are none behind.
TEST_F(ObservedLayoutsTest, NothingBehindTheLastGaplessRow) {
  for (const char* algorithm : tiles_anywhere)
    for (const Size size : {Size{1, 18}, {1, 41}, {2, 33}, {3, 24}, {5, 72}, {131, 24}, {131, 40}})
      for (const int offset : {0, 1, 2, 3}) {
        const Layout layout{size, size.width, size.width, offset};
        SCOPED_TRACE(std::string(algorithm) + ", " + layout.text());
        run<std::uint8_t, std::uint32_t>(*find_sat_algorithm(algorithm), layout);
        if (HasFatalFailure()) return;
      }
}

class ObservedSectorsTest : public ObservedLayoutsTest {
 protected:
  struct PerPixel {
    double all, written_in_part;
  };
  PerPixel sectors(const char* algorithm, const Layout& layout) {
    run<std::uint8_t, std::uint32_t>(*find_sat_algorithm(algorithm), layout);
    const auto counts = observer_.results().counts;
    const auto pixels = static_cast<double>(layout.size.pixels());
    return {static_cast<double>(counts.read.sectors + counts.written.sectors) / pixels,
            static_cast<double>(counts.written.in_part) / pixels};
  }
};

// An algorithm whose lanes access values that are not neighbours would touch each sector several times where rows begin anywhere.
// What is more: 128 bytes lie in five sectors instead of four, and four bytes in two words (twice in 2r1w): to get the second word
// from the neighbouring lane would save these sectors, and was slower. The width of a frame, and a quarter of its height.
TEST_F(ObservedSectorsTest, RowsThatBeginAnywhereHaveFewMore) {
  constexpr int height = 270;
  const Layout even{{1920, height}, 2048, 1920}, pitched{{1919, height}, 2048, 1920}, contiguous{{1919, height}, 1919, 1919};
  struct {
    const char* algorithm;
    double most;
  } constexpr limits[] = {{"one_wave", 1.28}, {"decoupled_fallback", 1.42}, {"row_waves", 1.28}, {"1r1w_skss_lb", 1.42},
                          {"2r1w", 1.85},     {"tensor_tiles", 1.42}};
  for (const auto& [algorithm, most] : limits) {
    SCOPED_TRACE(algorithm);
    const auto usual = sectors(algorithm, even), narrower = sectors(algorithm, pitched),
               anywhere = sectors(algorithm, contiguous);
    EXPECT_GT(usual.all, 5.0 / 32);
    EXPECT_LT(narrower.all, 1.08 * usual.all);
    EXPECT_LT(anywhere.all, most * usual.all);
    EXPECT_LT(usual.written_in_part, narrower.written_in_part);
    EXPECT_LT(narrower.written_in_part, anywhere.written_in_part);
  }
}

class ObservedTraceTest : public Observed {
 protected:
  static constexpr Size size{205, 171};

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
