#include "app/gl/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gl/gl_object.h"
#include "app/gl/picture_texture.h"
#include "app/tests/display/offscreen_test.h"

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

TEST(ViewTest, AThinImageStaysVisibleAndOnePixelDoesNotFillTheArea) {
  for (const gpu::Size size : {gpu::Size{1, 4000}, {4000, 1}}) {
    const View view = make_view(size);
    EXPECT_GE(std::min({view.scale(), view.visible().width, view.visible().height}), 1.0);
  }
  EXPECT_EQ(make_view({1, 1}).scale(), View::largest_scale);
}

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
  View view = make_view(), small = make_view({100, 50});  // which is enlarged to fit
  ASSERT_GT(small.fit_scale(), 1);
  for (int step = 0; step < 200; ++step) view.zoom_at({700, 340}, 2);
  EXPECT_EQ(view.scale(), View::largest_scale);
  for (int step = 0; step < 200; ++step)
    for (auto* one : {&view, &small}) one->zoom_at({700, 340}, 0.5);
  EXPECT_DOUBLE_EQ(view.scale(), view.fit_scale() / 4);
  EXPECT_DOUBLE_EQ(small.scale(), 0.25) << "a quarter of its own size";
  view.zoom_at({700, 340}, 0);
  view.zoom_at({700, 340}, std::nan(""));
  EXPECT_TRUE(std::isfinite(view.zoom));
}

TEST(ViewTest, PanMovesThePictureWithTheCursorAtTheSameScaleAndWithinReach) {
  View view = make_view();
  view.zoom = 4;
  const Point before = view.image_to_screen({100, 100});
  view.pan(10, -7);
  expect_near(view.image_to_screen({100, 100}), {before.x + 10, before.y - 7}, 0.5);
  EXPECT_DOUBLE_EQ(view.scale(), 4);
  for (int step = 0; step < 100; ++step) view.pan(1000, 1000);
  EXPECT_GT(view.visible().width, 0);
  EXPECT_GT(view.visible().height, 0);
  view.fit();
  EXPECT_EQ(view.zoom, 0);
  EXPECT_EQ(view.centre, (Point{0.5, 0.5}));
}

TEST(ViewTest, APictureOfWhichAllIsSeenStaysInItsPlace) {
  View fitted = make_view(), small = make_view(), beside = make_view();
  fitted.pan(50, 50);
  EXPECT_EQ(fitted.zoom, 0) << "it still follows the window";
  EXPECT_EQ(fitted.centre, (Point{0.5, 0.5}));
  small.zoom = beside.zoom = 0.25;
  small.pan(50, 50);
  EXPECT_EQ(small.centre, (Point{0.5, 0.5}));
  beside.centre = {0, 0.5};
  beside.area.width = 400;  // its right half is cut off
  const Point before = beside.image_to_screen({0, 0});
  beside.pan(-20, 0);
  expect_near(beside.image_to_screen({0, 0}), {before.x - 20, before.y}, 0.5);
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

namespace app::gl {
namespace {

using gpu::Rgba;
using Colour = std::array<int, 3>;

Colour colour_of(int x, int y) { return {x * 37 % 256, y * 53 % 256, (x * 7 + y * 11) % 256}; }

class ViewRendererTest : public OffscreenTest {
 protected:
  void SetUp() override {
    OffscreenTest::SetUp();
    if (IsSkipped()) return;
    view_.area = {20, 10, 200, 150};
  }

  void show(gpu::Size size, Colour (*colour)(int x, int y)) {
    texture_ = PictureTexture(size);
    std::vector<Rgba> pixels(size.pixels());
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const Colour c = colour(x, y);
        pixels[static_cast<std::size_t>(y * size.width + x)] = {
            static_cast<std::uint8_t>(c[0]), static_cast<std::uint8_t>(c[1]), static_cast<std::uint8_t>(c[2]), 255};
      }
    TextureUpload{false}(PicturePixels::View{pixels.data(), size.width, size.height, size.width}, texture_);
    view_.image = size;
  }
  void draw(double gain = 1) {
    const ViewRenderer renderer;
    target_->begin_frame();
    renderer.draw(view_, texture_.id(), width, height, gain);
    target_->end_frame();
    seen_ = target_->read_pixels();
    EXPECT_NO_THROW(check());
  }
  Colour at(int x, int y) const {
    const auto i = static_cast<std::size_t>((y * width + x) * 4);
    return {seen_[i], seen_[i + 1], seen_[i + 2]};
  }
  // Every pixel of the area inside the picture shows the image pixel that the view names.
  int wrong_pixels() const {
    int wrong = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const auto pixel = view_.pixel_at({x + 0.5, y + 0.5});
        wrong += at(x, y) != (pixel ? colour_of(pixel->x, pixel->y) : at(0, 0));
      }
    return wrong;
  }

  PictureTexture texture_;
  View view_;
  std::vector<std::uint8_t> seen_;
};

TEST_F(ViewRendererTest, AtIntegerScalesEveryPixelIsExact) {
  show({61, 47}, colour_of);
  for (const double zoom : {1.0, 2.0, 3.0, 5.0, 7.0})
    for (const Point centre : {Point{0.5, 0.5}, Point{0, 0}, Point{1, 0.3}}) {
      view_.zoom = zoom;
      view_.centre = centre;
      draw();
      EXPECT_EQ(wrong_pixels(), 0) << "zoom " << zoom << ", centre " << centre.x << "," << centre.y;
    }
  view_.zoom = 2.71;  // no centre of a screen pixel on an edge
  view_.centre = {0.5, 0.5};
  draw();
  EXPECT_EQ(wrong_pixels(), 0) << "squares at a fractional scale";
}

TEST_F(ViewRendererTest, DrawsTheTopOfThePictureAtTheTop) {
  show({20, 10}, [](int, int y) { return y < 5 ? Colour{255, 0, 0} : Colour{0, 0, 255}; });
  view_.zoom = 4;
  draw();
  EXPECT_EQ(at(120, 85 - 10), (Colour{255, 0, 0}));
  EXPECT_EQ(at(120, 85 + 10), (Colour{0, 0, 255}));
}

TEST_F(ViewRendererTest, AReducedFineCheckerboardIsGray) {
  show({1600, 1200}, [](int x, int y) { return (x + y) % 2 ? Colour{255, 255, 255} : Colour{0, 0, 0}; });
  for (const double zoom : {0.5, 0.25, 0.125}) {
    view_.zoom = zoom;
    draw();
    for (int x = 60; x < 180; x += 7) EXPECT_NEAR(at(x, 85)[1], 127, 2) << "zoom " << zoom << ", x " << x;
  }
}

// Where a screen pixel covers more than two pixels, one lookup of two is not enough: their number is rounded up.
TEST_F(ViewRendererTest, ReducedBetweenThePowersOfTwoItIsAveragedToo) {
  show({1600, 1200}, [](int x, int) { return x % 3 ? Colour{0, 0, 0} : Colour{255, 255, 255}; });
  for (const double zoom : {0.4, 1 / 3.0}) {
    view_.zoom = zoom;
    draw();
    int least = 255, most = 0;
    for (int x = 60; x < 180; ++x) least = std::min(least, at(x, 85)[1]), most = std::max(most, at(x, 85)[1]);
    EXPECT_LT(most - least, 100) << "zoom " << zoom;
  }
}

TEST_F(ViewRendererTest, TheGainBrightensWhatIsNotReduced) {
  show({61, 47}, [](int x, int) { return Colour{x % 9, x % 5, 200}; });
  for (const double zoom : {1.5, 3.0}) {
    view_.zoom = zoom;
    draw(20);
    const auto seen = at(120, 85);
    EXPECT_EQ(seen[2], 255) << "zoom " << zoom;
    EXPECT_NEAR(seen[0] % 20, 0, zoom == 3 ? 0 : 20);
    EXPECT_GT(seen[0] + seen[1], 20);
  }
}

TEST_F(ViewRendererTest, BetweenScalesOneAndTwoItIsInterpolated) {
  show({2, 1}, [](int x, int) { return x ? Colour{255, 255, 255} : Colour{0, 0, 0}; });
  view_.image = {2, 1};
  view_.zoom = 1.9;
  draw();
  bool between = false;
  for (int x = 110; x < 130; ++x) between |= at(x, 85)[0] > 30 && at(x, 85)[0] < 225;
  EXPECT_TRUE(between);
}

TEST_F(ViewRendererTest, TheGridDoesNotCoverTheMiddleOfASquare) {
  show({61, 47}, colour_of);
  view_.zoom = 16;
  draw();
  const Point corner = view_.image_to_screen({30, 20});
  const int x = static_cast<int>(corner.x), y = static_cast<int>(corner.y);
  EXPECT_EQ(at(x + 8, y + 8), colour_of(30, 20));
  EXPECT_NE(at(x, y + 8), colour_of(30, 20));
  EXPECT_NE(at(x + 8, y), colour_of(30, 20));
}

TEST_F(ViewRendererTest, ThinPicturesAndNoPicture) {
  view_.image = {10, 10};
  draw();  // no texture yet
  EXPECT_EQ(at(120, 85), at(0, 0));
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 4000}, {4000, 1}}) {
    show(size, [](int, int) { return Colour{255, 255, 255}; });
    draw();
    int white = 0, outside = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const bool in_area = x >= 20 && x < 220 && y >= 10 && y < 160;
        (in_area ? white : outside) += at(x, y) == Colour{255, 255, 255};
      }
    EXPECT_GE(white, 150) << size.width << "x" << size.height;
    EXPECT_EQ(outside, 0) << size.width << "x" << size.height;
  }
}

}  // namespace

}  // namespace app::gl
