// The pipeline on the GPU compared with the host, and what it keeps when the GPU's memory is exhausted.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "app/pipeline/engine.h"
#include "app/pipeline/frame_figures.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/preloader.h"
#include "app/support/exit_code.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/kernel_loading.h"
#include "gpu/execution/timeline.h"

namespace app {
namespace {

class PipelineOnGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    probe_ = gpu::probe_gpu();
    if (!probe_.gpu) GTEST_SKIP() << probe_.reason;
  }
  gpu::GpuProbe probe_;
};

TEST_F(PipelineOnGpuTest, EveryAlgorithmAndEffectGivesTheHostsPicture) {
  const auto& serial = *gpu::find_sat_algorithm("host_serial");
  for (const gpu::Size size : {gpu::Size{1, 1}, {1, 300}, {300, 1}, {127, 65}, {641, 361}})
    for (const auto* effect : gpu::all_effects()) {
      const auto frame = noise_frame(size, 1, true);
      Pipeline host(gpu::Device::host);
      try {
        host.process(frame, selection_of(serial, *effect, gpu::Device::host));
      } catch (const gpu::ArgumentError&) {
        continue;  // a feature that does not fit
      }
      for (const auto* algorithm : gpu::sat_algorithms()) {
        if (algorithm->device != gpu::Device::cuda || !gpu::why_unavailable(*algorithm).empty()) continue;
        SCOPED_TRACE(std::string(algorithm->name) + ", " + std::string(effect->name) + ", " + std::to_string(size.width) +
                     "x" + std::to_string(size.height));
        Pipeline pipeline(gpu::Device::cuda);
        pipeline.process(frame, selection_of(*algorithm, *effect, gpu::Device::cuda));
        EXPECT_TRUE(same(download(pipeline.context(), pipeline.picture().gray), host.picture().gray));
        EXPECT_TRUE(same(download(pipeline.context(), pipeline.picture().sat), host.picture().sat));
        EXPECT_TRUE(same(download(pipeline.context(), pipeline.picture().pixels), host.picture().pixels.left));
      }
    }
}

TEST_F(PipelineOnGpuTest, TheSlotIsFreeWhenItsPixelsHaveBeenRead) {
  Pipeline pipeline(gpu::Device::cuda);
  EXPECT_TRUE(pipeline.uploaded());
  const auto frame = noise_frame({640, 360}, 1, true);
  pipeline.process(frame, selection_of("2r1w", "none", gpu::Device::cuda));
  gpu::check(cudaDeviceSynchronize());
  EXPECT_TRUE(pipeline.uploaded());
}

TEST_F(PipelineOnGpuTest, WhatIsTimedIsTheSelectionsChoice) {
  auto selection = selection_of("2r1w", "none", gpu::Device::cuda);
  const auto frame = noise_frame({640, 360}, 1, true);
  const auto timed = [&](TimingChoice timing) {
    selection.timing = timing;
    Pipeline pipeline(gpu::Device::cuda);
    std::optional<gpu::TimelineFrame> times;
    for (int i = 0; i < 2; ++i) {  // first launches are not timed
      pipeline.process(frame, selection);
      gpu::check(cudaDeviceSynchronize());
      times = pipeline.take_times();
    }
    return *times;
  };
  const auto names = [](const gpu::TimelineFrame& times) {
    std::string all;
    for (const auto& time : stage_times(times)) all += *time.path + ' ';
    return all;
  };
  const auto off = timed(TimingChoice::off);
  EXPECT_FALSE(off.timed);
  EXPECT_EQ(off.points, 0);
  const auto whole = timed(TimingChoice::frame);
  EXPECT_EQ(names(whole), "frame ");
  EXPECT_EQ(whole.points, 2);
  const auto kernels = timed(TimingChoice::kernels);
  EXPECT_EQ(names(kernels), "upload wait for the GPU luma 2r1w 2r1w/tile sums 2r1w/prefix sums 2r1w/tile tables none ");
  // A point at each end, and one at each begin that is not the end before: the first of all, and where the host was slow.
  EXPECT_GE(kernels.points, 1 + 7);
  EXPECT_LE(kernels.points, 2 * 7);
  EXPECT_EQ(kernels.spans[0].kind, gpu::SpanKind::transfer);
  EXPECT_EQ(kernels.spans[1].kind, gpu::SpanKind::wait);
  EXPECT_EQ(kernels.spans[2].kind, gpu::SpanKind::compute);
  // The device comes to each span after the host began to queue it, or a short gap before, where it shares a point; drift
  // between clocks is far below a microsecond here.
  constexpr double gap = std::chrono::duration<double, std::micro>(gpu::Timeline::longest_shared_gap).count();
  for (const auto& span : kernels.spans)
    if (span.timed) {
      EXPECT_GE(kernels.first_point + span.started, span.enqueued - gap - 1) << kernels.path(span);
    }
}

TEST_F(PipelineOnGpuTest, TimingHasALimitUnlessEveryLaunchIsWanted) {
  const auto frame = noise_frame({64, 48}, 1, true);
  auto selection = selection_of("2r1w", "none", gpu::Device::cuda);
  for (const auto timing : {TimingChoice::kernels, TimingChoice::every}) {
    selection.timing = timing;
    Pipeline pipeline(gpu::Device::cuda);
    constexpr int frames = 2000;
    double timing_us = 0;
    int timed = 0;
    pipeline.process(frame, selection);  // first launches are not timed
    gpu::check(cudaDeviceSynchronize());
    pipeline.take_times();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < frames; ++i) {
      pipeline.process(frame, selection);
      gpu::check(cudaDeviceSynchronize());
      const auto times = pipeline.take_times();
      ASSERT_TRUE(times);
      timing_us += times->timing_us;
      timed += times->timed;
    }
    const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
    constexpr double first_us = 2000, longest_frame_us = 2000;
    if (timing == TimingChoice::every) {
      EXPECT_EQ(timed, frames);
    } else if (timed < frames) {
      EXPECT_LE(timing_us, 0.01 * passed.count() + first_us + longest_frame_us);
    }
  }
}

TEST_F(PipelineOnGpuTest, SteadyFramesAllocateNothing) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto selection = selection_of("1r1w_skss_lb", "box_blur", gpu::Device::cuda);
  const auto frame = noise_frame({640, 360}, 1, true);
  const auto free_after = [&](int frames) {
    for (int i = 0; i < frames; ++i) {
      pipeline.process(frame, selection);
    }
    gpu::check(cudaDeviceSynchronize());
    std::size_t free = 0, total = 0;
    gpu::check(cudaMemGetInfo(&free, &total));
    return free;
  };
  // Free memory is the whole GPU's: another program may take some meanwhile, but not each time.
  bool the_same = false;
  for (int attempt = 0; attempt < 5 && !the_same; ++attempt) {
    const auto before = free_after(8);
    the_same = free_after(64) == before;
  }
  EXPECT_TRUE(the_same);
}

TEST_F(PipelineOnGpuTest, TimesEveryStepOfAFrame) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto frame = noise_frame({640, 360}, 1, true);
  const auto times_of_frame = [&] {
    pipeline.process(frame, selection_of("1r1w_skss_lb", "none", gpu::Device::cuda));
    gpu::check(cudaDeviceSynchronize());
    return pipeline.take_times();
  };
  const auto first = times_of_frame();
  ASSERT_TRUE(first);
  EXPECT_GT(first->first_launches, 0);
  EXPECT_FALSE(first->timed);
  const auto times = times_of_frame();
  ASSERT_TRUE(times);
  EXPECT_EQ(times->first_launches, 0);
  StageStatistics statistics;
  statistics.add(*times);
  const auto rows = statistics.rows();
  ASSERT_GE(rows.size(), 6u);
  EXPECT_EQ(rows[0].name, "upload");
  EXPECT_EQ(rows[1].name, "wait for the GPU");
  EXPECT_EQ(rows[2].name, "luma");
  EXPECT_EQ(rows[3].name, "1r1w_skss_lb");
  EXPECT_FALSE(rows[3].leaf);
  EXPECT_EQ(rows.back().name, "none");
  for (const auto& row : rows) EXPECT_GT(row.mean, 0) << row.name;
}

// CUDA knows all of them, and whoever has loaded them leaves the thread as it was.
TEST_F(PipelineOnGpuTest, EveryListedKernelCanBeLoadedAhead) {
  gpu::KernelLoading loading(probe_.gpu->index);
  int loaded = 0;
  list_kernels(gpu::Device::cuda, [&](const Kernels& kernels) {
    for (const auto* kernel : kernels) {
      EXPECT_NO_THROW(loading.load(kernel));
      ++loaded;
    }
    return !HasFailure();
  });
  EXPECT_GT(loaded, 100);
  EXPECT_THROW(loading.load(&loaded), gpu::CudaError) << "it is no kernel";
  Pipeline pipeline(gpu::Device::cuda);
  EXPECT_NO_THROW(pipeline.process(noise_frame({640, 360}, 1, true), selection_of("2r1w", "haar", gpu::Device::cuda)));
  gpu::check(cudaDeviceSynchronize());
}

// While the engine's thread loads the rest.
TEST_F(PipelineOnGpuTest, WhatIsChosenIsShownOnceItsKernelsAreLoaded) {
  Engine engine(probe_);
  const auto frame = noise_frame({320, 200});
  Settings settings;
  settings.device = DeviceChoice::cuda;
  for (const auto* algorithm : {"2r1w", "1r1w_skss_lb", "prefix_tree", "ha_blocks"}) {
    settings.cuda_algorithm = algorithm;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    do {
      ASSERT_TRUE(engine.process(frame, settings));
      EXPECT_EQ(engine.awaits_choice(), engine.selection().algorithm->name != algorithm);
    } while (engine.awaits_choice() && std::chrono::steady_clock::now() < end);
    EXPECT_EQ(engine.selection().algorithm->name, algorithm);
  }
}

TEST_F(PipelineOnGpuTest, ExhaustedMemoryKeepsTheLastPicture) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto selection = selection_of("2r1w", "none", gpu::Device::cuda);
  pipeline.process(noise_frame({320, 200}, 1, true), selection);
  const auto before = download(pipeline.context(), pipeline.picture().pixels);
  const auto large = noise_frame({8192, 4096}, 1, true);

  std::size_t free = 0, total = 0;
  gpu::check(cudaMemGetInfo(&free, &total));
  constexpr std::size_t left = std::size_t{128} << 20;  // the large frame needs more
  std::vector<gpu::Buffer<std::byte>> taken;
  for (std::size_t piece = free; piece > left; piece /= 2)
    for (;;) {
      gpu::check(cudaMemGetInfo(&free, &total));
      if (free < left + piece) break;
      try {
        taken.emplace_back(piece, gpu::Device::cuda);
      } catch (const gpu::CudaError&) {
        break;  // it is fragmented
      }
    }
  gpu::check(cudaMemGetInfo(&free, &total));
  ASSERT_LT(free, std::size_t{500} << 20);

  try {
    pipeline.process(large, selection);
    ADD_FAILURE() << "there was enough memory";
  } catch (const ExitError& error) {
    EXPECT_NE(std::string(error.what()).find("of the GPU's memory"), std::string::npos) << error.what();
  }
  EXPECT_EQ(pipeline.size(), (gpu::Size{320, 200}));
  EXPECT_TRUE(same(download(pipeline.context(), pipeline.picture().pixels), before));
  EXPECT_NO_THROW(pipeline.process(noise_frame({320, 200}, 2, true), selection));
  taken.clear();
  EXPECT_NO_THROW(pipeline.process(large, selection));
}

TEST_F(PipelineOnGpuTest, TheEngineSwitchesDevicesWithoutAWrongPicture) {
  Engine engine(probe_);
  engine.keep_going(false);
  const auto frame = noise_frame({320, 200});
  Settings settings;
  settings.effect = "box_blur";
  std::optional<gpu::Image<gpu::Rgba>> first;
  for (const auto device : {DeviceChoice::cuda, DeviceChoice::host, DeviceChoice::cuda}) {
    settings.device = device;
    ASSERT_TRUE(engine.process(frame, settings));
    EXPECT_EQ(engine.device(), device == DeviceChoice::cuda ? gpu::Device::cuda : gpu::Device::host);
    auto picture = download(engine.pipeline().context(), engine.pipeline().picture().pixels);
    if (first) {
      EXPECT_TRUE(same(picture, *first));
    }
    first = std::move(picture);
  }
}

}  // namespace
}  // namespace app
