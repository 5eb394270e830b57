// haar: values against sums taken pixel by pixel, the response map against those values, the number against its glyphs.
#include <gtest/gtest.h>

#include "gpu/effects/colour_map.h"
#include "gpu/effects/haar_feature.h"
#include "gpu/effects/number_text.h"
#include "gpu/tests/effects/effect_support.h"

namespace gpu::effects {
namespace {

using test::HostFrame;

constexpr std::pair<HaarType, const char*> types[] = {{HaarType::type_2_x, "type-2-x"},
                                                      {HaarType::type_2_y, "type-2-y"},
                                                      {HaarType::type_3_x, "type-3-x"},
                                                      {HaarType::type_3_y, "type-3-y"},
                                                      {HaarType::type_4, "type-4"}};

long long rectangle(const HostFrame& frame, int x, int y, int width, int height) {
  long long sum = 0;
  for (int j = y; j < y + height; ++j)
    for (int i = x; i < x + width; ++i) sum += frame.gray.view()(i, j);
  return sum;
}

// right - left, bottom - top, middle - outer, (top right + bottom left) - (top left + bottom right).
long long naive_value(const HostFrame& frame, HaarType type, int x, int y, int w, int h) {
  const auto part = [&](int column, int row) { return rectangle(frame, x + column * w, y + row * h, w, h); };
  switch (type) {
    case HaarType::type_2_x: return part(1, 0) - part(0, 0);
    case HaarType::type_2_y: return part(0, 1) - part(0, 0);
    case HaarType::type_3_x: return part(1, 0) - part(0, 0) - part(2, 0);
    case HaarType::type_3_y: return part(0, 1) - part(0, 0) - part(0, 2);
    case HaarType::type_4: return part(1, 0) + part(0, 1) - part(0, 0) - part(1, 1);
  }
  return 0;
}

TEST(Haar, ValuesAreSumsOfPixels) {
  const auto frame = HostFrame::noise({26, 21}, 3);
  const SatView sat = frame.sat.view();
  for (const auto& [type, name] : types)
    for (const auto& [w, h] : {std::pair{1, 1}, {3, 2}, {8, 7}, {5, 6}})
      for (int y = 0; y + haar_rows(type) * h <= 21; ++y)
        for (int x = 0; x + haar_columns(type) * w <= 26; ++x) {
          const HaarFeature feature{type, x, y, w, h};
          ASSERT_EQ(feature.value(sat), naive_value(frame, type, x, y, w, h)) << name << " at " << x << "," << y;
        }
}

// Black left of white at the largest size: the largest value there is.
TEST(Haar, TheLargestValueFits) {
  const int side = haar_max_side;
  const HostFrame frame({2 * side, 2 * side}, [&](int x, int y) {
    const auto level = static_cast<std::uint8_t>((x >= side) != (y >= side) ? 255 : 0);
    return Bgr{level, level, level};
  });
  EXPECT_EQ((HaarFeature{HaarType::type_4, 0, 0, side, side}.value(frame.sat.view())), 2139095040);
}

// Every pixel lies outside what one of two runs draws on top.
TEST(Haar, ResponseIsTheValueOfTheFeatureCentredThere) {
  const Size size{90, 60};
  const auto frame = HostFrame::noise(size, 4);
  const auto& effect = test::effect_named("haar");
  for (const auto& [type, name] : types)
    for (const auto& [w, h] : {std::pair{1, 1}, {3, 4}, {9, 2}}) {
      const auto run = [&](const char* x, const char* y) {
        return test::run_on_host(effect,
                                 test::arguments_of(effect, {{"type", name},
                                                             {"show", "response"},
                                                             {"x", x},
                                                             {"y", y},
                                                             {"width", std::to_string(w)},
                                                             {"height", std::to_string(h)}}),
                                 frame);
      };
      const auto one = run("0", "0"), other = run("90", "60");
      const int columns = haar_columns(type), rows = haar_rows(type);
      const float unit = 1.0f / (255.0f * static_cast<float>((columns * rows + 1) / 2 * w * h));
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
          const int left = std::clamp(x - columns * w / 2, 0, size.width - columns * w);
          const int top = std::clamp(y - rows * h / 2, 0, size.height - rows * h);
          const auto value = static_cast<float>(naive_value(frame, type, left, top, w, h));
          const Rgba expected = signed_colour(spread(value * unit, 0.1f));
          const auto is = [&](Rgba c) { return c.r == expected.r && c.g == expected.g && c.b == expected.b; };
          ASSERT_TRUE(is(one.rgba(x, y)) || is(other.rgba(x, y))) << name << " at " << x << "," << y;
        }
    }
}

TEST(Haar, FeatureIsTintedAndOutlined) {
  const HostFrame frame({200, 100}, [](int, int) { return Bgr{100, 100, 100}; });
  const auto& effect = test::effect_named("haar");
  const auto picture = test::run_on_host(
      effect,
      test::arguments_of(effect, {{"type", "type-3-x"}, {"x", "50"}, {"y", "20"}, {"width", "10"}, {"height", "12"}}),
      frame);
  const auto orange = [&](int x, int y) { return picture.rgba(x, y).r > picture.rgba(x, y).b + 40; };
  const auto blue = [&](int x, int y) { return picture.rgba(x, y).b > picture.rgba(x, y).r + 40; };
  for (int y : {20, 31}) {
    EXPECT_TRUE(blue(50, y) && blue(59, y) && orange(60, y) && orange(69, y) && blue(70, y) && blue(79, y)) << y;
    EXPECT_EQ(picture.rgba(49, y).r, 255);
    EXPECT_EQ(picture.rgba(80, y).g, 255);
    EXPECT_EQ(picture.rgba(48, y).r, 100);
  }
  EXPECT_EQ(picture.rgba(60, 19).b, 255);
  EXPECT_EQ(picture.rgba(60, 18).b, 100);
}

// Reads the number below the feature back from the picture.
TEST(Haar, ShowsItsValue) {
  const auto frame = HostFrame::noise({200, 100}, 9);
  const auto& effect = test::effect_named("haar");
  for (const auto& [type, name] : types) {
    const auto picture = test::run_on_host(
        effect,
        test::arguments_of(effect, {{"type", name}, {"x", "50"}, {"y", "20"}, {"width", "10"}, {"height", "12"}}),
        frame);
    const auto value = naive_value(frame, type, 50, 20, 10, 12);
    const auto text = (value < 0 ? "-" : "+") + std::to_string(std::abs(value));
    const int left = 49 + 1, top = 20 + haar_rows(type) * 12 + 1 + 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const int index = text[i] == '-' ? glyph_minus : text[i] == '+' ? glyph_plus : text[i] - '0';
      for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 5; ++x)
          ASSERT_EQ(picture.rgba(left + static_cast<int>(i) * 6 + x, top + y).g == 255,
                    (glyph_of(index) >> (5 * y + x) & 1) != 0)
              << text << " character " << i;
    }
  }
}

TEST(Haar, NumbersAreLegible) {
  const NumberText text{-407, 1};
  ASSERT_EQ(text.width(), 25);
  ASSERT_EQ(text.height(), 9);
  std::string drawn;
  for (int y = 0; y < text.height(); ++y) {
    for (int x = 0; x < text.width(); ++x) drawn += text.ink(x, y) ? '#' : '.';
    drawn += '\n';
  }
  EXPECT_EQ(drawn,
            ".........................\n"
            "..........#...###..#####.\n"
            ".........##..#...#.....#.\n"
            "........#.#..#..##....#..\n"
            ".#####.#..#..#.#.#...#...\n"
            ".......#####.##..#..#....\n"
            "..........#..#...#..#....\n"
            "..........#...###...#....\n"
            ".........................\n");
  EXPECT_EQ((NumberText{18, 3}.ink(3 * 1 + 1, 3 * 4 + 2)), true);  // the plus sign's left end
  EXPECT_EQ((NumberText{-2147483647 - 1, 1}.characters()), NumberText::most_characters);
}

// The mouse may be anywhere: the feature stays inside.
TEST(Haar, MovesAFeatureInside) {
  const auto frame = HostFrame::noise({100, 80}, 2);
  const auto& effect = test::effect_named("haar");
  const auto at = [&](const char* x, const char* y) {
    return test::run_on_host(
        effect, test::arguments_of(effect, {{"x", x}, {"y", y}, {"width", "10"}, {"height", "10"}}), frame);
  };
  EXPECT_EQ(at("65535", "65535"), at("80", "70"));
  EXPECT_FALSE(at("65535", "65535") == at("79", "70"));
}

TEST(Haar, RefusesAFeatureLargerThanTheFrame) {
  const auto frame = HostFrame::noise({30, 20}, 2);
  const auto& effect = test::effect_named("haar");
  const auto run = [&](const char* width, const char* height) {
    test::run_on_host(effect, test::arguments_of(effect, {{"width", width}, {"height", height}}), frame);
  };
  EXPECT_NO_THROW(run("15", "20"));
  EXPECT_THROW(run("16", "20"), ArgumentError);
  EXPECT_THROW(run("15", "21"), ArgumentError);
  try {
    run("16", "20");
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 "the feature's 32x20 pixels do not fit the frame's 30x20: make width or height smaller");
  }
}

}  // namespace
}  // namespace gpu::effects
