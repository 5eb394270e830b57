// Shared by the simulator's tests: settings for the duration of a test, memory on the simulated GPU, and the message of a
// launch that fails.
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

namespace gpu::simulated {

class WithSettings {
 public:
  explicit WithSettings(const GpuSettings& settings) : before_(the_gpu().settings()) { the_gpu().set(settings); }
  ~WithSettings() { the_gpu().set(before_); }
  WithSettings(const WithSettings&) = delete;
  WithSettings& operator=(const WithSettings&) = delete;

 private:
  GpuSettings before_;
};

inline constexpr GpuSettings one_core{.resident_blocks = 264, .cores = 1};

// Zeroed; host code may read it, because device memory is host memory here.
template <class T>
class Zeroed {
 public:
  explicit Zeroed(std::size_t count) : buffer_(count, Device::cuda) { std::fill_n(buffer_.data(), count, T{}); }
  T* data() const { return buffer_.data(); }
  T& operator[](std::size_t i) const { return buffer_.data()[i]; }
  std::vector<T> values() const { return {buffer_.data(), buffer_.data() + buffer_.size()}; }

 private:
  Buffer<T> buffer_;
};

// The message of the fault; empty if there is none.
template <class Start>
std::string fault_of(Start&& start) {
  try {
    start();
  } catch (const Fault& fault) {
    return fault.what();
  }
  return {};
}

inline testing::AssertionResult says(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

}  // namespace gpu::simulated
