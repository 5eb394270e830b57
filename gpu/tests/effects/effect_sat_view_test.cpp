// sat_view compared with the numbers of the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "gpu/effects/colour_map.h"
#include "gpu/tests/effects/effect_support.h"

namespace gpu::effects {
namespace {

using test::HostFrame;

test::Picture view(const HostFrame& frame, std::initializer_list<test::Setting> settings) {
  const auto& effect = test::effect_named("sat_view");
  return test::run_on_host(effect, test::arguments_of(effect, settings), frame);
}

TEST(EffectSatViewTest, LinearIsTheShareOfTheTotal) {
  for (const Size size : {Size{1, 1}, Size{1, 30}, Size{40, 1}, Size{61, 37}}) {
    const auto frame = HostFrame::noise(size, 1);
    const auto table = frame.sat.view();
    const auto picture = view(frame, {{"map", "gray"}, {"contours", "0"}});
    const double total = table(size.width - 1, size.height - 1);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        ASSERT_NEAR(picture.gray(x, y), 255 * table(x, y) / total, 0.501) << x << "," << y;
    EXPECT_EQ(picture.gray(size.width - 1, size.height - 1), 255);
  }
}

TEST(EffectSatViewTest, ABlackFrameIsBlack) {
  const HostFrame frame({9, 7}, [](int, int) { return Bgr{0, 0, 0}; });
  for (const auto level : view(frame, {{"map", "gray"}}).bytes) ASSERT_EQ(level, 0);
}

TEST(EffectSatViewTest, ResidualOfAUniformFrameIsZero) {
  const HostFrame frame({64, 48}, [](int, int) { return Bgr{90, 90, 90}; });
  const auto picture = view(frame, {{"scale", "residual"}, {"contours", "0"}});
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x)
      ASSERT_LE(std::max({picture.rgba(x, y).r, picture.rgba(x, y).g, picture.rgba(x, y).b}), 1) << x << "," << y;
}

TEST(EffectSatViewTest, ResidualShowsBrightRegions) {
  // All light on the right: entries are below those of a uniform frame until the last column.
  const HostFrame frame({64, 48}, [](int x, int) { return x < 32 ? Bgr{0, 0, 0} : Bgr{200, 200, 200}; });
  const auto picture = view(frame, {{"scale", "residual"}, {"contours", "0"}});
  EXPECT_GT(picture.rgba(31, 40).b, 200);
  EXPECT_EQ(picture.rgba(31, 40).r, picture.rgba(31, 40).b * 60 / 255);
  EXPECT_LE(picture.rgba(63, 47).b, 1);
}

TEST(EffectSatViewTest, ModuloShowsTheLowerBits) {
  const auto frame = HostFrame::noise({61, 37}, 6);
  const auto table = frame.sat.view();
  const auto picture = view(frame, {{"scale", "modulo"}, {"bits", "8"}, {"map", "gray"}, {"contours", "0"}});
  for (int y = 0; y < 37; ++y)
    for (int x = 0; x < 61; ++x) ASSERT_EQ(picture.gray(x, y), table(x, y) & 255u) << x << "," << y;
}

// Between two pixels of one column too, and nowhere else.
TEST(EffectSatViewTest, AContourIsWhereTheSumPassesAMultipleOfItsStep) {
  constexpr int contours = 4;
  for (const Size size : {Size{1, 61}, Size{61, 37}}) {
    const auto frame = HostFrame::noise(size, 2);
    const auto table = frame.sat.view();
    const auto plain = view(frame, {{"contours", "0"}}), lined = view(frame, {{"contours", std::to_string(contours)}});
    const auto band = [&](int x, int y) {
      return std::uint64_t{table(x, y)} * contours / table(size.width - 1, size.height - 1);
    };
    int lines = 0;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        if (x == size.width - 1 && y == size.height - 1) continue;  // rounded, its share may be below 1
        const bool line = band(x, y) != band(x, std::max(y - 1, 0)) || band(x, y) != band(std::max(x - 1, 0), y);
        EXPECT_EQ(plain.rgba(x, y).b != lined.rgba(x, y).b, line) << x << ',' << y;
        lines += line;
      }
    EXPECT_GE(lines, contours - 1);
  }
}

// By the contours, at most a quarter of it: a matrix would be all lines.
TEST(EffectSatViewTest, ContoursLeaveMostOfEveryPicture) {
  for (const Size size : {Size{8, 8}, Size{16, 16}, Size{40, 40}, Size{64, 64}, Size{3, 500}, Size{500, 6}, Size{320, 200}})
    for (const char* contours : {"4", "16", "64"}) {
      const HostFrame frame(size, [](int, int) { return Bgr{90, 90, 90}; });
      const auto plain = view(frame, {{"map", "gray"}, {"contours", "0"}}),
                 lined = view(frame, {{"map", "gray"}, {"contours", contours}});
      int covered = 0;
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) covered += plain.gray(x, y) != lined.gray(x, y);
      EXPECT_LE(covered, static_cast<int>(size.pixels()) / 4) << size.width << "x" << size.height << ", " << contours;
      const bool large = size == Size{320, 200} || size == Size{64, 64};
      EXPECT_TRUE(covered > 0 || !large || std::string_view(contours) == "64") << size.width;
    }
}

// 17 220 000 white pixels: the table wraps around, its picture does not.
TEST(EffectSatViewTest, ShowsTrueSumsOfATableThatWrapped) {
  const Size size{4200, 4100};
  const HostFrame frame(size, [](int, int) { return Bgr{255, 255, 255}; });
  ASSERT_NE(static_cast<double>(frame.sat.view()(4199, 4099)), 255.0 * 4200 * 4100);
  const auto picture = view(frame, {{"map", "gray"}, {"contours", "0"}});
  for (int y = 0; y < size.height; y += 41)
    for (int x = 0; x < size.width; ++x)
      ASSERT_NEAR(picture.gray(x, y), 255.0 * (x + 1) * (y + 1) / (4200.0 * 4100.0), 0.501) << x << "," << y;
  EXPECT_EQ(picture.gray(4199, 4099), 255);
}

TEST(EffectSatViewColourMapTest, EndsAndOrder) {
  // Five colours of the published viridis map.
  const std::tuple<float, int, int, int> own[] = {
      {0.0f, 68, 1, 84}, {2 / 9.0f, 62, 73, 137}, {4 / 9.0f, 38, 130, 142}, {6 / 9.0f, 53, 183, 121}, {1.0f, 253, 231, 37}};
  for (const auto& [value, r, g, b] : own) {
    EXPECT_NEAR(viridis(value).r, r, 4);
    EXPECT_NEAR(viridis(value).g, g, 4);
    EXPECT_NEAR(viridis(value).b, b, 4);
  }
  EXPECT_EQ(viridis(-3.0f).g, viridis(0.0f).g);
  EXPECT_EQ(viridis(3.0f).g, viridis(1.0f).g);
  for (int i = 0; i < 1000; ++i)  // green determines the lightness
    ASSERT_LE(viridis(static_cast<float>(i) / 1000).g, viridis(static_cast<float>(i + 1) / 1000).g) << i;
  EXPECT_EQ(signed_colour(0.0f).r + signed_colour(0.0f).g + signed_colour(0.0f).b, 0);
  EXPECT_EQ(signed_colour(1.0f).r, 255);
  EXPECT_EQ(signed_colour(-1.0f).b, 255);
}

}  // namespace
}  // namespace gpu::effects
