#include "app/gl/view_renderer.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/gl/gl_object.h"
#include "app/gl/picture_texture.h"
#include "app/tests/display/offscreen_test.h"

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
}

TEST_F(ViewRendererTest, SquaresAtFractionalScalesAreExact) {
  show({61, 47}, colour_of);
  view_.zoom = 2.71;  // no centre of a screen pixel on an edge
  draw();
  EXPECT_EQ(wrong_pixels(), 0);
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
