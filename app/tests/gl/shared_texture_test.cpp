// Pictures of the CPU and of a GPU in textures, copied or drawn there.
#include "app/gl/shared_texture.h"

#include <cuda_runtime_api.h>

#include <glad/gl.h>
#include <cstring>
#include <optional>
#include <vector>

#include "app/gl/gl_object.h"
#include "app/gl/picture_texture.h"
#include "app/tests/gl/texture_test.h"
#include "gpu/execution/timeline.h"
#include "gpu/pictures/composition.h"

namespace app::gl {
namespace {

class SharedTextureCudaTest : public SharedTextureTest {
 protected:
  void SetUp() override {
    const auto probe = gpu::probe_gpu();
    if (!probe.gpu) GTEST_SKIP() << probe.reason;
    SharedTextureTest::SetUp();
    if (IsSkipped()) return;
    interop_ = probe_interop();
    gpu::check(cudaSetDevice(interop_.cuda_device));
    gpu::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_) cudaStreamDestroy(stream_);
  }

  gpu::Image<gpu::Rgba> on_gpu(const gpu::Image<gpu::Rgba>& host) {
    gpu::Image<gpu::Rgba> image(host.size(), gpu::Device::cuda);
    const auto from = host.view(), to = image.view();
    gpu::check(cudaMemcpy2D(to.data, static_cast<std::size_t>(to.stride) * 4, from.data,
                            static_cast<std::size_t>(from.stride) * 4, static_cast<std::size_t>(from.width) * 4,
                            static_cast<std::size_t>(from.height), cudaMemcpyHostToDevice));
    // A copy from pageable memory may return before the pixels have arrived, and stream_ waits for no other stream.
    gpu::check(cudaDeviceSynchronize());
    return image;
  }
  void show_and_compare(SharedTexture& texture, gpu::Size size, int seed) {
    const auto host = make_picture(size, seed);
    const auto device = on_gpu(host);
    gpu::Context context = gpu::Context::on_stream(stream_, {});
    texture.show(context, device.view());
    texture.flush();
    EXPECT_EQ(differences(texture, host.view()), 0) << size.width << "x" << size.height << ", seed " << seed;
  }

  Interop interop_;
  cudaStream_t stream_ = nullptr;
};

using gpu::Rgba;

TEST_F(SharedTextureTest, HoldsNothingBeforeTheFirstPicture) {
  SharedTexture texture(false, "no interop in this test");
  EXPECT_EQ(texture.texture(), 0u);
  EXPECT_EQ(texture.size(), (gpu::Size{0, 0}));
  EXPECT_FALSE(texture.interop());
  EXPECT_EQ(texture.reason(), "no interop in this test");
}

TEST_F(SharedTextureTest, ShowsHostPicturesOfEveryShape) {
  SharedTexture texture(false, "host");
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 4000}, {4000, 1}, {37, 21}, {64, 64}, {960, 540}}) {
    const auto picture = make_picture(size, 3);
    texture.show(host_, picture.view());
    EXPECT_EQ(differences(texture, picture.view()), 0) << size.width << "x" << size.height;
  }
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

// A part of a larger picture. What is uploaded next, letters for example, has rows without gaps.
TEST_F(SharedTextureTest, RowsMayHaveGapsBetweenThem) {
  const auto large = make_picture({100, 40}, 4);
  const gpu::ImageView<const Rgba> part{large.view().data + 7, 37, 21, large.view().stride};
  SharedTexture texture(false, "host");
  texture.show(host_, part);
  EXPECT_EQ(differences(texture, part), 0);
  for (const bool through_buffers : {false, true}) {
    const PictureTexture other(part.size());
    TextureUpload upload(through_buffers);
    upload(part, other);
    std::vector<Rgba> seen(part.size().pixels());
    glBindTexture(GL_TEXTURE_2D, other.id());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
    EXPECT_EQ(seen.back().r, part(36, 20).r);
    EXPECT_EQ(seen.back().g, part(36, 20).g);
    GLint row_length = -1;
    glGetIntegerv(GL_UNPACK_ROW_LENGTH, &row_length);
    EXPECT_EQ(row_length, 0);
  }
}

TEST_F(SharedTextureTest, AnnotationsAreOfThePictureInIt) {
  SharedTexture texture(false, "host");
  EXPECT_TRUE(texture.annotations().empty());
  const auto picture = make_picture({50, 40}, 1);
  texture.show(host_, picture.view(), annotations_of(7));
  ASSERT_EQ(texture.annotations().size(), 1u);
  EXPECT_EQ(texture.annotations()[0].value, 7);
  EXPECT_THROW(texture.show(host_, PicturePixels::View{picture.view().data, 1 << 20, 1, 1 << 20}, annotations_of(8)),
               GlError);
  EXPECT_EQ(texture.annotations()[0].value, 7) << "a picture that was refused";
  texture.show(host_, picture.view());
  EXPECT_TRUE(texture.annotations().empty());
}

TEST_F(SharedTextureTest, TheTextureIsKeptWhileTheSizeIsUnchanged) {
  SharedTexture texture(false, "host");
  const auto first = make_picture({50, 40}, 1), second = make_picture({50, 40}, 2), other = make_picture({51, 40}, 3);
  texture.show(host_, first.view());
  const auto id = texture.texture();
  texture.show(host_, second.view());
  EXPECT_EQ(texture.texture(), id);
  EXPECT_EQ(differences(texture, second.view()), 0);
  texture.show(host_, other.view());
  EXPECT_EQ(differences(texture, other.view()), 0);
}

TEST_F(SharedTextureTest, ATooLargePictureIsRefusedAndThePreviousOneStays) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  SharedTexture texture(false, "host");
  const auto small = make_picture({8, 8}, 1), wide = make_picture({most + 1, 1}, 2);
  texture.show(host_, small.view());
  try {
    texture.show(host_, wide.view());
    FAIL() << "no error";
  } catch (const GlError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(most + 1) + "x1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::to_string(most)), std::string::npos) << error.what();
  }
  EXPECT_EQ(differences(texture, small.view()), 0);
}

TEST_F(SharedTextureTest, TheCopyIsTimed) {
  gpu::Timeline timeline(gpu::host_clock());
  gpu::Context context = gpu::Context::on_host(pool_, {}, &timeline);
  SharedTexture texture(false, "host");
  timeline.begin_frame();
  texture.show(context, make_picture({32, 32}, 1).view());
  timeline.end_frame();
  const auto frame = timeline.take();
  ASSERT_TRUE(frame);
  ASSERT_EQ(frame->spans.size(), 1u);
  EXPECT_EQ(frame->path(frame->spans[0]), "copy to texture");
}

// What gpu::draw_wipe() makes of both, which the texture is never given.
TEST_F(SharedTextureTest, AWipeIsWhatComposingItWouldMake) {
  const auto a = make_picture({70, 30}, 1), b = make_picture({70, 30}, 2);
  gpu::Image<Rgba> composed({70, 30}, gpu::Device::host);
  gpu::Timeline timeline(gpu::host_clock());
  gpu::Context context = gpu::Context::on_host(pool_, {}, &timeline);
  SharedTexture texture(false, "host");
  for (const int edge : {35, 0, 1, 70, 36}) {
    const PicturePixels wipe(a.view(), b.view(), edge);
    gpu::draw_wipe(host_, wipe, gpu::Canvas{{}, composed.view()});
    timeline.begin_frame();
    texture.show(context, wipe);
    timeline.end_frame();
    EXPECT_EQ(differences(texture, composed.view()), 0) << edge;
    const auto frame = timeline.take();
    ASSERT_EQ(frame->spans.size(), 1u) << "pixels are copied, and no kernel runs";
    EXPECT_EQ(frame->path(frame->spans[0]), "copy to texture");
    for (const bool through_buffers : {false, true}) {
      const PictureTexture alone({70, 30});
      TextureUpload upload(through_buffers);
      upload(wipe, alone);
      std::vector<Rgba> seen(70 * 30);
      glBindTexture(GL_TEXTURE_2D, alone.id());
      glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
      for (int y = 0; y < 30; ++y)
        EXPECT_EQ(std::memcmp(&seen[static_cast<std::size_t>(y) * 70], composed.view().row(y), 70 * sizeof(Rgba)), 0)
            << y << ", edge " << edge;
    }
  }
}

// Software OpenGL uploads directly, a GPU through buffers. Both ways work on both.
TEST_F(SharedTextureTest, BothUploadPathsGiveTheSamePicture) {
  for (const bool through_buffers : {false, true}) {
    const PictureTexture texture({70, 30});
    TextureUpload upload(through_buffers);
    for (int seed = 0; seed < 5; ++seed) {  // more than the ring has buffers
      const auto picture = make_picture({70, 30}, seed);
      upload(picture.view(), texture);
      std::vector<Rgba> seen(70 * 30);
      glBindTexture(GL_TEXTURE_2D, texture.id());
      glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
      for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 70; ++x) {
          ASSERT_EQ(seen[static_cast<std::size_t>(y * 70 + x)].r, picture.view()(x, y).r) << x << "," << y;
          ASSERT_EQ(seen[static_cast<std::size_t>(y * 70 + x)].g, picture.view()(x, y).g) << x << "," << y;
        }
    }
  }
}

TEST_F(SharedTextureTest, TheProbeSucceedsOrGivesAReason) {
  const Interop interop = probe_interop();
  EXPECT_EQ(interop.works, interop.reason.empty());
  EXPECT_TRUE(interop.draws || !interop.works);
  EXPECT_EQ(interop.reason.find('\n'), std::string::npos) << interop.reason;
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  if (const auto probe = gpu::probe_gpu(); probe.gpu) {
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  } else {
    EXPECT_EQ(interop.reason, probe.reason);
  }
  RecordProperty("interop", interop.works ? "works" : interop.reason);
}

constexpr gpu::Size shapes[] = {{1, 1}, {1, 4000}, {4000, 1}, {37, 21}, {37, 21}, {1920, 1080}, {64, 64}};

TEST_F(SharedTextureCudaTest, InteropShowsThePicture) {
  if (!interop_.works) GTEST_SKIP() << interop_.reason;
  SharedTexture texture(true, "");
  for (int seed = 0; seed < 3; ++seed)
    for (const auto size : shapes) show_and_compare(texture, size, seed);
  EXPECT_TRUE(texture.interop()) << texture.reason();
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(SharedTextureCudaTest, TheStagedPathShowsThePicture) {
  SharedTexture texture(false, "requested");
  for (int seed = 0; seed < 3; ++seed)
    for (const auto size : shapes) show_and_compare(texture, size, seed);
  EXPECT_FALSE(texture.interop());
  EXPECT_EQ(texture.reason(), "requested");
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

// The GPU is kept busy while more pictures are queued than the ring has slots: the last one must be shown.
TEST_F(SharedTextureCudaTest, TheNewestStagedPictureIsShown) {
  std::vector<gpu::Image<Rgba>> host, device;
  for (int seed = 0; seed < 7; ++seed) {
    host.push_back(make_picture({640, 480}, seed));
    device.push_back(on_gpu(host.back()));
  }
  SharedTexture texture(false, "requested");
  gpu::Context context = gpu::Context::on_stream(stream_, {});
  for (std::size_t i = 0; i < device.size(); ++i)
    texture.show(context, device[i].view(), annotations_of(static_cast<double>(i)));
  texture.flush();
  EXPECT_EQ(differences(texture, host.back().view()), 0);
  ASSERT_EQ(texture.annotations().size(), 1u);
  EXPECT_EQ(texture.annotations()[0].value, 6);
}

TEST_F(SharedTextureCudaTest, ASwitchOfDeviceOrPathShowsTheNewestPicture) {
  SharedTexture texture(interop_.works, interop_.reason);
  show_and_compare(texture, {100, 50}, 1);
  const auto from_host = make_picture({100, 50}, 2);
  texture.show(host_, from_host.view());
  EXPECT_EQ(differences(texture, from_host.view()), 0);
  show_and_compare(texture, {100, 50}, 3);
}

TEST_F(SharedTextureCudaTest, AWipeHasTheColumnsOfBothSides) {
  const auto a = make_picture({101, 50}, 1), b = make_picture({101, 50}, 2);
  const auto left = on_gpu(a), right = on_gpu(b);
  gpu::Context context = gpu::Context::on_stream(stream_, {});
  for (const bool interop : {false, interop_.works}) {
    SharedTexture texture(interop, "requested");
    for (const int edge : {0, 1, 50, 101}) {
      texture.show(context, {left.view(), right.view(), edge}, annotations_of(edge));
      texture.flush();
      gpu::Image<Rgba> expected({101, 50}, gpu::Device::host);
      copy_on_host({a.view(), b.view(), edge}, expected.view().data, expected.view().stride);
      EXPECT_EQ(differences(texture, expected.view()), 0) << edge << (interop ? " with interop" : "");
      EXPECT_EQ(texture.annotations()[0].value, edge);
    }
    EXPECT_EQ(texture.interop(), interop) << texture.reason();
  }
}

// A copy from the GPU still in flight must not replace a later picture of the host.
TEST_F(SharedTextureCudaTest, ALateCopyDoesNotReplaceANewerPicture) {
  SharedTexture texture(false, "requested");
  gpu::Context context = gpu::Context::on_stream(stream_, {});
  const auto late = on_gpu(make_picture({100, 50}, 1));
  texture.show(context, late.view(), annotations_of(1));
  EXPECT_TRUE(texture.annotations().empty()) << "they come with their picture";
  const auto newer = make_picture({100, 50}, 2);
  texture.show(host_, newer.view(), annotations_of(2));
  gpu::check(cudaStreamSynchronize(stream_));
  EXPECT_EQ(differences(texture, newer.view()), 0);
  EXPECT_EQ(texture.annotations()[0].value, 2);
}

// Annotations that cannot be fetched any more cost the picture that is on its way, and nothing is thrown afterwards.
TEST_F(SharedTextureCudaTest, AGpuThatIsLostAfterTheCopyCostsTheStagedPicture) {
  SharedTexture texture(false, "requested");
  gpu::Context context = gpu::Context::on_stream(stream_, {});
  const auto first = make_picture({100, 50}, 1);
  const auto on_gpu_1 = on_gpu(first), on_gpu_2 = on_gpu(make_picture({100, 50}, 2));
  texture.show(context, on_gpu_1.view(), annotations_of(1));
  texture.flush();
  texture.show(context, on_gpu_2.view(), PictureAnnotations([](bool) -> std::optional<PictureAnnotations::List> {
                 gpu::check(cudaErrorIllegalAddress);
                 return {};
               }));
  gpu::check(cudaStreamSynchronize(stream_));
  EXPECT_NO_THROW(texture.texture());
  EXPECT_EQ(differences(texture, first.view()), 0);
  ASSERT_NO_THROW(texture.annotations());
  ASSERT_EQ(texture.annotations().size(), 1u);
  EXPECT_EQ(texture.annotations()[0].value, 1);
}

// The window is drawn with it: nothing may be thrown there.
TEST_F(SharedTextureCudaTest, AnErrorOfOpenglCostsTheStagedPictureThatHasArrived) {
  SharedTexture texture(false, "requested");
  for (int seed = 0; seed < 6; seed += 2) {
    show_and_compare(texture, {100, 50}, seed);
    EXPECT_EQ(texture.take_error(), "");
    gpu::Context context = gpu::Context::on_stream(stream_, {});
    const auto next = on_gpu(make_picture({100, 50}, seed + 1));
    texture.show(context, next.view());
    gpu::check(cudaStreamSynchronize(stream_));
    glEnable(GL_ALPHA);  // it is nothing that can be enabled: the next check finds an error
    EXPECT_NO_THROW(texture.texture());
    EXPECT_NE(texture.take_error(), "");
    EXPECT_EQ(texture.take_error(), "") << "once";
  }
}

TEST_F(SharedTextureCudaTest, AFailedMappingSwitchesToTheStagedPathWithTheReason) {
  if (interop_.works) GTEST_SKIP() << "interop works here: nothing fails";
  SharedTexture texture(true, "");
  show_and_compare(texture, {40, 30}, 1);
  EXPECT_FALSE(texture.interop());
  EXPECT_FALSE(texture.reason().empty());
}

// Pictures that a GPU draws on the surface of a texture.
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
    const gpu::PicturePixels all_of_the_first(source.view(), source.view(), host.size().width);
    gpu::draw_wipe(context, all_of_the_first, gpu::Canvas::with_surface(pixels.view(), surface));
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
