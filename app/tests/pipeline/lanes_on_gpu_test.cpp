// Lanes on the GPU: two from one upload, annotations without waiting, memory allocated ahead.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "app/pipeline/pipeline.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/support/stream_gate.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/execution/timeline.h"

namespace app {
namespace {

class LanesOnGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto probe = gpu::probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
  }
};

TEST_F(LanesOnGpuTest, MakeTwoPicturesOfOneUpload) {
  const auto frame = ramp_frame({641, 361}, 3, true);
  const Selection both[] = {selection_of("1r1w_skss_lb", "box_blur", gpu::Device::cuda),
                            selection_of("2r1w", "sat_view", gpu::Device::cuda)};
  Pipeline pipeline(gpu::Device::cuda);
  for (int i = 0; i < 3; ++i)
    pipeline.process(frame, both, [&](gpu::Context& context, const Picture& picture) {
      Pipeline alone(gpu::Device::cuda);
      alone.process(frame, both[picture.lane]);
      EXPECT_TRUE(same(download(context, picture.pixels), download(alone.context(), alone.picture().pixels)));
      EXPECT_TRUE(same(download(context, picture.sat), download(alone.context(), alone.picture().sat)));
    });
}

Selection small_haar(std::string_view algorithm, gpu::Device device) {
  auto haar = selection_of(algorithm, "haar", device);
  for (const auto* name : {"x", "y"}) haar.effect_arguments.set(name, "0");
  for (const auto* name : {"width", "height"}) haar.effect_arguments.set(name, "8");
  return haar;
}

// What the host says of the same frame.
double value_of(const capture::Frame& frame) {
  Pipeline host(gpu::Device::host);
  host.process(frame, small_haar("host_serial", gpu::Device::host));
  return host.picture().annotations.list().back().value;
}

// Never the value of another frame, whether it is asked for at once, two frames later, or in the end.
TEST_F(LanesOnGpuTest, AnnotationsAreOfThePictureTheyComeWith) {
  constexpr int slopes = 7;
  std::vector<capture::Frame> frames;
  for (int slope = 1; slope <= slopes; ++slope) frames.push_back(ramp_frame({640, 360}, slope, true));
  std::vector<double> values;
  for (const auto& frame : frames) values.push_back(value_of(frame));
  for (const int later : {0, 2, 50}) {
    Pipeline pipeline(gpu::Device::cuda);
    std::vector<PictureAnnotations> kept;
    const auto check = [&](int i) {
      const auto list = kept[static_cast<std::size_t>(i)].list();
      ASSERT_EQ(list.size(), 4u);
      EXPECT_EQ(list.back().value, values[static_cast<std::size_t>(i % slopes)]) << i << ", asked " << later << " later";
    };
    for (int i = 0; i < 50; ++i) {
      pipeline.process(frames[static_cast<std::size_t>(i % slopes)], small_haar("1r1w_skss_lb", gpu::Device::cuda),
                       [&](gpu::Context&, const Picture& picture) { kept.push_back(picture.annotations); });
      if (i >= later) check(i - later);
    }
    for (int i = std::max(0, 50 - later); i < 50; ++i) check(i);
    pipeline.process(frames[0], selection_of("1r1w_skss_lb", "none", gpu::Device::cuda));
    EXPECT_TRUE(pipeline.picture().annotations.list().empty());
  }
}

// Two pictures with annotations are under way at once, and nobody waits for either.
TEST_F(LanesOnGpuTest, PicturesWithAnnotationsAreUnderWayLikeOthers) {
  cudaStream_t stream = nullptr;
  gpu::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    Pipeline pipeline(gpu::Device::cuda, stream);
    const capture::Frame frames[] = {ramp_frame({640, 360}, 1, true), ramp_frame({640, 360}, 2, true)};
    const auto haar = small_haar("1r1w_skss_lb", gpu::Device::cuda);
    std::vector<PictureAnnotations> kept;
    const PictureSink sink = [&](gpu::Context& context, const Picture& picture) {
      kept.push_back(picture.annotations);
      context.call("to the sink", [](cudaStream_t) {});
    };
    // First what takes time once: kernels are loaded, memory and events are created.
    for (int i = 0; i < 2 * gpu::Timeline::frames_in_flight; ++i) pipeline.process(frames[0], haar, sink);
    gpu::check(cudaStreamSynchronize(stream));
    while (pipeline.take_times()) continue;
    kept.clear();
    StreamGate gate(stream);
    for (const auto& frame : frames) pipeline.process(frame, haar, sink);
    for (const auto& annotations : kept) EXPECT_FALSE(annotations.arrived());
    EXPECT_FALSE(pipeline.take_times());
    EXPECT_FALSE(gate.late()) << "something waited for the GPU";
    gate.open();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(kept[static_cast<std::size_t>(i)].list().back().value, value_of(frames[i])) << i;
    gpu::check(cudaStreamSynchronize(stream));
    for (int i = 0; i < 2; ++i) {  // and the timeline has all of each, its sink included
      const auto times = pipeline.take_times();
      ASSERT_TRUE(times);
      ASSERT_GE(times->spans.size(), 2u);
      EXPECT_EQ(times->path(times->spans.back()), "to the sink");
      EXPECT_EQ(times->path(times->spans[times->spans.size() - 2]), "annotations");
      EXPECT_TRUE(times->spans.back().timed);
    }
  }
  cudaStreamDestroy(stream);
}

TEST_F(LanesOnGpuTest, ChoosingAnAlgorithmAllocatesNothing) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto frame = ramp_frame({1280, 720}, 3, true);
  const auto free_after = [&](const Selection& selection) {
    for (int i = 0; i < 3; ++i) pipeline.process(frame, selection);
    gpu::check(cudaDeviceSynchronize());
    std::size_t free = 0, total = 0;
    gpu::check(cudaMemGetInfo(&free, &total));
    return free;
  };
  free_after(selection_of("2r1w", "none", gpu::Device::cuda));
  const auto bytes = pipeline.memory_bytes();
  // More than once, because CUDA loads a kernel into memory when it is first started, and because free memory is the whole
  // GPU's: another program may take some meanwhile, but not each time.
  bool the_same = false;
  for (int attempt = 0; attempt < 6 && !the_same; ++attempt) {
    std::size_t least = ~std::size_t{0}, most = 0;
    for (const auto* algorithm : gpu::sat_algorithms()) {
      if (algorithm->device != gpu::Device::cuda || !gpu::why_unavailable(*algorithm).empty()) continue;
      for (const auto* effect : {"box_blur", "haar"}) {
        const auto free = free_after(selection_of(algorithm->name, effect, gpu::Device::cuda));
        EXPECT_EQ(pipeline.memory_bytes(), bytes) << algorithm->name << ", " << effect;
        least = std::min(least, free);
        most = std::max(most, free);
      }
    }
    the_same = least == most;
  }
  EXPECT_TRUE(the_same);
}

}  // namespace
}  // namespace app
