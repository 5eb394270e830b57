// Lanes: several selections on one frame; what a lane prepares; memory allocated ahead.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "app/pipeline/lane.h"
#include "app/pipeline/pipeline.h"
#include "app/support/simulated_gpu.h"
#include "app/tests/pipeline/frames.h"

namespace {

std::atomic<int> allocations = 0;  // of images and workspaces: gpu/cuda/memory.cpp takes them from aligned_alloc()

}  // namespace

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

namespace app {
namespace {

TEST(LanesTest, MakeTwoPicturesOfOneUpload) {
  const auto frame = ramp_frame({64, 48});
  const Selection both[] = {selection_of("host_serial", "box_blur"), selection_of("host_parallel", "sat_view")};
  Pipeline pipeline(gpu::Device::host), one(gpu::Device::host), other(gpu::Device::host);
  one.process(frame, both[0]);
  other.process(frame, both[1]);
  for (int i = 0; i < 3; ++i) {
    int lanes = 0;
    pipeline.process(frame, both, [&](gpu::Context&, const Picture& picture) {
      const auto& expected = lanes == 0 ? one : other;
      EXPECT_EQ(picture.lane, lanes++);
      EXPECT_TRUE(same(picture.pixels, expected.picture().pixels)) << picture.lane;
      EXPECT_TRUE(same(picture.sat, expected.picture().sat)) << picture.lane;
      EXPECT_TRUE(same(picture.gray, expected.picture().gray)) << picture.lane;
    });
    EXPECT_EQ(lanes, 2);
  }
  EXPECT_FALSE(same(pipeline.picture(0).pixels, pipeline.picture(1).pixels));
}

// On another thread, lanes may be added meanwhile: a read of what they change is a race, which sanitizers find.
TEST(LanesTest, AreAddedWhileThePictureIsRead) {
  const std::vector<Selection> wanted(9, selection_of("host_serial", "none"));
  const auto frame = ramp_frame({30, 20});
  for (int i = 0; i < 20; ++i) {
    Pipeline pipeline(gpu::Device::host);
    pipeline.process(frame, {wanted.data(), 1});
    const auto* pixels = pipeline.picture().pixels.left.data;
    std::atomic<bool> computed = false;
    std::jthread worker([&] {
      for (std::size_t lanes = 2; lanes <= wanted.size(); ++lanes) pipeline.compute(frame, {wanted.data(), lanes});
      computed = true;
    });
    while (!computed) ASSERT_EQ(pipeline.picture().pixels.left.data, pixels);
    worker.join();
    pipeline.publish();
    EXPECT_EQ(pipeline.picture(8).lane, 8);
  }
}

TEST(LanesTest, CanBeAddedAndRemoved) {
  const Selection both[] = {selection_of("host_serial", "none"), selection_of("host_serial", "sat_view")};
  Pipeline pipeline(gpu::Device::host);
  const auto count = [&](std::span<const Selection> lanes, gpu::Size size) {
    int pictures = 0;
    pipeline.process(ramp_frame(size), lanes, [&](auto&, const Picture& picture) {
      EXPECT_EQ(picture.size(), size);
      ++pictures;
    });
    return pictures;
  };
  EXPECT_EQ(count({both, 1}, {30, 20}), 1);
  EXPECT_EQ(count(both, {30, 20}), 2);
  EXPECT_EQ(count(both, {30, 20}), 2);
  EXPECT_EQ(count(both, {20, 40}), 2);
  EXPECT_EQ(count({both, 1}, {20, 40}), 1);
  EXPECT_EQ(count({both, 1}, {30, 20}), 1);
}

// host_serial, but one entry is wrong in the end.
const gpu::SatAlgorithm& faulty_algorithm() {
  static const gpu::SatAlgorithm faulty = [] {
    auto copy = *gpu::find_sat_algorithm("host_serial");
    copy.name = "faulty";
    copy.run = [](gpu::Context& context, gpu::AnyConstImageView image, gpu::AnyImageView sat,
                  const gpu::Arguments& arguments) {
      gpu::find_sat_algorithm("host_serial")->run(context, image, sat, arguments);
      if (!context.is_dry()) ++sat.as<std::uint32_t>()(17, 9);
    };
    return copy;
  }();
  return faulty;
}

TEST(LanesTest, CheckTheirTablesWhereTheSelectionAsks) {
  auto right = selection_of("host_parallel", "none");
  auto wrong = selection_of(faulty_algorithm(), *gpu::find_effect("none"), gpu::Device::host);
  const auto frame = ramp_frame({64, 48});
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(frame, right);
  EXPECT_TRUE(pipeline.picture().check.none());
  right.check = wrong.check = true;
  for (int i = 0; i < 3; ++i) {
    const Selection both[] = {right, wrong};
    pipeline.process(frame, both);
    ASSERT_TRUE(pipeline.picture(0).check.take());
    EXPECT_FALSE(pipeline.picture(0).check.take()->wrong);
    const auto* found = pipeline.picture(1).check.take();
    ASSERT_TRUE(found && found->wrong);
    const auto expected = pipeline.picture(0).sat(17, 9);
    EXPECT_EQ(*found->wrong, (gpu::WrongTable{4, 17, 9, expected, expected + 1}));
  }
}

// If one of two lanes fails, both keep their pictures, and the number of lanes stays.
TEST(LanesTest, AFailureOfOneKeepsThePicturesOfAll) {
  Selection both[] = {selection_of("host_serial", "none"), selection_of("host_serial", "sat_view")};
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(ramp_frame({64, 64}), both);
  auto too_wide = selection_of("host_serial", "haar");
  too_wide.effect_arguments.set("width", "100");
  const Selection wrong[] = {selection_of("host_serial", "box_blur"), too_wide, too_wide};
  EXPECT_THROW(pipeline.process(ramp_frame({64, 64}, 7), wrong), gpu::ArgumentError);
  Pipeline expected(gpu::Device::host);
  expected.process(ramp_frame({64, 64}), both);
  for (const int lane : {0, 1}) EXPECT_TRUE(same(pipeline.picture(lane).pixels, expected.picture(lane).pixels)) << lane;
}

// Those of a picture that somebody keeps are not those of later ones, whose copies go to the same memory.
TEST(LanesTest, AnnotationsAreOfThePictureTheyComeWithAndStayWithWhoeverKeepsThem) {
  Pipeline pipeline(gpu::Device::host);
  auto haar = selection_of("host_serial", "haar");
  for (const auto& [name, value] : {std::pair{"width", "8"}, {"height", "8"}, {"x", "0"}, {"y", "0"}})
    haar.effect_arguments.set(name, value);
  std::vector<std::pair<PictureAnnotations, double>> kept;
  for (const int slope : {1, 2, 3, 4, 5})
    pipeline.process(ramp_frame({640, 480}, slope), haar, [&](auto&, const Picture& picture) {
      double value = 0;
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) value += picture.gray(8 + x, y) - picture.gray(x, y);
      EXPECT_NE(value, 0);
      kept.emplace_back(picture.annotations, value);
      EXPECT_EQ(picture.annotations.list().back().value, value);
    });
  for (const auto& [annotations, value] : kept) {
    ASSERT_EQ(annotations.list().size(), 4u);
    EXPECT_EQ(annotations.list().back().value, value);
  }
  EXPECT_EQ(kept.size(), 5u);
  pipeline.process(ramp_frame({64, 48}), selection_of("host_serial", "none"));
  EXPECT_TRUE(pipeline.picture().annotations.list().empty());
}

// An effect that builds something once, and draws with it.
struct Built {
  int level;
  gpu::Size frame;
  int number;  // how many had been built before
};
int built = 0;
std::shared_ptr<const void> build(gpu::Context&, const gpu::Arguments& arguments, gpu::Size frame,
                                  std::shared_ptr<const void> previous) {
  const int level = arguments.integer("level");
  if (level > 200) throw gpu::ArgumentError("too bright");
  const auto* before = static_cast<const Built*>(previous.get());
  if (before && before->level == level && before->frame == frame) return previous;
  return std::make_shared<Built>(level, frame, built++);
}
void draw_built(gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output,
                const gpu::Arguments&) {
  if (static_cast<const Built*>(input.prepared)->frame != input.gray.size())
    throw gpu::ArgumentError("built for another size");
  const auto level = static_cast<std::uint8_t>(static_cast<const Built*>(input.prepared)->level);  // also in a dry replay
  context.parallel("draw", 1, [&](int) { output.canvas.put(0, 0, level); });
}
constexpr gpu::Parameter built_parameters[] = {gpu::integer("level", "10", 0, 255, ""), gpu::integer("x", "0", 0, 9, "")};
constexpr gpu::Effect prepared_effect{.name = "prepared",
                                      .title = {},
                                      .idea = {},
                                      .parameters = built_parameters,
                                      .channels = [](const gpu::Arguments&) { return 1; },
                                      .traffic = {},
                                      .prepare = build,
                                      .run = draw_built};

TEST(LanesTest, KeepTheStateThatAnEffectPrepares) {
  built = 0;
  auto selection = selection_of("host_serial", "none");
  selection.effect = &prepared_effect;
  selection.effect_arguments = gpu::Arguments(built_parameters);
  Pipeline pipeline(gpu::Device::host);
  const auto level_of = [&](gpu::Size size) {
    pipeline.process(ramp_frame(size), selection);
    return int{pipeline.picture().pixels(0, 0).g};
  };
  EXPECT_EQ(level_of({20, 10}), 10);
  EXPECT_EQ(level_of({20, 10}), 10);
  EXPECT_EQ(level_of({30, 10}), 10);
  selection.effect_arguments.set("x", "5");
  EXPECT_EQ(level_of({30, 10}), 10);
  EXPECT_EQ(built, 2) << "once for each size";
  selection.effect_arguments.set("level", "20");
  EXPECT_EQ(level_of({30, 10}), 20);
  EXPECT_EQ(built, 3);
  selection.effect_arguments.set("level", "201");
  EXPECT_THROW(level_of({30, 10}), gpu::ArgumentError);
  EXPECT_EQ(int{pipeline.picture().pixels(0, 0).g}, 20);
}

// Memory for every algorithm is allocated before it is chosen. `first` itself needs no scratch memory.
void choosing_allocates_nothing(gpu::Device device, std::string_view first) {
  Pipeline pipeline(device);
  const auto frame = ramp_frame({160, 90});
  const auto make = [&](const Selection& selection) {
    for (int i = 0; i < 2; ++i) pipeline.process(frame, selection);
  };
  make(selection_of(first, "none", device));
  int before = allocations;
  const auto bytes = pipeline.memory_bytes();
  for (const auto* effect : gpu::all_effects()) {
    if (effect->prepare) {  // which may allocate, once
      make(selection_of(first, effect->name, device));
      before = allocations;
    }
    for (const auto* algorithm : gpu::sat_algorithms()) {
      if (!gpu::runs_on(*algorithm, device)) continue;
      make(selection_of(algorithm->name, effect->name, device));
      ASSERT_EQ(allocations, before) << algorithm->name << ", " << effect->name;
      ASSERT_EQ(pipeline.memory_bytes(), bytes) << algorithm->name << ", " << effect->name;
    }
  }
}

TEST(LanesMemoryTest, ChoosingAnAlgorithmAllocatesNothingOnTheHost) {
  const int before = allocations;
  choosing_allocates_nothing(gpu::Device::host, "host_serial");
  EXPECT_GT(allocations, before);  // those of the first frame are counted
}

TEST(LanesMemoryTest, ChoosingAnAlgorithmAllocatesNothingOnTheSimulatedGpu) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  choosing_allocates_nothing(gpu::Device::simulated, "2r2w");
}

// With arguments of the effect that need more scratch memory than the initial ones.
TEST(LanesMemoryTest, IsPlannedForTheEffectsArguments) {
  Pipeline pipeline(gpu::Device::host);
  const auto frame = ramp_frame({320, 180});
  auto selection = selection_of("host_serial", "box_blur");
  selection.effect_arguments.set("colour", "on");
  selection.effect_arguments.set("passes", "4");
  pipeline.process(frame, selection);
  pipeline.process(frame, selection);
  const int before = allocations;
  selection.algorithm = gpu::find_sat_algorithm("host_parallel");
  selection.algorithm_arguments = gpu::Arguments(selection.algorithm->parameters);
  pipeline.process(frame, selection);
  EXPECT_EQ(allocations, before);
}

TEST(WorkspacePlanTest, BeyondTheBudgetNothingIsAllocatedAhead) {
  gpu::PersistentMemory persistent(gpu::Device::host);
  const gpu::Size size{640, 480};
  const auto bytes = [&](std::size_t budget) {
    return WorkspacePlan(gpu::Device::cuda, 0, size, persistent, budget).bytes();
  };
  const auto all = bytes(std::size_t{1} << 40);
  EXPECT_GT(all, size.pixels() * 16);  // the tables of three channels, and more
  EXPECT_EQ(bytes(all), all);
  EXPECT_LT(bytes(all - 1), all);
  EXPECT_EQ(bytes(0), 0u);

  // Likewise memory that persists.
  constexpr std::size_t budget = 100'000;
  EXPECT_GT(persistent.noted_bytes(), budget);
  gpu::PersistentMemory little(gpu::Device::host);
  EXPECT_LE(WorkspacePlan(gpu::Device::cuda, 0, size, little, budget).bytes(), budget);
  EXPECT_GT(little.noted_bytes(), 0u);
  EXPECT_LE(little.noted_bytes(), budget);
}

// Algorithms share some of it: counted for each of them, the last ones would seem to have no room.
TEST(WorkspacePlanTest, MemoryThatPersistsIsCountedOnce) {
  constexpr gpu::Size size{640, 480};
  gpu::PersistentMemory all(gpu::Device::host), exact(gpu::Device::host);
  WorkspacePlan(gpu::Device::cuda, 0, size, all, std::size_t{1} << 40);
  WorkspacePlan(gpu::Device::cuda, 0, size, exact, all.noted_bytes());
  EXPECT_EQ(exact.noted_bytes(), all.noted_bytes());
}

}  // namespace
}  // namespace app
