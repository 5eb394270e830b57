#include "app/gl/view.h"

#include <gtest/gtest.h>

#include <cmath>

namespace app {
namespace {

View make_view(gpu::Size image = {960, 540}, Area area = {300, 40, 800, 600}) {
  View view;
  view.image = image;
  view.area = area;
  return view;
}

void expect_near(Point a, Point b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
}

TEST(ViewTest, FitShowsTheWholeImageInTheMiddle) {
  const View view = make_view();
  EXPECT_DOUBLE_EQ(view.scale(), 800.0 / 960.0);
  expect_near(view.image_to_screen({480, 270}), {700, 340}, 0.5);
  const Area seen = view.visible();
  EXPECT_NEAR(seen.width, 800, 1);
  EXPECT_NEAR(seen.height, 450, 1);
}

TEST(ViewTest, AThinImageStaysVisible) {
  for (const gpu::Size size : {gpu::Size{1, 4000}, {4000, 1}}) {
    const View view = make_view(size);
    EXPECT_GE(view.scale(), 1.0);
    EXPECT_GE(view.visible().width, 1.0);
    EXPECT_GE(view.visible().height, 1.0);
  }
}

TEST(ViewTest, OnePixelDoesNotFillTheArea) { EXPECT_EQ(make_view({1, 1}).scale(), View::largest_scale); }

TEST(ViewTest, ScreenAndImageAreInverse) {
  View view = make_view();
  for (const double zoom : {0.0, 0.1, 0.5, 1.0, 1.37, 2.0, 64.0}) {
    view.zoom = zoom;
    view.centre = {0.3, 0.8};
    expect_near(view.screen_to_image(view.image_to_screen({123.5, 77.25})), {123.5, 77.25}, 1e-9);
  }
}

TEST(ViewTest, TheCornerLiesOnAWholeScreenPixel) {
  View view = make_view({961, 541}, {0, 0, 801, 600});
  for (const double zoom : {0.0, 1.0, 1.37, 3.0}) {
    view.zoom = zoom;
    const Point corner = view.image_to_screen({0, 0});
    EXPECT_EQ(corner, (Point{std::round(corner.x), std::round(corner.y)}));
  }
}

TEST(ViewTest, ZoomKeepsThePointUnderTheCursor) {
  View view = make_view();
  const Point cursor{530, 210};
  const Point under = view.screen_to_image(cursor);
  for (int step = 0; step < 20; ++step) {
    view.zoom_at(cursor, 1.25);
    // Half a screen pixel, because the corner is rounded to a whole one; twice, before and after.
    expect_near(view.screen_to_image(cursor), under, 0.5 / view.scale() + 0.5 / make_view().scale());
  }
}

TEST(ViewTest, ZoomingInAndOutRestoresTheView) {
  View view = make_view();
  for (int step = 0; step < 8; ++step) view.zoom_at({600, 300}, 1.5);
  for (int step = 0; step < 8; ++step) view.zoom_at({600, 300}, 1 / 1.5);
  EXPECT_NEAR(view.scale(), view.fit_scale(), 1e-9);
  expect_near(view.centre, {0.5, 0.5}, 1e-9);
}

TEST(ViewTest, ZoomHasLimits) {
  View view = make_view();
  for (int step = 0; step < 200; ++step) view.zoom_at({700, 340}, 2);
  EXPECT_EQ(view.scale(), View::largest_scale);
  for (int step = 0; step < 200; ++step) view.zoom_at({700, 340}, 0.5);
  EXPECT_DOUBLE_EQ(view.scale(), view.fit_scale() / 4);
  view.zoom_at({700, 340}, 0);
  view.zoom_at({700, 340}, std::nan(""));
  EXPECT_TRUE(std::isfinite(view.zoom));
}

TEST(ViewTest, ASmallPictureCanBeReducedToAQuarterOfItsOwnSize) {
  View view = make_view({100, 50});  // it is enlarged to fit
  ASSERT_GT(view.fit_scale(), 1);
  for (int step = 0; step < 200; ++step) view.zoom_at({700, 340}, 0.5);
  EXPECT_DOUBLE_EQ(view.scale(), 0.25);
}

TEST(ViewTest, PanMovesThePictureWithTheCursor) {
  View view = make_view();
  view.zoom = 4;
  const Point before = view.image_to_screen({100, 100});
  view.pan(10, -7);
  expect_near(view.image_to_screen({100, 100}), {before.x + 10, before.y - 7}, 0.5);
}

TEST(ViewTest, PanningAFittedPictureKeepsItsScale) {
  View view = make_view();
  const double scale = view.scale();
  view.pan(5, 5);
  EXPECT_DOUBLE_EQ(view.scale(), scale);
  view.fit();
  EXPECT_EQ(view.zoom, 0);
  EXPECT_EQ(view.centre, (Point{0.5, 0.5}));
}

TEST(ViewTest, ThePictureStaysInReach) {
  View view = make_view();
  for (int step = 0; step < 100; ++step) view.pan(1000, 1000);
  EXPECT_GT(view.visible().width, 0);
  EXPECT_GT(view.visible().height, 0);
}

TEST(ViewTest, NamesThePixelUnderTheCursor) {
  View view = make_view({10, 10}, {0, 0, 100, 100});
  view.zoom = 5;
  EXPECT_EQ(view.pixel_at({25, 25}), (PixelPosition{0, 0}));
  EXPECT_EQ(view.pixel_at({74.9, 29.9}), (PixelPosition{9, 0}));
  EXPECT_EQ(view.pixel_at({75, 50}), std::nullopt);
  EXPECT_EQ(view.pixel_at({24.9, 50}), std::nullopt);
  view.zoom = 50;
  EXPECT_EQ(view.pixel_at({100, 50}), std::nullopt) << "outside the area";
}

TEST(ViewTest, AnEmptyImageIsHarmless) {
  View view = make_view({0, 0});
  view.zoom_at({700, 340}, 2);
  view.pan(3, 3);
  EXPECT_EQ(view.pixel_at({700, 340}), std::nullopt);
  EXPECT_EQ(view.visible().width, 0);
  EXPECT_TRUE(std::isfinite(view.centre.x));
}

}  // namespace
}  // namespace app
