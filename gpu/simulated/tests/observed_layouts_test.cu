// Every algorithm on rows of every alignment: no access, and no asynchronous copy, is wider than the rows allow.
#include <cstdint>

#include "gpu/sat_runner.h"
#include "gpu/simulated/tests/observed_support.cuh"
#include "gpu/tests/sat/sat_cases.h"

namespace gpu::simulated {
namespace {

class ObservedLayoutsTest : public Observed {
 protected:
  template <class Input, class Sum>
  void run(const SatAlgorithm& algorithm, const Layout& layout) {
    const auto elements = [&](std::ptrdiff_t stride, int offset) {
      return static_cast<std::size_t>(stride * layout.size.height + offset);
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

}  // namespace
}  // namespace gpu::simulated
