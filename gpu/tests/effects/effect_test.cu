// Every effect on the GPU makes the same picture as on the host, bit for bit.
#include <gtest/gtest.h>

#include "gpu/readback.h"
#include "gpu/surface.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/effects/effect_cases.h"

namespace gpu::test {
namespace {

template <class T>
Picture download(const Image<T>& image) {
  Image<T> host(image.size(), Device::host);
  copy_pixels(image, host);
  return tight<T>(host.view());
}

struct DeviceFrame {
  Image<Bgr> colour;
  Image<std::uint8_t> gray;
  Image<std::uint32_t> sat;

  explicit DeviceFrame(const HostFrame& frame)
      : colour(frame.size(), Device::cuda), gray(frame.size(), Device::cuda), sat(frame.size(), Device::cuda) {
    copy_pixels(frame.colour, colour);
    copy_pixels(frame.gray, gray);
    copy_pixels(frame.sat, sat);
  }
};

// An array of Rgba pixels that kernels write to through a surface.
class SurfaceImage {
 public:
  explicit SurfaceImage(Size size) : size_(size), array_(new_array(size)), surface_(array_) {}
  ~SurfaceImage() { cudaFreeArray(array_); }
  SurfaceImage(const SurfaceImage&) = delete;
  SurfaceImage& operator=(const SurfaceImage&) = delete;

  Canvas canvas() const { return Canvas::on_surface(surface_.object(), size_); }
  Canvas canvas_with(ImageView<Rgba> pixels) const { return Canvas::with_surface(pixels, surface_.object()); }
  Picture picture() const {
    Picture picture{size_, static_cast<int>(sizeof(Rgba)), std::vector<std::uint8_t>(size_.pixels() * sizeof(Rgba))};
    const auto row = static_cast<std::size_t>(size_.width) * sizeof(Rgba);
    check(cudaMemcpy2DFromArray(picture.bytes.data(), row, array_, 0, 0, row, static_cast<std::size_t>(size_.height),
                                cudaMemcpyDeviceToHost));
    return picture;
  }

 private:
  static cudaArray_t new_array(Size size) {
    cudaArray_t array = nullptr;
    const auto format = cudaCreateChannelDesc<uchar4>();
    check(cudaMallocArray(&array, &format, static_cast<std::size_t>(size.width), static_cast<std::size_t>(size.height),
                          cudaArraySurfaceLoadStore));
    return array;
  }

  Size size_;
  cudaArray_t array_;
  Surface surface_;
};

enum class Target { gray, rgba, surface, both };

Picture run_on_device(const EffectCase& effect_case, const DeviceFrame& frame, const SatAlgorithm& algorithm, Target target,
                      std::vector<Annotation>& annotations) {
  const auto& effect = effect_named(effect_case.effect);
  const auto arguments = effect_case.arguments();
  const Arguments algorithm_arguments(algorithm.parameters);
  EffectInput input{frame.colour.view(), frame.gray.view(), {}, nullptr, &algorithm, &algorithm_arguments};
  input.tables.sum = frame.sat.view();
  const Image<std::uint8_t> gray(frame.gray.size(), Device::cuda);
  const Image<Rgba> rgba(frame.gray.size(), Device::cuda);
  const SurfaceImage surface(frame.gray.size());
  const int capacity = effect.annotation_capacity(arguments);
  const Buffer<std::byte> list(annotation_bytes(capacity), Device::cuda);
  if (capacity > 0) check(cudaMemset(list.data(), 0, annotation_bytes(capacity)));  // unused entries are read back, too
  const EffectOutput output{target == Target::gray   ? Canvas{gray.view(), {}}
                            : target == Target::rgba ? Canvas{{}, rgba.view()}
                            : target == Target::both ? surface.canvas_with(rgba.view())
                                                     : surface.canvas(),
                            annotations_in(list.data(), capacity)};
  auto dry = Context::dry(Device::cuda);
  run_effect(dry, effect, input, output, arguments);
  Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
  auto context = Context::on_stream(nullptr, workspace.span());
  run_effect(context, effect, input, output, arguments);

  Readback readback(Device::cuda, annotation_bytes(capacity));
  if (capacity > 0) readback.queue(context, "annotations", list.data(), annotation_bytes(capacity));
  check(cudaDeviceSynchronize());
  EXPECT_TRUE(readback.arrived());
  annotations.clear();
  if (capacity > 0) annotations = written(annotations_in(const_cast<std::byte*>(readback.bytes().data()), capacity));
  if (target == Target::both) {
    EXPECT_TRUE(surface.picture() == download(rgba));
  }
  return target == Target::gray ? download(gray) : target == Target::surface ? surface.picture() : download(rgba);
}

const SatAlgorithm* device_algorithm() {
  if (const auto* best = find_sat_algorithm("1r1w_skss_lb")) return best;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->device == Device::cuda) return algorithm;
  return nullptr;
}

class EffectOnGpuTest : public testing::TestWithParam<Size> {
 protected:
  void SetUp() override {
    if (const auto probe = probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
  }
};

TEST_P(EffectOnGpuTest, MakesTheSamePictureAsTheHost) {
  const auto* algorithm = device_algorithm();
  ASSERT_NE(algorithm, nullptr);
  const auto frame = HostFrame::noise(GetParam(), 5);
  const DeviceFrame on_device(frame);
  for (const auto& effect_case : effect_cases()) {
    SCOPED_TRACE(effect_case.text());
    const auto& effect = effect_named(effect_case.effect);
    const auto arguments = effect_case.arguments();
    for (const auto target : {Target::gray, Target::rgba, Target::surface, Target::both}) {
      if (target == Target::gray && effect.channels(arguments) != 1) continue;
      std::vector<Annotation> expected_annotations, annotations;
      try {
        const auto expected = run_on_host(effect, arguments, frame, target == Target::gray, 2, &expected_annotations);
        ASSERT_TRUE(run_on_device(effect_case, on_device, *algorithm, target, annotations) == expected);
        ASSERT_TRUE(same(annotations, expected_annotations));
      } catch (const ArgumentError&) {  // a feature that does not fit this frame does not fit on the device either
        ASSERT_THROW(run_on_device(effect_case, on_device, *algorithm, target, annotations), ArgumentError);
      }
    }
  }
}

TEST_P(EffectOnGpuTest, LumaEqualsThatOfTheHost) {
  const auto frame = HostFrame::noise(GetParam(), 6);
  const DeviceFrame on_device(frame);
  Image<std::uint8_t> gray(frame.size(), Device::cuda);
  auto context = Context::on_stream(nullptr, {});
  luma(context, on_device.colour.view(), gray.view());
  check(cudaDeviceSynchronize());
  EXPECT_TRUE(download(gray) == tight<std::uint8_t>(frame.gray.view()));
}

// Rows that begin anywhere, and at multiples of four bytes, for which there is a kernel of its own.
TEST_P(EffectOnGpuTest, LumaOfEveryStrideEqualsThatOfTheHost) {
  const auto frame = HostFrame::noise(GetParam(), 7);
  const auto size = frame.size();
  for (const int stride : {size.width, size.width + 1, (size.width + 3) / 4 * 4}) {
    const Buffer<Bgr> pixels(static_cast<std::size_t>(stride) * static_cast<std::size_t>(size.height), Device::cuda);
    const ImageView<Bgr> colour{const_cast<Bgr*>(pixels.data()), size.width, size.height, stride};
    copy_pixels<Bgr>(frame.colour.view(), colour);
    Image<std::uint8_t> gray(size, Device::cuda);
    auto context = Context::on_stream(nullptr, {});
    luma(context, colour, gray.view());
    check(cudaDeviceSynchronize());
    EXPECT_TRUE(download(gray) == tight<std::uint8_t>(frame.gray.view())) << stride;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EffectOnGpuTest,
                         testing::Values(Size{1, 1}, Size{1, 70}, Size{70, 1}, Size{33, 17}, Size{127, 129}, Size{256, 64},
                                         Size{643, 481}),
                         [](const auto& info) {
                           return std::to_string(info.param.width) + "x" + std::to_string(info.param.height);
                         });

}  // namespace
}  // namespace gpu::test
