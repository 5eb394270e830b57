// clear_on_device(): zeros for every requested byte, rounded up to 16, and for no others.
#include "gpu/cuda/launch.h"

#include <algorithm>

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu {
namespace {

using ClearTest = NeedsGpu<testing::Test>;

TEST_F(ClearTest, DoesNotChangeTheBytesAfterTheEnd) {
  constexpr std::size_t behind = 64, more_than_one_each = (std::size_t{4} << 20) + 17;  // for the threads of 1024 blocks
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17}, std::size_t{4096},
                                  more_than_one_each, 3 * more_than_one_each}) {
    const std::size_t cleared = (bytes + 15) / 16 * 16;
    std::vector<std::uint8_t> expected(cleared + behind, 0xCD);
    const OnDevice<std::uint8_t> there(expected);
    clear_on_device(there.data(), bytes, nullptr);
    std::fill_n(expected.begin(), cleared, std::uint8_t(0));
    EXPECT_TRUE(same(there.back(), expected)) << bytes << " bytes";
  }
}

}  // namespace
}  // namespace gpu
