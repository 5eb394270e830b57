// Every effect on the GPU makes the same picture as on the host, bit for bit.
#include <gtest/gtest.h>

#include "gpu/execution/readback.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/effects/effect_cases.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/surface_array.h"

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

Picture picture_of(const SurfaceArray& array, Size size) { return {size, static_cast<int>(sizeof(Rgba)), array.bytes()}; }

enum class Target { gray, rgba, surface, both };

// `prepared`: of an earlier run; null: it is prepared anew.
Picture run_on_device(const EffectCase& effect_case, const DeviceFrame& frame, const SatAlgorithm& algorithm, Target target,
                      std::vector<Annotation>& annotations, std::shared_ptr<const void> prepared = {}) {
  const auto& effect = effect_named(effect_case.effect);
  const auto arguments = effect_case.arguments();
  const Arguments algorithm_arguments(algorithm.parameters);
  auto unused = Context::on_stream(nullptr, {});
  if (!prepared) prepared = prepare_effect(unused, effect, arguments, frame.gray.size());
  EffectInput input{frame.colour.view(), frame.gray.view(), {}, prepared.get(), &algorithm, &algorithm_arguments};
  input.tables.sum = frame.sat.view();
  const Image<std::uint8_t> gray(frame.gray.size(), Device::cuda);
  const Image<Rgba> rgba(frame.gray.size(), Device::cuda);
  const SurfaceArray surface(frame.gray.size());
  const int capacity = effect.annotation_capacity(arguments);
  const Buffer<std::byte> list(annotation_bytes(capacity), Device::cuda);
  if (capacity > 0) check(cudaMemset(list.data(), 0, annotation_bytes(capacity)));  // unused entries are read back, too
  const EffectOutput output{target == Target::gray   ? Canvas{gray.view(), {}}
                            : target == Target::rgba ? Canvas{{}, rgba.view()}
                            : target == Target::both ? Canvas::with_surface(rgba.view(), surface.object())
                                                     : Canvas::on_surface(surface.object(), frame.gray.size()),
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
  const auto drawn = [&] { return picture_of(surface, frame.gray.size()); };
  if (target == Target::both) {
    EXPECT_TRUE(drawn() == download(rgba));
  }
  return target == Target::gray ? download(gray) : target == Target::surface ? drawn() : download(rgba);
}

const SatAlgorithm* device_algorithm() {
  if (const auto* best = find_sat_algorithm("1r1w_skss_lb")) return best;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->device == Device::cuda) return algorithm;
  return nullptr;
}

#ifdef SATSCOPE_SIMULATED
constexpr Size large_frame{323, 161};
#else
constexpr Size large_frame{643, 481};
#endif

using EffectOnGpuTest = NeedsGpu<testing::TestWithParam<Size>>;
using EffectOnGpuFacesTest = NeedsGpu<testing::Test>;

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

// Frame after frame: what is remembered in between lies on the device.
TEST_F(EffectOnGpuFacesTest, MarksAndHidesTheSameFacesAsTheHost) {
  ThreadPool pool(1);
  auto host = Context::on_host(pool, {}), device = Context::on_stream(nullptr, {});
  for (const char* show : {"frame", "blurred", "pixelated", "depth"}) {
    const EffectCase faces{"faces", {{"show", show}, {"inside", "frontalface_alt2"}, {"min_size", "30"}}};
    const auto arguments = faces.arguments();
    const auto on_host = prepare_effect(host, effect_named("faces"), arguments, {200, 160});
    const auto on_device = prepare_effect(device, effect_named("faces"), arguments, {200, 160});
    for (int step = 0; step < 3; ++step) {
      const auto frame = frame_with({{60, 80 - 10 * step, 70}, {150, 60 + 20 * step, 50}});
      std::vector<Annotation> expected_annotations, annotations;
      const auto expected = run_on_host(effect_named("faces"), arguments, frame, false, 2, &expected_annotations, on_host);
      ASSERT_EQ(expected_annotations.size(), 8u);
      EXPECT_TRUE(run_on_device(faces, DeviceFrame(frame), *device_algorithm(), Target::rgba, annotations, on_device) ==
                  expected)
          << show << ' ' << step;
      EXPECT_TRUE(same(annotations, expected_annotations)) << show << ' ' << step;
    }
  }
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
                                         large_frame),
                         [](const auto& info) {
                           return std::to_string(info.param.width) + "x" + std::to_string(info.param.height);
                         });

}  // namespace
}  // namespace gpu::test
