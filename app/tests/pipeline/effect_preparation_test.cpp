// EffectPreparation: what effects build once is made by one thread, one after another.
#include "app/pipeline/effect_preparation.h"

#include <gtest/gtest.h>

#include "gpu/effect.h"

namespace app {
namespace {

using namespace std::chrono_literals;

Selection faces_with(const char* cascade) {
  const auto* effect = gpu::find_effect("faces");
  gpu::Arguments arguments(effect->parameters);
  arguments.set("cascade", cascade);
  return {nullptr, {}, effect, arguments, TimingChoice::off, gpu::Device::host};
}

TEST(EffectPreparationTest, WhatEffectsAreFromTheStartWaitsForAFile) {
  EffectPreparation preparation;
  const auto faces = faces_with("frontalface_default"), none = faces_with("frontalface_alt2");
  ASSERT_FALSE(preparation.has(faces, none)) << "it is begun";
  EXPECT_FALSE(preparation.prepare_initial(gpu::Device::host)) << "the thread is busy";
  for (int i = 0; i < 100 && !preparation.has(faces, none); ++i) preparation.wait(100ms);
  EXPECT_TRUE(preparation.has(faces, none));
  EXPECT_TRUE(preparation.prepare_initial(gpu::Device::host));
}

}  // namespace
}  // namespace app
