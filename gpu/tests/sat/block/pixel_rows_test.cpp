// Rows of colour pixels by every variant that this machine can run, against their definitions: lengths around multiples of the
// vector width, rows of every alignment, and nothing written beyond them. Rows end where memory ends, which sanitizers watch.
#include "gpu/pixel_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "gpu/sat/block/row_scan.h"
#include "gpu/tests/effects/effect_support.h"

namespace gpu {
namespace {

class PixelRowsTest : public testing::TestWithParam<const sat::RowScan*> {
 protected:
  const PixelRows& rows() const { return GetParam()->pixels; }
};

std::vector<int> widths() {
  std::vector<int> all{1000, 1919};
  for (int width = 0; width <= 150; ++width) all.push_back(width);
  return all;
}

// `width` pixels, `offset` bytes behind the beginning of memory, and up to its end.
struct Pixels {
  Pixels(int width, int offset, const auto& byte)
      : memory(new std::uint8_t[static_cast<std::size_t>(3 * width + offset)]), first(memory.get() + offset) {
    for (int i = 0; i < 3 * width; ++i) first[i] = byte();
  }
  const Bgr* row() const { return reinterpret_cast<const Bgr*>(first); }

  std::unique_ptr<std::uint8_t[]> memory;
  std::uint8_t* first;
};

TEST_P(PixelRowsTest, LumaOfEveryWidth) {
  test::Noise noise(3);
  for (const int width : widths())
    for (const int offset : {0, 1, 5, 16, 31}) {
      const Pixels pixels(width, offset, [&] { return noise.byte(); });
      const auto count = static_cast<std::size_t>(width);
      std::vector<std::uint8_t> gray(count + 64, 0xcd), expected_gray = gray;
      for (int x = 0; x < width; ++x) {
        const auto [b, g, r] = pixels.row()[x];
        expected_gray[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>((3735 * b + 19235 * g + 9798 * r + 16384) >>
                                                                               15);
      }
      rows().luma(pixels.row(), gray.data(), width);
      ASSERT_EQ(gray, expected_gray) << width << " from " << offset;
    }
}

// All pairs of two channels, with each of several values of the third: sums close to every rounding.
TEST_P(PixelRowsTest, LumaOfEveryColourNearARounding) {
  std::vector<Bgr> colours;
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b)
      for (const int c : {0, 1, 127, 128, 254, 255}) {
        const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
        colours.push_back({byte(a), byte(b), byte(c)});
        colours.push_back({byte(a), byte(c), byte(b)});
        colours.push_back({byte(c), byte(a), byte(b)});
      }
  std::vector<std::uint8_t> gray(colours.size());
  rows().luma(colours.data(), gray.data(), static_cast<int>(colours.size()));
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto [b, g, r] = colours[i];
    ASSERT_EQ(gray[i], (3735 * b + 19235 * g + 9798 * r + 16384) >> 15) << int{b} << ' ' << int{g} << ' ' << int{r};
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, PixelRowsTest,
                         testing::ValuesIn(sat::row_scans_here().begin(), sat::row_scans_here().end()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace gpu
