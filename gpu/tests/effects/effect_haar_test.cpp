// haar: values compared with sums pixel by pixel, the response map compared with those values, and the annotations.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/effects/colour_map.h"
#include "gpu/effects/haar_feature.h"
#include "gpu/tests/effects/effect_support.h"
#include "gpu/tests/refusal.h"

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

TEST(EffectHaarTest, ValuesAreSumsOfPixels) {
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
TEST(EffectHaarTest, TheLargestValueFits) {
  const int side = haar_max_side;
  const HostFrame frame({2 * side, 2 * side}, [&](int x, int y) {
    const auto level = static_cast<std::uint8_t>((x >= side) != (y >= side) ? 255 : 0);
    return Bgr{level, level, level};
  });
  EXPECT_EQ((HaarFeature{HaarType::type_4, 0, 0, side, side}.value(frame.sat.view())), 2139095040);
}

TEST(EffectHaarTest, ResponseIsTheValueOfTheFeatureCentredThere) {
  const Size size{90, 60};
  const auto frame = HostFrame::noise(size, 4);
  const auto& effect = test::effect_named("haar");
  for (const auto& [type, name] : types)
    for (const auto& [w, h] : {std::pair{1, 1}, {3, 4}, {9, 2}}) {
      const auto picture = test::run_on_host(
          effect,
          test::arguments_of(
              effect, {{"type", name}, {"show", "response"}, {"width", std::to_string(w)}, {"height", std::to_string(h)}}),
          frame);
      const int columns = haar_columns(type), rows = haar_rows(type);
      const float unit = 1.0f / (255.0f * static_cast<float>((columns * rows + 1) / 2 * w * h));
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
          const int left = std::clamp(x - columns * w / 2, 0, size.width - columns * w);
          const int top = std::clamp(y - rows * h / 2, 0, size.height - rows * h);
          const auto value = static_cast<float>(naive_value(frame, type, left, top, w, h));
          const Rgba expected = signed_colour(spread(value * unit, 0.1f));
          const Rgba c = picture.rgba(x, y);
          ASSERT_TRUE(c.r == expected.r && c.g == expected.g && c.b == expected.b) << name << " at " << x << "," << y;
        }
    }
}

// Blue, orange, blue, the outline around them, and the value.
TEST(EffectHaarTest, AnnotatesItsRectanglesAndItsValue) {
  const auto frame = HostFrame::noise({200, 100}, 9);
  const auto& effect = test::effect_named("haar");
  const auto arguments = test::arguments_of(
      effect, {{"type", "type-3-x"}, {"x", "50"}, {"y", "20"}, {"width", "10"}, {"height", "12"}});
  const auto annotations = test::annotations_on_host(effect, arguments, frame);
  ASSERT_EQ(annotations.size(), 5u);
  for (int i = 0; i < 3; ++i) {
    const auto& part = annotations[static_cast<std::size_t>(i)];
    EXPECT_EQ(part.kind, Annotation::Kind::rectangle);
    EXPECT_EQ(part.x0, 50 + 10 * i);
    EXPECT_EQ(part.x1, 60 + 10 * i);
    EXPECT_EQ(part.y0, 20);
    EXPECT_EQ(part.y1, 32);
    EXPECT_EQ(part.stroke.a, 0);
    EXPECT_GT(part.fill.a, 0);
    EXPECT_EQ(part.fill.r > part.fill.b, i == 1) << i;
  }
  const auto &outline = annotations[3], &label = annotations[4];
  EXPECT_EQ(outline.kind, Annotation::Kind::rectangle);
  EXPECT_EQ(outline.fill.a, 0);
  EXPECT_EQ(outline.stroke.a, 255);
  EXPECT_EQ(label.kind, Annotation::Kind::label);
  EXPECT_EQ(label.has, Annotation::Value::signed_number);
  EXPECT_EQ(label.value, naive_value(frame, HaarType::type_3_x, 50, 20, 10, 12));
  for (const auto* whole : {&outline, &label}) {
    EXPECT_EQ(whole->x0, 50);
    EXPECT_EQ(whole->x1, 80);
    EXPECT_EQ(whole->y0, 20);
    EXPECT_EQ(whole->y1, 32);
  }
  // The frame itself stays what it is.
  const auto picture = test::run_on_host(effect, arguments, frame);
  EXPECT_EQ(picture.rgba(55, 25).r, frame.gray.view()(55, 25));
}

TEST(EffectHaarTest, TheValueIsThatOfEachType) {
  const auto frame = HostFrame::noise({200, 100}, 9);
  const auto& effect = test::effect_named("haar");
  for (const auto& [type, name] : types)
    for (const auto* show : {"feature", "response"}) {
      const auto annotations = test::annotations_on_host(
          effect,
          test::arguments_of(effect,
                             {{"type", name}, {"show", show}, {"x", "50"}, {"y", "20"}, {"width", "10"}, {"height", "12"}}),
          frame);
      const int rectangles = std::string_view(show) == "feature" ? haar_columns(type) * haar_rows(type) : 0;
      ASSERT_EQ(annotations.size(), static_cast<std::size_t>(rectangles + 2)) << name;
      EXPECT_EQ(annotations.back().value, naive_value(frame, type, 50, 20, 10, 12)) << name;
    }
}

// The mouse may be anywhere: the feature stays inside.
TEST(EffectHaarTest, MovesAFeatureInside) {
  const auto frame = HostFrame::noise({100, 80}, 2);
  const auto& effect = test::effect_named("haar");
  const auto at = [&](const char* x, const char* y) {
    return test::annotations_on_host(
        effect, test::arguments_of(effect, {{"x", x}, {"y", y}, {"width", "10"}, {"height", "10"}}), frame);
  };
  const auto moved = at("65535", "65535");
  EXPECT_EQ(moved.back().x1, 100);
  EXPECT_EQ(moved.back().y1, 80);
  EXPECT_TRUE(test::same(moved, at("80", "70")));
  EXPECT_FALSE(test::same(at("65535", "65535"), at("79", "70")));
}

TEST(EffectHaarTest, IsInTheMiddleWhereNoPlaceWasChosen) {
  const auto& effect = test::effect_named("haar");
  const auto place = [&](Size size, const char* type) {
    return effect.placement(test::arguments_of(effect, {{"type", type}, {"width", "32"}, {"height", "64"}}), size);
  };
  EXPECT_EQ(place({512, 512}, "type-2-x").x, 224);
  EXPECT_EQ(place({512, 512}, "type-2-x").y, 224);
  EXPECT_EQ(place({960, 540}, "type-3-x").x, 432);
  EXPECT_EQ(place({40, 30}, "type-2-x").x, 0) << "it does not fit";
  const auto frame = HostFrame::noise({200, 100}, 3);
  const auto unplaced = test::arguments_of(effect, {{"width", "10"}, {"height", "12"}});
  const auto placed = test::arguments_of(effect, {{"width", "10"}, {"height", "12"}, {"x", "90"}, {"y", "44"}});
  const auto one = test::annotations_on_host(effect, unplaced, frame),
             other = test::annotations_on_host(effect, placed, frame);
  EXPECT_TRUE(test::same(one, other));
}

TEST(EffectHaarTest, RefusesAFeatureLargerThanTheFrame) {
  const auto frame = HostFrame::noise({30, 20}, 2);
  const auto& effect = test::effect_named("haar");
  const auto run = [&](const char* width, const char* height) {
    test::run_on_host(effect, test::arguments_of(effect, {{"width", width}, {"height", height}}), frame);
  };
  EXPECT_NO_THROW(run("15", "20"));
  EXPECT_THROW(run("15", "21"), ArgumentError);
  EXPECT_EQ(test::refusal_of<ArgumentError>([&] { run("16", "20"); }),
            "the feature's 32x20 pixels do not fit the frame's 30x20: make width or height smaller");
}

// Every effect draws every frame, as long as nobody chose what does not fit.
TEST(EffectHaarTest, TheUsualFeatureFitsSmallFrames) {
  const auto& effect = test::effect_named("haar");
  for (const auto* type : {"type-2-x", "type-2-y", "type-3-x", "type-3-y", "type-4"})
    for (const Size size : {Size{3, 3}, {4, 4}, {63, 64}, {64, 63}, {96, 192}, {300, 3}})
      for (const auto* show : {"feature", "response"}) {
        const auto frame = HostFrame::noise(size, 3);
        const auto arguments = test::arguments_of(effect, {{"type", type}, {"show", show}});
        const auto used = used_arguments(effect, arguments, size);
        EXPECT_EQ(test::run_on_host(effect, arguments, frame), test::run_on_host(effect, used, frame)) << text_of(used);
        EXPECT_EQ(effect.placement(arguments, size).full_width(), effect.placement(used, size).full_width());
      }
  const auto narrow = HostFrame::noise({1, 9}, 3);
  EXPECT_EQ(test::refusal_of<ArgumentError>([&] { test::run_on_host(effect, test::arguments_of(effect, {}), narrow); }),
            "the feature's 2x4 pixels do not fit the frame's 1x9: choose another type or a larger picture");
}

}  // namespace
}  // namespace gpu::effects
