// Pictures that a GPU draws on the surface of a texture.
#include <optional>

#include "app/tests/gl/cuda_texture_test.h"
#include "gpu/composition.h"

namespace app::gl {
namespace {

// Annotations that come when they are waited for.
PictureAnnotations late_annotations(double value) {
  return PictureAnnotations([value](bool wait) -> std::optional<PictureAnnotations::List> {
    if (!wait) return {};
    return annotations_of(value);
  });
}

class DrawnTextureTest : public SharedTextureCudaTest {
 protected:
  void SetUp() override {
    SharedTextureCudaTest::SetUp();
    if (!IsSkipped() && !interop_.works) GTEST_SKIP() << interop_.reason;
  }

  // Draws the picture on a surface of the texture, as an effect does. Returns its pixels in memory.
  gpu::Image<gpu::Rgba> draw(SharedTexture& texture, const gpu::Image<gpu::Rgba>& host) {
    const auto source = on_gpu(host);
    gpu::Image<gpu::Rgba> pixels(host.size(), gpu::Device::cuda);
    auto context = gpu::Context::on_stream(stream_, {});
    const auto surface = texture.surface(context, host.size());
    EXPECT_TRUE(surface);
    const gpu::Composition all_of_the_first{gpu::Composition::Mode::wipe, 1};
    gpu::compose(context, source.view(), source.view(), gpu::Canvas::with_surface(pixels.view(), surface), all_of_the_first);
    gpu::check(cudaStreamSynchronize(stream_));
    return pixels;
  }
  void draw_and_show(SharedTexture& texture, gpu::Size size, int seed, const PictureAnnotations& annotations = {}) {
    draw(texture, make_picture(size, seed));
    EXPECT_TRUE(texture.show_surface(size, annotations));
  }
  void expect_shown(SharedTexture& texture, gpu::Size size, int seed) {
    EXPECT_EQ(differences(texture, make_picture(size, seed).view()), 0) << size.width << "x" << size.height << ", " << seed;
  }
};

TEST_F(DrawnTextureTest, ShowsWhatWasDrawnOnItsSurface) {
  SharedTexture texture(true, "");
  for (int seed = 0; seed < 5; ++seed)
    for (const gpu::Size size : {gpu::Size{1, 1}, {37, 21}, {37, 21}, {640, 360}}) {
      draw_and_show(texture, size, seed);
      expect_shown(texture, size, seed);
    }
  EXPECT_TRUE(texture.interop()) << texture.reason();
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(DrawnTextureTest, ThePictureBeforeIsShownWhileTheNextIsDrawn) {
  SharedTexture texture(true, "");
  draw_and_show(texture, {64, 48}, 1);
  const auto next = draw(texture, make_picture({64, 48}, 2));
  expect_shown(texture, {64, 48}, 1);
}

// A picture that failed half way leaves its surface to the next one.
TEST_F(DrawnTextureTest, ASurfaceThatWasGivenUpShowsNothing) {
  SharedTexture texture(true, "");
  draw_and_show(texture, {64, 48}, 1);
  draw(texture, make_picture({64, 48}, 2));
  expect_shown(texture, {64, 48}, 1);
  draw(texture, make_picture({80, 60}, 3));
  draw_and_show(texture, {64, 48}, 4);
  expect_shown(texture, {64, 48}, 4);
}

TEST_F(DrawnTextureTest, DrawnAndCopiedPicturesTakeTurns) {
  SharedTexture texture(true, "");
  for (int seed = 0; seed < 8; seed += 2) {
    draw_and_show(texture, {64, 48}, seed);
    expect_shown(texture, {64, 48}, seed);
    show_and_compare(texture, {64, 48}, seed + 1);
  }
  const auto from_host = make_picture({64, 48}, 9);
  texture.show(host_, from_host.view());
  EXPECT_EQ(differences(texture, from_host.view()), 0);
}

TEST_F(DrawnTextureTest, APictureIsShownWhenItsAnnotationsHaveArrived) {
  SharedTexture texture(true, "");
  draw_and_show(texture, {64, 48}, 1, annotations_of(1));
  for (int seed = 2; seed < 7; ++seed) draw_and_show(texture, {64, 48}, seed, late_annotations(seed));
  expect_shown(texture, {64, 48}, 1);
  EXPECT_EQ(texture.annotations()[0].value, 1);
  texture.flush();
  expect_shown(texture, {64, 48}, 6);
  EXPECT_EQ(texture.annotations()[0].value, 6);
  draw_and_show(texture, {64, 48}, 7);
  expect_shown(texture, {64, 48}, 7);
  EXPECT_TRUE(texture.annotations().empty());
}

TEST_F(DrawnTextureTest, TheStagedPathHasNoSurface) {
  SharedTexture texture(false, "requested");
  auto context = gpu::Context::on_stream(stream_, {});
  EXPECT_FALSE(texture.surface(context, {64, 48}));
  const auto host = make_picture({64, 48}, 1);
  const auto pixels = on_gpu(host);
  EXPECT_FALSE(texture.show_surface(host.size()));
  texture.show(context, pixels.view());
  texture.flush();
  EXPECT_EQ(differences(texture, host.view()), 0);
}

TEST_F(DrawnTextureTest, ASizeThatOpenglRefusesHasNoSurface) {
  SharedTexture texture(true, "");
  draw_and_show(texture, {64, 48}, 1);
  auto context = gpu::Context::on_stream(stream_, {});
  EXPECT_FALSE(texture.surface(context, {1 << 20, 1}));
  expect_shown(texture, {64, 48}, 1);
  draw_and_show(texture, {64, 48}, 2);
  expect_shown(texture, {64, 48}, 2);
  EXPECT_TRUE(texture.interop()) << texture.reason();
}

}  // namespace
}  // namespace app::gl
