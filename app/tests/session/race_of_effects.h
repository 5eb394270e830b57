// What the tests of races share that draw an effect: pictures with a face in them, and a race step by step.
#pragma once

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <span>
#include <string_view>

#include "app/session/race.h"
#include "app/session/race_bench.h"
#include "app/support/files.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/execution/thread_pool.h"

namespace app {

// A quarter of the astronaut: faces larger than the smallest windows.
inline capture::Frame small_astronaut(bool page_locked = false) {
  cv::Mat image;
  cv::resize(cv::imread(asset("astronaut.png").string(), cv::IMREAD_COLOR), image, {256, 256}, 0, 0, cv::INTER_AREA);
  capture::Frame frame;
  frame.resize({image.cols, image.rows}, page_locked);
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x) {
      const auto& pixel = image.at<cv::Vec3b>(y, x);
      frame.writable()(x, y) = {pixel[0], pixel[1], pixel[2]};
    }
  return frame;
}

inline const RaceRow* find(const Race& race, std::string_view label) {
  const auto& rows = race.figures().rows;
  const auto at = std::ranges::find(rows, label, &RaceRow::label);
  return at == rows.end() ? nullptr : &*at;
}

class RaceOfEffects : public testing::Test {
 protected:
  void choose(std::string_view effect, std::string_view parameter = {}, std::string_view value = {}) {
    settings_.effect = effect;
    if (!parameter.empty()) settings_.effect_values[std::string(effect)][std::string(parameter)] = value;
  }
  void show(Engine& engine, const capture::Frame& frame) { ASSERT_TRUE(engine.process(frame, settings_)); }
  void step(Race& race, Engine& engine) {
    race.wait(std::chrono::seconds(1));
    race.step(engine, settings_, {1, "astronaut"});
  }
  template <class Done>
  void step_until(Race& race, Engine& engine, Done&& done) {
    for (int i = 0; i < 100'000 && !done(); ++i) step(race, engine);
    ASSERT_TRUE(done());
  }
  void finish(Race& race, Engine& engine) {
    race.start();
    step_until(race, engine, [&] { return race.finished(); });
  }

  Settings settings_;
};

// What is wrong with blurred channels whose tables this lane computes, also on the host, where the effect itself needs none; empty:
// nothing.
inline std::string problem_of_blur(gpu::Device device, const RaceLane& lane) {
  constexpr gpu::Size size{40, 30};
  const bool cuda = device == gpu::Device::cuda;
  gpu::ThreadPool pool(2);
  const auto context_in = [&](std::span<std::byte> workspace) {
    return cuda ? gpu::Context::on_stream(nullptr, workspace) : gpu::Context::on_host(pool, workspace);
  };
  auto first = context_in({});
  static const gpu::Effect with_tables = [] {
    auto effect = *gpu::find_effect("box_blur");
    effect.tables = [](const gpu::Arguments&, gpu::Device) { return gpu::Tables{.channels = true}; };
    return effect;
  }();
  auto selection = selection_of(cuda ? "2r1w" : "host_serial", "box_blur", device);
  selection.effect = &with_tables;
  EffectBench bench(first, race_effect(selection, size), size);
  auto dry = gpu::Context::dry(device, pool.threads());
  bench.plan(dry, nullptr);
  bench.plan(dry, &lane);
  const gpu::Buffer<std::byte> workspace(dry.workspace_bytes(), device);
  auto context = context_in(workspace.span());

  const gpu::Image<gpu::Bgr> colour(size, device);
  const gpu::Image<std::uint8_t> gray(size, device);
  const gpu::Image<std::uint32_t> sums(size, device);  // which the channels' blur does not read
  for (const auto memory : {std::as_writable_bytes(colour.span()), std::as_writable_bytes(gray.span())})
    if (cuda)
      gpu::check(cudaMemset(memory.data(), 100, memory.size()));
    else
      std::memset(memory.data(), 100, memory.size());
  bench.take_picture(nullptr, colour.view(), gray.view());
  const EffectBench::Frame frame{gray.view(), sums.view()};
  bench.make_reference(context, frame);
  bench.spoil(context);
  bench.run(context, frame, lane);
  bench.check(context);
  if (cuda) gpu::check(cudaDeviceSynchronize());
  EXPECT_TRUE(bench.checked());
  return bench.problem();
}

}  // namespace app
