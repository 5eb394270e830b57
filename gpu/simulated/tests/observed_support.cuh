// Shared by tests of the observer: they launch their own kernels under observation.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/cuda/launch.h"
#include "gpu/cuda/memory.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/observed/recording_observer.h"

namespace gpu::simulated {

class Observed : public testing::Test {
 protected:
  Observed() : observer_(the_gpu().heap()) { the_gpu().set_observer(&observer_); }
  ~Observed() override { the_gpu().set_observer(nullptr); }

  // The observation of one launch.
  template <class Kernel, class... Args>
  Simulation run(Kernel kernel, const Grid& grid, Args... args) {
    observer_.reset(width_, latency_, 264, lines_of_);
    launch_kernel(nullptr, kernel, grid, args...);
    return observer_.results();
  }
  template <class Kernel, class... Args>
  std::string fault(Kernel kernel, const Grid& grid, Args... args) {
    try {
      run(kernel, grid, args...);
    } catch (const Fault& fault) {
      return fault.what();
    }
    return "no fault";
  }

  int width_ = 32, latency_ = 1;
  std::vector<std::string> lines_of_;
  RecordingObserver observer_;
};

// Device memory, all zero.
template <class T>
Buffer<T> zeros(std::size_t count) {
  Buffer<T> buffer(count, Device::cuda);
  std::fill_n(buffer.data(), count, T{});
  return buffer;
}

inline std::string text(const Simulation& simulation) {
  std::string text;
  for (const auto& race : simulation.races) text += race.what + ": " + race.first + " - " + race.second + '\n';
  return text;
}
inline bool has_race(const Simulation& simulation, const std::string& what) {
  return std::any_of(simulation.races.begin(), simulation.races.end(), [&](const auto& race) { return race.what == what; });
}

}  // namespace gpu::simulated
