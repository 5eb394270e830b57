// Lanes on the GPU: two from one upload, annotations without waiting, memory allocated ahead.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "app/pipeline/pipeline.h"
#include "app/support/download.h"
#include "gpu/device.h"
#include "gpu/error.h"

namespace app {
namespace {

class LanesOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto probe = gpu::probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
  }
};

capture::Frame ramp_frame(gpu::Size size, int slope) {
  capture::Frame frame;
  frame.resize(size, true);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const auto level = static_cast<std::uint8_t>(x * slope + y * 5);
      frame.writable()(x, y) = {level, static_cast<std::uint8_t>(level / 2), static_cast<std::uint8_t>(255 - level)};
    }
  return frame;
}

Selection selection_of(std::string_view algorithm, std::string_view effect) {
  const auto& a = *gpu::find_sat_algorithm(algorithm);
  const auto& e = *gpu::find_effect(effect);
  return {&a, gpu::Arguments(a.parameters), &e, gpu::Arguments(e.parameters), false, gpu::Device::cuda};
}

template <class T>
bool same(const gpu::Image<T>& a, const gpu::Image<T>& b) {
  if (a.size() != b.size()) return false;
  for (int y = 0; y < a.size().height; ++y)
    if (std::memcmp(a.view().row(y), b.view().row(y), static_cast<std::size_t>(a.size().width) * sizeof(T)) != 0)
      return false;
  return true;
}

TEST_F(LanesOnGpu, MakeTwoPicturesOfOneUpload) {
  const auto frame = ramp_frame({641, 361}, 3);
  const Selection both[] = {selection_of("1r1w_skss_lb", "box_blur"), selection_of("2r1w", "sat_view")};
  Pipeline pipeline(gpu::Device::cuda);
  for (int i = 0; i < 3; ++i)
    pipeline.process(frame, both, [&](gpu::Context& context, const Picture& picture) {
      Pipeline alone(gpu::Device::cuda);
      alone.process(frame, both[picture.lane]);
      EXPECT_TRUE(same(download(context, picture.pixels), download(alone.context(), alone.picture().pixels)));
      EXPECT_TRUE(same(download(context, picture.sat), download(alone.context(), alone.picture().sat)));
    });
}

// Never the value of the previous frame: it arrives with the picture, and complete() checks that without waiting.
TEST_F(LanesOnGpu, AnnotationsAreOfThePictureTheyComeWith) {
  auto haar = selection_of("1r1w_skss_lb", "haar");
  for (const auto* name : {"x", "y"}) haar.effect_arguments.set(name, "0");
  for (const auto* name : {"width", "height"}) haar.effect_arguments.set(name, "8");
  Pipeline pipeline(gpu::Device::cuda);
  for (int i = 0; i < 50; ++i) {
    const auto frame = ramp_frame({640, 360}, 1 + i % 7);
    pipeline.compute(frame, haar);
    while (!pipeline.complete()) std::this_thread::yield();
    pipeline.publish([&](gpu::Context& context, const Picture& picture) {
      const auto gray = download(context, picture.gray);
      double value = 0;
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) value += gray.view()(8 + x, y) - gray.view()(x, y);
      ASSERT_EQ(picture.annotations.size(), 4u);
      EXPECT_EQ(picture.annotations.back().value, value) << i;
    });
  }
  pipeline.process(ramp_frame({640, 360}, 1), selection_of("1r1w_skss_lb", "none"));
  EXPECT_TRUE(pipeline.picture().annotations.empty());
}

TEST_F(LanesOnGpu, ChoosingAnAlgorithmAllocatesNothing) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto frame = ramp_frame({1280, 720}, 3);
  const auto free_after = [&](const Selection& selection) {
    for (int i = 0; i < 3; ++i) pipeline.process(frame, selection);
    gpu::check(cudaDeviceSynchronize());
    std::size_t free = 0, total = 0;
    gpu::check(cudaMemGetInfo(&free, &total));
    return free;
  };
  free_after(selection_of("2r1w", "none"));
  const auto bytes = pipeline.memory_bytes();
  // More than once, because CUDA loads a kernel into memory when it is first started, and because free memory is the whole
  // GPU's: another program may take some meanwhile, but not each time.
  bool the_same = false;
  for (int attempt = 0; attempt < 6 && !the_same; ++attempt) {
    std::size_t least = ~std::size_t{0}, most = 0;
    for (const auto* algorithm : gpu::sat_algorithms()) {
      if (algorithm->device != gpu::Device::cuda || !gpu::why_unavailable(*algorithm).empty()) continue;
      const auto free = free_after(selection_of(algorithm->name, "box_blur"));
      EXPECT_EQ(pipeline.memory_bytes(), bytes) << algorithm->name;
      least = std::min(least, free);
      most = std::max(most, free);
    }
    the_same = least == most;
  }
  EXPECT_TRUE(the_same);
}

}  // namespace
}  // namespace app
