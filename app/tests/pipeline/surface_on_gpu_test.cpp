// Pictures that the pipeline draws on the surface of a texture, and into memory where somebody wants them.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "app/control/selection.h"
#include "app/pipeline/engine.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/pixel_probe.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/pictures/canvas.h"

namespace app {
namespace {

constexpr gpu::Size size{641, 361};

// What OpenGL would show.
class ArrayOnGpu {
 public:
  ArrayOnGpu() {
    const auto format = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    gpu::check(cudaMallocArray(&array_, &format, size.width, size.height, cudaArraySurfaceLoadStore));
    surface_.emplace(array_);
  }
  ~ArrayOnGpu() {
    surface_.reset();
    cudaFreeArray(array_);
  }
  ArrayOnGpu(const ArrayOnGpu&) = delete;
  ArrayOnGpu& operator=(const ArrayOnGpu&) = delete;

  cudaSurfaceObject_t surface() const { return surface_->object(); }
  gpu::Image<gpu::Rgba> pixels() const {
    gpu::Image<gpu::Rgba> image(size, gpu::Device::host);
    const auto view = image.view();
    gpu::check(cudaDeviceSynchronize());
    gpu::check(cudaMemcpy2DFromArray(view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba), array_, 0, 0,
                                     size.width * sizeof(gpu::Rgba), size.height, cudaMemcpyDeviceToHost));
    return image;
  }

 private:
  cudaArray_t array_ = nullptr;
  std::optional<gpu::Surface> surface_;
};

class SurfaceOnGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto probe = gpu::probe_gpu(); !probe.gpu) GTEST_SKIP() << probe.reason;
    frame_ = noise_frame(size, 1, true);
    array_.emplace();
  }

  static Selection compared(Composition::Mode mode) {
    auto comparison = selection_of("2r1w", "box_blur", gpu::Device::cuda);
    comparison.sides = {selection_of("2r1w", "none", gpu::Device::cuda), comparison};
    comparison.composition.mode = mode;
    return comparison;
  }
  // Computes and publishes with a surface. Whether the picture is said to be on it.
  bool draw(Pipeline& pipeline, std::span<const Selection> lanes) {
    pipeline.compute(frame_, lanes, 0, [&](gpu::Context&, gpu::Size wanted) {
      EXPECT_EQ(wanted, size);
      return std::optional(array_->surface());
    });
    const bool drawn = pipeline.publish().pictures().back().on_surface;
    gpu::check(cudaDeviceSynchronize());
    return drawn;
  }
  void expect_picture_on_surface(Pipeline& pipeline) {
    ASSERT_TRUE(pipeline.draw_pixels());
    EXPECT_TRUE(same(array_->pixels(),
                     gpu::ImageView<const gpu::Rgba>(download(pipeline.context(), pipeline.picture().pixels).view())));
  }

  capture::Frame frame_;  // until it is uploaded
  std::optional<ArrayOnGpu> array_;
};

TEST_F(SurfaceOnGpuTest, EveryEffectDrawsOnItWhatItWouldDrawIntoMemory) {
  for (const auto* effect : gpu::all_effects()) {
    SCOPED_TRACE(std::string(effect->name));
    Pipeline pipeline(gpu::Device::cuda);
    const auto selection = selection_of(*gpu::find_sat_algorithm("1r1w_skss_lb"), *effect, gpu::Device::cuda);
    EXPECT_TRUE(draw(pipeline, {&selection, 1}));
    expect_picture_on_surface(pipeline);
    EXPECT_FALSE(pipeline.picture().on_surface) << "once it was handed on, the surface may be used for another picture";
  }
}

TEST_F(SurfaceOnGpuTest, ADifferenceIsComposedOnItAndAWipeIsInMemoryAlone) {
  for (const auto mode : {Composition::Mode::wipe, Composition::Mode::difference}) {
    const bool wipe = mode == Composition::Mode::wipe;
    const auto comparison = compared(mode);
    Pipeline pipeline(gpu::Device::cuda);
    EXPECT_EQ(draw(pipeline, {&comparison, 1}), !wipe);
    EXPECT_EQ(pipeline.picture().in_memory(), wipe);
    if (!wipe) expect_picture_on_surface(pipeline);
  }
}

TEST_F(SurfaceOnGpuTest, AWipeThatMovesIsTheSameAsOneThatIsComputed) {
  auto comparison = compared(Composition::Mode::wipe);
  Pipeline pipeline(gpu::Device::cuda), all_anew(gpu::Device::cuda);
  pipeline.process(frame_, comparison);
  for (const double wipe : {0.25, 0.0, 1.0}) {
    comparison.composition.wipe = wipe;
    all_anew.process(frame_, comparison);
    const auto moved = download(pipeline.context(), pipeline.move_wipe(wipe).picture().pixels);
    EXPECT_TRUE(same(moved, download(all_anew.context(), all_anew.picture().pixels))) << wipe;
  }
}

TEST_F(SurfaceOnGpuTest, MemoryIsDrawnWhereSomebodySaysSo) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto blur = selection_of("1r1w_skss_lb", "box_blur", gpu::Device::cuda);
  const auto drawn = [&] {
    EXPECT_TRUE(draw(pipeline, {&blur, 1}));
    return pipeline.picture().drawn_bytes;
  };
  EXPECT_EQ(drawn(), 4);
  EXPECT_FALSE(pipeline.picture().in_memory());
  EXPECT_EQ(pipeline.picture().size(), size);
  expect_picture_on_surface(pipeline);
  EXPECT_TRUE(pipeline.picture().in_memory());
  EXPECT_EQ(drawn(), 4) << "of the picture before alone";
  pipeline.pixels_next();
  EXPECT_EQ(drawn(), 8);
  EXPECT_TRUE(pipeline.picture().in_memory());
  expect_picture_on_surface(pipeline);
  EXPECT_EQ(drawn(), 4) << "it was said once";
  expect_picture_on_surface(pipeline);
}

// What a picture was made by is forgotten when something else is chosen; what it was made of, when the next one is begun.
TEST_F(SurfaceOnGpuTest, APictureStaysUntilTheNextIsPublished) {
  const auto comparison = compared(Composition::Mode::difference);
  const auto view = selection_of("2r1w", "sat_view", gpu::Device::cuda);
  const auto haar = selection_of("one_wave", "haar", gpu::Device::cuda);
  for (const auto& [first, second] : {std::pair(view, haar), {haar, comparison}, {comparison, view}}) {
    Pipeline pipeline(gpu::Device::cuda);
    EXPECT_TRUE(draw(pipeline, {&first, 1}));
    const auto before = array_->pixels();
    pipeline.compute(frame_, second);
    ASSERT_TRUE(pipeline.draw_pixels());
    EXPECT_TRUE(same(download(pipeline.context(), pipeline.picture().pixels), before));
  }
}

TEST_F(SurfaceOnGpuTest, PixelsThatAreLostAreNotShown) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto blur = selection_of("2r1w", "box_blur", gpu::Device::cuda);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(draw(pipeline, {&blur, 1}));  // for the second one memory is allocated
  pipeline.compute(frame_, blur);
  EXPECT_FALSE(pipeline.draw_pixels());
  EXPECT_FALSE(pipeline.picture().in_memory());
  pipeline.publish();

  EXPECT_TRUE(draw(pipeline, {&blur, 1}));
  EXPECT_TRUE(draw(pipeline, {&blur, 1}));
  const auto fails = [](gpu::Context&, gpu::Size) -> std::optional<cudaSurfaceObject_t> {
    gpu::check(cudaErrorLaunchOutOfResources);
    return {};
  };
  EXPECT_THROW(pipeline.compute(frame_, blur, 0, fails), gpu::CudaError);
  EXPECT_FALSE(pipeline.draw_pixels()) << "what it was made of is overwritten";
  pipeline.compute(frame_, selection_of("2r1w", "none", gpu::Device::cuda));
  EXPECT_FALSE(pipeline.draw_pixels()) << "nor did another selection draw it";
  EXPECT_TRUE(draw(pipeline, {&blur, 1}));
  expect_picture_on_surface(pipeline);
}

TEST_F(SurfaceOnGpuTest, AProbeHasOnlyWhatItReadsDrawnIntoMemory) {
  Pipeline pipeline(gpu::Device::cuda);
  const auto blur = selection_of("1r1w_skss_lb", "box_blur", gpu::Device::cuda);
  PixelProbe probe;
  const auto update = [&](std::uint64_t number, int x) {
    gpu::PixelPlaces places;
    places.add(x, 2);
    return probe.update(pipeline, number, places);
  };
  EXPECT_TRUE(draw(pipeline, {&blur, 1}));
  EXPECT_FALSE(update(1, size.width)) << "outside";
  EXPECT_FALSE(pipeline.picture().in_memory());
  EXPECT_TRUE(update(1, 1));
  EXPECT_TRUE(pipeline.picture().in_memory());
  probe.wait();
  const auto pixels = download(pipeline.context(), pipeline.picture().pixels);
  ASSERT_TRUE(probe.pixels().at(1, 2));
  EXPECT_EQ(probe.pixels().at(1, 2)->shown.r, pixels.view()(1, 2).r);
}

TEST_F(SurfaceOnGpuTest, MemoryIsNotDrawnOfAPictureAfterOneThatFailed) {
  auto too_wide = selection_of("2r1w", "haar", gpu::Device::cuda);
  too_wide.effect_arguments.set("width", "600");
  Pipeline pipeline(gpu::Device::cuda);
  pipeline.pixels_next();
  EXPECT_THROW(draw(pipeline, {&too_wide, 1}), std::invalid_argument);
  const auto selection = selection_of("2r1w", "box_blur", gpu::Device::cuda);
  EXPECT_TRUE(draw(pipeline, {&selection, 1}));
  EXPECT_FALSE(pipeline.picture().in_memory());
}

TEST_F(SurfaceOnGpuTest, AFrameThatFailsLeavesTheSurfaceToTheNext) {
  auto too_wide = selection_of("2r1w", "haar", gpu::Device::cuda);
  too_wide.effect_arguments.set("width", "600");
  Pipeline pipeline(gpu::Device::cuda);
  EXPECT_THROW(draw(pipeline, {&too_wide, 1}), std::invalid_argument);
  const auto selection = selection_of("2r1w", "box_blur", gpu::Device::cuda);
  EXPECT_TRUE(draw(pipeline, {&selection, 1}));
  expect_picture_on_surface(pipeline);
}

TEST_F(SurfaceOnGpuTest, TheEngineDrawsOnTheSurfaceThatItIsGiven) {
  Engine engine(gpu::probe_gpu());
  int asked = 0;
  engine.draw_on([&](gpu::Context&, gpu::Size) {
    ++asked;
    return std::optional(array_->surface());
  });
  Settings settings;
  settings.device = DeviceChoice::cuda;
  settings.effect = "box_blur";
  bool drawn = false;
  EXPECT_TRUE(engine.process(frame_, settings, [&](gpu::Context&, const Picture& picture) { drawn = picture.on_surface; }));
  EXPECT_TRUE(drawn);
  EXPECT_EQ(asked, 1);
  expect_picture_on_surface(engine.pipeline());
}

TEST_F(SurfaceOnGpuTest, SeveralLanesHaveNone) {
  const Selection two[] = {selection_of("2r1w", "none", gpu::Device::cuda),
                           selection_of("2r1w", "box_blur", gpu::Device::cuda)};
  Pipeline pipeline(gpu::Device::cuda);
  EXPECT_FALSE(draw(pipeline, two));
}

}  // namespace
}  // namespace app
