// Every effect on the GPU gives the host's picture, bit for bit.
#include <gtest/gtest.h>

#include "gpu/tests/effects/effect_cases.h"

namespace gpu::test {
namespace {

template <class T>
void upload(ImageView<const T> from, ImageView<T> to) {
  check(cudaMemcpy2D(to.data, static_cast<std::size_t>(to.stride) * sizeof(T), from.data,
                     static_cast<std::size_t>(from.stride) * sizeof(T),
                     static_cast<std::size_t>(from.width) * sizeof(T), static_cast<std::size_t>(from.height),
                     cudaMemcpyDefault));
}

template <class T>
Picture download(const Image<T>& image) {
  Image<T> host(image.size(), Device::host);
  upload<T>(image.view(), host.view());
  return tight<T>(host.view());
}

struct DeviceFrame {
  Image<Bgr> colour;
  Image<std::uint8_t> gray;
  Image<std::uint32_t> sat;

  explicit DeviceFrame(const HostFrame& frame)
      : colour(frame.size(), Device::cuda), gray(frame.size(), Device::cuda), sat(frame.size(), Device::cuda) {
    upload<Bgr>(frame.colour.view(), colour.view());
    upload<std::uint8_t>(frame.gray.view(), gray.view());
    upload<std::uint32_t>(frame.sat.view(), sat.view());
  }
};

Picture run_on_device(const EffectCase& effect_case, const DeviceFrame& frame, const SatAlgorithm& algorithm,
                      bool gray_canvas) {
  const auto& effect = effect_named(effect_case.effect);
  const auto arguments = effect_case.arguments();
  const Arguments algorithm_arguments(algorithm.parameters);
  const EffectInput input{frame.colour.view(), frame.gray.view(), frame.sat.view(), &algorithm, &algorithm_arguments};
  Image<std::uint8_t> gray(frame.gray.size(), Device::cuda);
  Image<Rgba> rgba(frame.gray.size(), Device::cuda);
  const Canvas canvas = gray_canvas ? Canvas{gray.view(), {}} : Canvas{{}, rgba.view()};
  auto dry = Context::dry(Device::cuda);
  effect.run(dry, input, canvas, arguments);
  Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
  auto context = Context::on_stream(nullptr, workspace.span());
  effect.run(context, input, canvas, arguments);
  check(cudaDeviceSynchronize());
  return gray_canvas ? download(gray) : download(rgba);
}

const SatAlgorithm* device_algorithm() {
  if (const auto* best = find_sat_algorithm("1r1w_skss_lb")) return best;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->device == Device::cuda) return algorithm;
  return nullptr;
}

class EffectOnGpu : public testing::TestWithParam<Size> {
 protected:
  void SetUp() override {
    if (const auto probe = probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
  }
};

TEST_P(EffectOnGpu, GivesTheHostsPicture) {
  const auto* algorithm = device_algorithm();
  ASSERT_NE(algorithm, nullptr);
  const auto frame = HostFrame::noise(GetParam(), 5);
  const DeviceFrame on_device(frame);
  for (const auto& effect_case : effect_cases()) {
    SCOPED_TRACE(effect_case.text());
    const auto& effect = effect_named(effect_case.effect);
    const auto arguments = effect_case.arguments();
    for (const bool gray_canvas : {true, false}) {
      if (gray_canvas && effect.channels(arguments) != 1) continue;
      try {
        const auto expected = run_on_host(effect, arguments, frame, gray_canvas);
        ASSERT_TRUE(run_on_device(effect_case, on_device, *algorithm, gray_canvas) == expected);
      } catch (const ArgumentError&) {  // a feature that does not fit this frame does not fit it on the device either
        ASSERT_THROW(run_on_device(effect_case, on_device, *algorithm, gray_canvas), ArgumentError);
      }
    }
  }
}

TEST_P(EffectOnGpu, LumaIsTheHosts) {
  const auto frame = HostFrame::noise(GetParam(), 6);
  const DeviceFrame on_device(frame);
  Image<std::uint8_t> gray(frame.size(), Device::cuda);
  auto context = Context::on_stream(nullptr, {});
  luma(context, on_device.colour.view(), gray.view());
  check(cudaDeviceSynchronize());
  EXPECT_TRUE(download(gray) == tight<std::uint8_t>(frame.gray.view()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, EffectOnGpu,
                         testing::Values(Size{1, 1}, Size{1, 70}, Size{70, 1}, Size{33, 17}, Size{127, 129},
                                         Size{256, 64}, Size{643, 481}),
                         [](const auto& info) {
                           return std::to_string(info.param.width) + "x" + std::to_string(info.param.height);
                         });

}  // namespace
}  // namespace gpu::test
