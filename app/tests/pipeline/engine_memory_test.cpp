// Engine where memory is exhausted for a moment: that costs a picture at most, never the program.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>

#include "app/pipeline/engine.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/vision/cascade_files.h"

namespace {

// So many allocations of this thread from now on succeed, and the one after them fails; below 0: none fails.
thread_local long allocations_left = -1;

}  // namespace

// Inline, GCC takes new and free() for a pair that does not match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace app {
namespace {

Settings choice_of(const char* effect) {
  Settings settings;
  settings.device = DeviceChoice::host;
  settings.host_algorithm = "host_serial";
  settings.effect = effect;
  return settings;
}

// Another choice of files makes follow() and begin() look at what is prepared, and copy selections.
TEST(EngineMemoryTest, AnAllocationThatFailsCostsAPictureAtMost) {
  const auto frame = ramp_frame({64, 48});
  long failed = 0;
  for (bool fails = true; fails; ++failed) {
    Engine engine({{}, "no driver"});
    auto settings = choice_of("faces");
    ASSERT_TRUE(engine.process(frame, settings));
    settings.effect_values["faces"]["cascade"] = "/nowhere/a_name_too_long_for_a_short_string.xml";
    allocations_left = failed;
    EXPECT_NO_THROW(engine.follow(settings)) << failed;
    EXPECT_NO_THROW(engine.begin(frame, settings)) << failed;
    fails = allocations_left < 0;
    allocations_left = -1;
    while (engine.busy()) engine.finish(std::chrono::seconds(1));
    EXPECT_TRUE(engine.process(frame, choice_of("none"))) << failed;
    EXPECT_EQ(engine.selection().effect->name, "none") << failed;
  }
  EXPECT_GT(failed, 10);
}

// Who draws a still picture asks once whether it has another one.
TEST(EngineMemoryTest, AChoiceThatFailsForLackOfMemoryIsNewTheNextTime) {
  long failed = 0;
  for (bool fails = true; fails; ++failed) {
    Engine engine({{}, "no driver"});
    allocations_left = failed;
    const bool changed = engine.follow(choice_of("none"));
    fails = allocations_left < 0;
    allocations_left = -1;
    EXPECT_TRUE(changed || engine.follow(choice_of("none"))) << failed;
    EXPECT_FALSE(engine.follow(choice_of("none"))) << failed;
  }
  EXPECT_GT(failed, 10);
}

// All of it, not the part for which there was memory the first time.
TEST(EngineMemoryTest, WhatEffectsAreFromTheStartIsBuiltOnceThereIsMemory) {
  const auto bundled = gpu::vision::find_shared_cascade(gpu::vision::bundled_cascade);
  long failed = 0;
  for (bool fails = true; fails; ++failed) {
    const auto users = bundled.use_count();
    Preloader preloader;
    const auto chosen = selection_of("host_serial", "none");
    allocations_left = failed;
    try {
      preloader.begin(chosen);
    } catch (const std::bad_alloc&) {}
    fails = allocations_left < 0;
    allocations_left = -1;
    preloader.begin(chosen);
    for (int turn = 0; bundled.use_count() == users && turn < 5000; ++turn)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_GT(bundled.use_count(), users) << failed;
  }
  EXPECT_GT(failed, 10);
}

}  // namespace
}  // namespace app
