// Rows of colour pixels by every variant that this machine can run, against their definitions: lengths around multiples of the
// vector width, rows of every alignment, and nothing written beyond them. Rows end where memory ends, which sanitizers watch.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gpu/effects/window_sums.h"
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

TEST_P(PixelRowsTest, LumaAndRgbaOfEveryWidth) {
  test::Noise noise(3);
  for (const int width : widths())
    for (const int offset : {0, 1, 5, 16, 31}) {
      const Pixels pixels(width, offset, [&] { return noise.byte(); });
      const auto count = static_cast<std::size_t>(width);
      std::vector<std::uint8_t> gray(count + 64, 0xcd), expected_gray = gray;
      std::vector<std::uint32_t> rgba(count + 16, 0xcdcdcdcd), expected_rgba = rgba;
      for (int x = 0; x < width; ++x) {
        const auto [b, g, r] = pixels.row()[x];
        expected_gray[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>((3735 * b + 19235 * g + 9798 * r + 16384) >>
                                                                               15);
        expected_rgba[static_cast<std::size_t>(x)] = r | g << 8 | b << 16 | 0xff000000u;
      }
      rows().luma(pixels.row(), gray.data(), width);
      rows().rgba(pixels.row(), reinterpret_cast<Rgba*>(rgba.data()), width);
      ASSERT_EQ(gray, expected_gray) << width << " from " << offset;
      ASSERT_EQ(rgba, expected_rgba) << width << " from " << offset;
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

template <class Sum>
void check_strip(const StripFunctions<Sum>& functions, int most_rows) {
  test::Noise noise(4);
  for (const int width : widths()) {
    if (width == 0) continue;
    for (const int columns : {1, 2, 15, 100}) {
      // The sums of up to most_rows rows of bytes.
      const auto entries = static_cast<std::size_t>(3 * (width + columns - 1));
      std::unique_ptr<Sum[]> strip(new Sum[entries]);
      for (std::size_t i = 0; i < entries; ++i)
        strip[i] = static_cast<Sum>(noise.next() % 3 == 0 ? 255 * most_rows : noise.next() % (255 * most_rows + 1));
      const effects::RoundedMean mean(static_cast<std::uint32_t>(columns * most_rows));
      std::vector<std::uint8_t> means(static_cast<std::size_t>(3 * width) + 64, 0xcd), expected = means;
      for (int x = 0; x < width; ++x)
        for (int channel = 0; channel < 3; ++channel) {
          std::uint32_t sum = 0;
          for (int i = x; i < x + columns; ++i) sum += strip[static_cast<std::size_t>(3 * i + channel)];
          expected[static_cast<std::size_t>(3 * x + channel)] = mean(sum);
        }
      functions.means(strip.get(), columns, {mean.area(), mean.multiplier(), mean.shift()}, means.data(), width);
      ASSERT_EQ(means, expected) << width << ", " << columns;
    }
    const Pixels entering(width, 1, [&] { return noise.byte(); }), leaving(width, 2, [&] { return noise.byte(); });
    std::vector<Sum> sums(static_cast<std::size_t>(3 * width) + 16, Sum(40000)), expected = sums;
    for (int i = 0; i < 3 * width; ++i)
      expected[static_cast<std::size_t>(i)] = static_cast<Sum>(40000 + entering.first[i] - leaving.first[i]);
    functions.move(sums.data(), entering.first, leaving.first, 3 * width);
    ASSERT_EQ(sums, expected) << width;
  }
}

TEST_P(PixelRowsTest, StripsOf16Bits) { check_strip(rows().strip16, 257); }
TEST_P(PixelRowsTest, StripsOf32Bits) { check_strip(rows().strip32, 2047); }

INSTANTIATE_TEST_SUITE_P(Variants, PixelRowsTest,
                         testing::ValuesIn(sat::row_scans_here().begin(), sat::row_scans_here().end()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace gpu
