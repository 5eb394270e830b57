// Annotations in a picture's own pixels.
#include "app/pipeline/picture_drawing.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace app {
namespace {

using gpu::Annotation;

gpu::Image<gpu::Rgba> gray_picture(gpu::Size size) {
  gpu::Image<gpu::Rgba> image(size, gpu::Device::host);
  std::ranges::fill(image.span(), gpu::Rgba{100, 100, 100, 255});
  return image;
}

Annotation rectangle(float x0, float y0, float x1, float y1, gpu::Rgba stroke, gpu::Rgba fill = {}) {
  Annotation a;
  a.x0 = x0, a.y0 = y0, a.x1 = x1, a.y1 = y1, a.stroke = stroke, a.fill = fill;
  return a;
}

Annotation label(double value, Annotation::Value has = Annotation::Value::signed_number, const char* text = "") {
  auto a = rectangle(10, 10, 30, 20, {255, 255, 255, 255});
  a.kind = Annotation::Kind::label;
  a.has = has;
  a.value = value;
  std::copy_n(text, std::min<std::size_t>(std::string(text).size(), sizeof a.text - 1), a.text);
  return a;
}

TEST(DrawAnnotationsTest, ARectanglesOutlineLiesAroundItsPixels) {
  const auto image = gray_picture({60, 40});
  const auto picture = image.view();
  draw_annotations(picture, std::vector{rectangle(10, 10, 30, 20, {255, 0, 0, 255}, {0, 0, 255, 128})});
  for (const auto& [x, y] : {std::pair{9, 9}, {9, 15}, {30, 15}, {20, 9}, {20, 20}, {30, 20}}) {
    EXPECT_EQ(picture(x, y).r, 255) << x << "," << y;
    EXPECT_EQ(picture(x, y).b, 0) << x << "," << y;
  }
  for (const auto& [x, y] : {std::pair{10, 10}, {29, 19}, {20, 15}}) {
    EXPECT_NEAR(picture(x, y).r, 50, 1) << x << "," << y;
    EXPECT_NEAR(picture(x, y).b, 178, 1) << x << "," << y;
    EXPECT_EQ(picture(x, y).a, 255);
  }
  for (const auto& [x, y] : {std::pair{8, 15}, {31, 15}, {20, 8}, {20, 21}})
    EXPECT_EQ(picture(x, y).r, 100) << x << "," << y;
}

TEST(DrawAnnotationsTest, AnnotationsAreClippedToThePicture) {
  // The picture is part of a larger one, which must not change around it.
  const auto around = gray_picture({40, 30});
  const auto picture = gpu::ImageView<gpu::Rgba>{&around.view()(10, 10), 20, 10, around.view().stride};
  const gpu::Rgba white{255, 255, 255, 255};
  auto line = rectangle(-50, -50, 500, 500, white);
  line.kind = Annotation::Kind::line;
  auto far = label(1);
  far.x0 = far.y0 = 5000, far.x1 = far.y1 = 6000;
  draw_annotations(picture, std::vector{rectangle(-5, -5, 100, 100, white, white), line, far, label(-7)});
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x)
      if (x < 10 || x >= 30 || y < 10 || y >= 20) {
        ASSERT_EQ(around.view()(x, y).r, 100) << x << ", " << y;
      }
  // A line from corner to corner is drawn.
  const auto fresh = gray_picture({20, 20});
  draw_annotations(fresh.view(), std::vector{line});
  EXPECT_GT(fresh.view()(10, 10).g, 200);
  EXPECT_EQ(fresh.view()(0, 19).g, 100);
}

TEST(DrawAnnotationsTest, ALabelIsWrittenBelowItsRectangle) {
  const auto image = gray_picture({120, 80});
  draw_annotations(image.view(), std::vector{label(18)});
  int bright = 0, elsewhere = 0;
  for (int y = 0; y < 80; ++y)
    for (int x = 0; x < 120; ++x) {
      const bool white = image.view()(x, y).r > 200;
      (y >= 20 && y < 45 && x < 60 ? bright : elsewhere) += white;
    }
  EXPECT_GT(bright, 15);
  EXPECT_EQ(elsewhere, 0);
}

TEST(DrawAnnotationsTest, LabelsShowTextAndValue) {
  EXPECT_EQ(label_text(label(18)), "+18");
  EXPECT_EQ(label_text(label(-407)), "-407");
  EXPECT_EQ(label_text(label(0)), "+0");
  EXPECT_EQ(label_text(label(2139095040)), "+2139095040");
  EXPECT_EQ(label_text(label(-17551), true), "-17\u2009551");
  EXPECT_EQ(label_text(label(-17551)), "-17551") << "OpenCV's font has no thin space";
  EXPECT_EQ(label_text(label(0.25, Annotation::Value::number)), "0.25");
  EXPECT_EQ(label_text(label(3, Annotation::Value::number, "face")), "face 3");
  EXPECT_EQ(label_text(label(3, Annotation::Value::none, "face")), "face");
}

TEST(DrawAnnotationsTest, LabelsArePlacedInsideThePicture) {
  const auto y = [](double top, double bottom) { return place_label({10, top, bottom, 30, 8, 100, 60}).y; };
  EXPECT_EQ(y(10, 20), 20);  // below
  EXPECT_EQ(y(30, 52), 52);
  EXPECT_EQ(y(30, 53), 22);  // no room there: above
  EXPECT_EQ(y(7, 53), 52);   // nor above: at the lower edge
  EXPECT_EQ(y(-50, -20), 52);
  const auto x = [](double left) { return place_label({left, 10, 20, 30, 8, 100, 60}).x; };
  EXPECT_EQ(x(-5), 0);
  EXPECT_EQ(x(50), 50);
  EXPECT_EQ(x(90), 70);
  EXPECT_EQ(place_label({5, 1, 2, 300, 80, 100, 60}).x, 0);  // larger than the picture
}

}  // namespace
}  // namespace app
