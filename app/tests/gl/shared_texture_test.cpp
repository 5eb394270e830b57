#include "app/gl/shared_texture.h"

#include <glad/gl.h>

#include <optional>
#include <vector>

#include "app/gl/gl_error.h"
#include "app/gl/picture_texture.h"
#include "app/gl/readback_ring.h"
#include "app/tests/display/offscreen_test.h"

namespace app::gl {
namespace {

using gpu::Rgba;

// Every pixel differs from its neighbours, and from those of another seed.
gpu::Image<Rgba> make_picture(gpu::Size size, int seed) {
  gpu::Image<Rgba> image(size, gpu::Device::host);
  const auto view = image.view();
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      view(x, y) = {static_cast<std::uint8_t>(x * 3 + seed), static_cast<std::uint8_t>(y * 5 + seed * 7),
                    static_cast<std::uint8_t>((x ^ y) + seed), 255};
  return image;
}

// The number of pixels that differ between the texture and the picture.
int differences(SharedTexture& texture, gpu::ImageView<const Rgba> picture) {
  EXPECT_EQ(texture.size(), picture.size());
  std::vector<Rgba> seen(texture.size().pixels());
  glBindTexture(GL_TEXTURE_2D, texture.texture());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
  int count = 0;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const Rgba a = seen[static_cast<std::size_t>(y * picture.width + x)];
      const Rgba b = picture(x, y);
      count += a.r != b.r || a.g != b.g || a.b != b.b || a.a != b.a;
    }
  return count;
}

class SharedTextureTest : public OffscreenTest {
 protected:
  gpu::ThreadPool pool_{1};
  gpu::Context host_ = gpu::Context::on_host(pool_, {});
};

TEST_F(SharedTextureTest, holds_nothing_before_the_first_picture) {
  SharedTexture texture(false, "no interop in this test");
  EXPECT_EQ(texture.texture(), 0u);
  EXPECT_EQ(texture.size(), (gpu::Size{0, 0}));
  EXPECT_FALSE(texture.interop());
  EXPECT_EQ(texture.reason(), "no interop in this test");
}

TEST_F(SharedTextureTest, shows_host_pictures_of_every_shape) {
  SharedTexture texture(false, "host");
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 4000}, {4000, 1}, {37, 21}, {64, 64}, {960, 540}}) {
    const auto picture = make_picture(size, 3);
    texture.show(host_, picture.view());
    EXPECT_EQ(differences(texture, picture.view()), 0) << size.width << "x" << size.height;
  }
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

// Annotations that are told apart by their value.
std::vector<gpu::Annotation> annotations_of(double value) {
  gpu::Annotation label;
  label.value = value;
  return {label};
}

TEST_F(SharedTextureTest, annotations_are_of_the_picture_in_it) {
  SharedTexture texture(false, "host");
  EXPECT_TRUE(texture.annotations().empty());
  const auto picture = make_picture({50, 40}, 1);
  texture.show(host_, picture.view(), annotations_of(7));
  ASSERT_EQ(texture.annotations().size(), 1u);
  EXPECT_EQ(texture.annotations()[0].value, 7);
  EXPECT_THROW(texture.show(host_, {picture.view().data, 1 << 20, 1, 1 << 20}, annotations_of(8)), GlError);
  EXPECT_EQ(texture.annotations()[0].value, 7) << "a picture that was refused";
  texture.show(host_, picture.view());
  EXPECT_TRUE(texture.annotations().empty());
}

// Annotations that come when the test says so, or when they are waited for.
struct LateAnnotations {
  explicit LateAnnotations(double value) : value(value) {}

  double value;
  bool there = false;
  PictureAnnotations handle{[this](bool wait) -> std::optional<PictureAnnotations::List> {
    there = there || wait;
    if (!there) return {};
    return annotations_of(value);
  }};
};

class LateAnnotationsTest : public SharedTextureTest {
 protected:
  void show(int seed, const PictureAnnotations& annotations) {
    texture_.show(host_, make_picture({50, 40}, seed).view(), annotations);
  }
  // The picture and the annotations that are shown are the ones of that number.
  void expect_shown(int seed) {
    EXPECT_EQ(differences(texture_, make_picture({50, 40}, seed).view()), 0) << seed;
    ASSERT_EQ(texture_.annotations().size(), 1u);
    EXPECT_EQ(texture_.annotations()[0].value, seed);
  }

  SharedTexture texture_{false, "host"};
  LateAnnotations second_{2}, third_{3}, fourth_{4};
};

TEST_F(LateAnnotationsTest, a_picture_is_shown_when_its_annotations_have_arrived) {
  show(1, annotations_of(1));
  show(2, second_.handle);
  expect_shown(1);
  second_.there = true;
  expect_shown(2);
  show(3, third_.handle);
  expect_shown(2);
  show(4, fourth_.handle);
  third_.there = true;
  expect_shown(3);
  fourth_.there = true;
  expect_shown(4);
}

// However late they are, there is always one that is shown next.
TEST_F(LateAnnotationsTest, of_more_than_two_pictures_the_oldest_and_the_newest_are_shown) {
  show(1, annotations_of(1));
  LateAnnotations between{5};
  for (const auto* late : {&second_, &between, &third_, &fourth_}) show(static_cast<int>(late->value), late->handle);
  expect_shown(1);
  for (auto* late : {&second_, &between, &third_}) late->there = true;
  expect_shown(2);
  fourth_.there = true;
  expect_shown(4);
}

TEST_F(LateAnnotationsTest, a_picture_whose_annotations_are_there_comes_before_older_ones) {
  show(1, annotations_of(1));
  show(2, second_.handle);
  show(3, annotations_of(3));
  second_.there = true;
  expect_shown(3);
  show(4, fourth_.handle);
  expect_shown(3);
  fourth_.there = true;
  expect_shown(4);
}

TEST_F(LateAnnotationsTest, a_lost_gpu_costs_the_pictures_under_way_and_nothing_else) {
  bool lost = false;
  const PictureAnnotations failing([&](bool) -> std::optional<PictureAnnotations::List> {
    if (lost) gpu::check(cudaErrorIllegalAddress);
    return {};
  });
  show(1, annotations_of(1));
  show(2, failing);
  lost = true;
  EXPECT_NO_THROW(show(3, annotations_of(3)));
  expect_shown(3);
  lost = false;
  show(2, failing);
  lost = true;
  expect_shown(3);
  EXPECT_NO_THROW(show(4, fourth_.handle));
  fourth_.there = true;
  expect_shown(4);
}

TEST_F(LateAnnotationsTest, flush_waits_for_the_newest) {
  show(2, second_.handle);
  EXPECT_EQ(texture_.texture(), 0u);
  show(3, third_.handle);
  second_.there = true;
  texture_.flush();
  expect_shown(3);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(SharedTextureTest, the_texture_is_kept_while_the_size_is_unchanged) {
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

TEST_F(SharedTextureTest, a_too_large_picture_is_refused_and_the_previous_one_stays) {
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

TEST_F(SharedTextureTest, the_copy_is_timed) {
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

// Software OpenGL uploads directly, a GPU through buffers. Both ways work on both.
TEST_F(SharedTextureTest, both_upload_paths_give_the_same_picture) {
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

TEST_F(SharedTextureTest, the_probe_succeeds_or_gives_a_reason) {
  const Interop interop = probe_interop();
  EXPECT_EQ(interop.works, interop.reason.empty());
  EXPECT_EQ(interop.reason.find('\n'), std::string::npos) << interop.reason;
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  if (const auto probe = gpu::probe_gpu(); probe.gpu) {
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  } else {
    EXPECT_EQ(interop.reason, probe.reason);
  }
  RecordProperty("interop", interop.works ? "works" : interop.reason);
}

// With a GPU: the same pictures through CUDA, on both paths.
class CudaTextureTest : public SharedTextureTest {
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

  gpu::Image<Rgba> on_gpu(const gpu::Image<Rgba>& host) {
    gpu::Image<Rgba> image(host.size(), gpu::Device::cuda);
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

constexpr gpu::Size shapes[] = {{1, 1}, {1, 4000}, {4000, 1}, {37, 21}, {37, 21}, {1920, 1080}, {64, 64}};

TEST_F(CudaTextureTest, interop_shows_the_picture) {
  if (!interop_.works) GTEST_SKIP() << interop_.reason;
  SharedTexture texture(true, "");
  for (int seed = 0; seed < 3; ++seed)
    for (const auto size : shapes) show_and_compare(texture, size, seed);
  EXPECT_TRUE(texture.interop()) << texture.reason();
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(CudaTextureTest, the_staged_path_shows_the_picture) {
  SharedTexture texture(false, "requested");
  for (int seed = 0; seed < 3; ++seed)
    for (const auto size : shapes) show_and_compare(texture, size, seed);
  EXPECT_FALSE(texture.interop());
  EXPECT_EQ(texture.reason(), "requested");
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

// The GPU is kept busy while more pictures are queued than the ring has slots: the last one must be shown.
TEST_F(CudaTextureTest, the_newest_staged_picture_is_shown) {
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

TEST_F(CudaTextureTest, a_switch_of_device_or_path_shows_the_newest_picture) {
  SharedTexture texture(interop_.works, interop_.reason);
  show_and_compare(texture, {100, 50}, 1);
  const auto from_host = make_picture({100, 50}, 2);
  texture.show(host_, from_host.view());
  EXPECT_EQ(differences(texture, from_host.view()), 0);
  show_and_compare(texture, {100, 50}, 3);
}

// A copy from the GPU still in flight must not replace a later picture of the host.
TEST_F(CudaTextureTest, a_late_copy_does_not_replace_a_newer_picture) {
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

TEST_F(CudaTextureTest, a_failed_mapping_switches_to_the_staged_path_with_the_reason) {
  if (interop_.works) GTEST_SKIP() << "interop works here: nothing fails";
  SharedTexture texture(true, "");
  show_and_compare(texture, {40, 30}, 1);
  EXPECT_FALSE(texture.interop());
  EXPECT_FALSE(texture.reason().empty());
}

}  // namespace
}  // namespace app::gl
