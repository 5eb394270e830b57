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

TEST(View, fit_shows_the_whole_image_in_the_middle) {
  const View view = make_view();
  EXPECT_DOUBLE_EQ(view.scale(), 800.0 / 960.0);
  expect_near(view.image_to_screen({480, 270}), {700, 340}, 0.5);
  const Area seen = view.visible();
  EXPECT_NEAR(seen.width, 800, 1);
  EXPECT_NEAR(seen.height, 450, 1);
}

TEST(View, a_thin_image_stays_visible) {
  for (const gpu::Size size : {gpu::Size{1, 4000}, {4000, 1}}) {
    const View view = make_view(size);
    EXPECT_GE(view.scale(), 1.0);
    EXPECT_GE(view.visible().width, 1.0);
    EXPECT_GE(view.visible().height, 1.0);
  }
}

TEST(View, one_pixel_does_not_fill_the_area) { EXPECT_EQ(make_view({1, 1}).scale(), View::largest_scale); }

TEST(View, screen_and_image_are_inverse) {
  View view = make_view();
  for (const double zoom : {0.0, 0.1, 0.5, 1.0, 1.37, 2.0, 64.0}) {
    view.zoom = zoom;
    view.centre = {0.3, 0.8};
    expect_near(view.screen_to_image(view.image_to_screen({123.5, 77.25})), {123.5, 77.25}, 1e-9);
  }
}

TEST(View, the_corner_lies_on_a_whole_screen_pixel) {
  View view = make_view({961, 541}, {0, 0, 801, 600});
  for (const double zoom : {0.0, 1.0, 1.37, 3.0}) {
    view.zoom = zoom;
    const Point corner = view.image_to_screen({0, 0});
    EXPECT_EQ(corner, (Point{std::round(corner.x), std::round(corner.y)}));
  }
}

TEST(View, zoom_keeps_the_point_under_the_cursor) {
  View view = make_view();
  const Point cursor{530, 210};
  const Point under = view.screen_to_image(cursor);
  for (int step = 0; step < 20; ++step) {
    view.zoom_at(cursor, 1.25);
    // Half a screen pixel, because the corner is rounded to a whole one; twice, before and after.
    expect_near(view.screen_to_image(cursor), under, 0.5 / view.scale() + 0.5 / make_view().scale());
  }
}

TEST(View, zooming_in_and_out_restores_the_view) {
  View view = make_view();
  for (int step = 0; step < 8; ++step) view.zoom_at({600, 300}, 1.5);
  for (int step = 0; step < 8; ++step) view.zoom_at({600, 300}, 1 / 1.5);
  EXPECT_NEAR(view.scale(), view.fit_scale(), 1e-9);
  expect_near(view.centre, {0.5, 0.5}, 1e-9);
}

TEST(View, zoom_has_limits) {
  View view = make_view();
  for (int step = 0; step < 200; ++step) view.zoom_at({700, 340}, 2);
  EXPECT_EQ(view.scale(), View::largest_scale);
  for (int step = 0; step < 200; ++step) view.zoom_at({700, 340}, 0.5);
  EXPECT_DOUBLE_EQ(view.scale(), view.fit_scale() / 4);
  view.zoom_at({700, 340}, 0);
  view.zoom_at({700, 340}, std::nan(""));
  EXPECT_TRUE(std::isfinite(view.zoom));
}

TEST(View, a_small_picture_can_be_reduced_to_a_quarter_of_its_own_size) {
  View view = make_view({100, 50});  // it is enlarged to fit
  ASSERT_GT(view.fit_scale(), 1);
  for (int step = 0; step < 200; ++step) view.zoom_at({700, 340}, 0.5);
  EXPECT_DOUBLE_EQ(view.scale(), 0.25);
}

TEST(View, pan_moves_the_picture_with_the_cursor) {
  View view = make_view();
  view.zoom = 4;
  const Point before = view.image_to_screen({100, 100});
  view.pan(10, -7);
  expect_near(view.image_to_screen({100, 100}), {before.x + 10, before.y - 7}, 0.5);
}

TEST(View, panning_a_fitted_picture_keeps_its_scale) {
  View view = make_view();
  const double scale = view.scale();
  view.pan(5, 5);
  EXPECT_DOUBLE_EQ(view.scale(), scale);
  view.fit();
  EXPECT_EQ(view.zoom, 0);
  EXPECT_EQ(view.centre, (Point{0.5, 0.5}));
}

TEST(View, the_picture_stays_in_reach) {
  View view = make_view();
  for (int step = 0; step < 100; ++step) view.pan(1000, 1000);
  EXPECT_GT(view.visible().width, 0);
  EXPECT_GT(view.visible().height, 0);
}

TEST(View, names_the_pixel_under_the_cursor) {
  View view = make_view({10, 10}, {0, 0, 100, 100});
  view.zoom = 5;
  EXPECT_EQ(view.pixel_at({25, 25}), (PixelPosition{0, 0}));
  EXPECT_EQ(view.pixel_at({74.9, 29.9}), (PixelPosition{9, 0}));
  EXPECT_EQ(view.pixel_at({75, 50}), std::nullopt);
  EXPECT_EQ(view.pixel_at({24.9, 50}), std::nullopt);
  view.zoom = 50;
  EXPECT_EQ(view.pixel_at({100, 50}), std::nullopt) << "outside the area";
}

TEST(View, an_empty_image_is_harmless) {
  View view = make_view({0, 0});
  view.zoom_at({700, 340}, 2);
  view.pan(3, 3);
  EXPECT_EQ(view.pixel_at({700, 340}), std::nullopt);
  EXPECT_EQ(view.visible().width, 0);
  EXPECT_TRUE(std::isfinite(view.centre.x));
}

}  // namespace
}  // namespace app
