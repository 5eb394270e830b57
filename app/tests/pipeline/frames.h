// Frames, selections and comparisons for the tests of the pipeline, and a wait for what another thread does.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <thread>

#include "app/capture/frame.h"
#include "app/control/selection.h"
#include "app/pipeline/picture.h"
#include "gpu/image.h"
#include "gpu/tests/copy_pixels.h"

namespace app {

inline capture::Frame noise_frame(gpu::Size size, unsigned seed = 1, bool page_locked = false) {
  capture::Frame frame;
  frame.resize(size, page_locked);
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < size.pixels(); ++i) {
    const auto bits = random();
    frame.pixels.data()[i] = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                              static_cast<std::uint8_t>(bits >> 16)};
  }
  return frame;
}

inline capture::Frame ramp_frame(gpu::Size size, int slope = 3, bool page_locked = false) {
  capture::Frame frame;
  frame.resize(size, page_locked);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const auto level = static_cast<std::uint8_t>(x * slope + y * 5);
      frame.writable()(x, y) = {level, static_cast<std::uint8_t>(level / 2), static_cast<std::uint8_t>(255 - level)};
    }
  return frame;
}

// With initial arguments.
inline Selection selection_of(const gpu::SatAlgorithm& algorithm, const gpu::Effect& effect, gpu::Device device) {
  return {
      &algorithm, gpu::Arguments(algorithm.parameters), &effect, gpu::Arguments(effect.parameters), TimingChoice::kernels,
      device};
}
inline Selection selection_of(std::string_view algorithm, std::string_view effect, gpu::Device device = gpu::Device::host) {
  return selection_of(*gpu::find_sat_algorithm(algorithm), *gpu::find_effect(effect), device);
}

// To host memory; waits. For tests with a GPU.
template <class T>
gpu::Image<T> download(const gpu::Context& context, gpu::ImageView<const T> from) {
  gpu::Image<T> image(from.size(), gpu::Device::host);
  gpu::check(cudaStreamSynchronize(context.stream()));
  gpu::test::copy_pixels(from, image.view());
  return image;
}

// In host memory.
template <class T>
bool same(gpu::ImageView<const T> a, gpu::ImageView<const T> b) {
  if (a.size() != b.size()) return false;
  for (int y = 0; y < a.height; ++y)
    if (std::memcmp(a.row(y), b.row(y), static_cast<std::size_t>(a.width) * sizeof(T)) != 0) return false;
  return true;
}
template <class T>
bool same(const gpu::Image<T>& a, gpu::ImageView<const T> b) {
  return same(gpu::ImageView<const T>(a.view()), b);
}
template <class T>
bool same(const gpu::Image<T>& a, const gpu::Image<T>& b) {
  return same(a, gpu::ImageView<const T>(b.view()));
}

// What shows of a wipe, too.
inline bool same(const PicturePixels& a, const PicturePixels& b) {
  const auto whole = [](const PicturePixels& pixels) {
    gpu::Image<gpu::Rgba> image(pixels.size(), gpu::Device::host);
    copy_on_host(pixels, image.view().data, image.view().stride);
    return image;
  };
  return same(whole(a), whole(b));
}

// False where it does not within a minute.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace app
