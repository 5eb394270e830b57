// Where work runs, and what GPU there is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpu {

// simulated: CUDA's kernels, compiled for and run on the host's processor (gpu/simulated/). Its memory is host memory.
enum class Device { host, cuda, simulated };

constexpr std::string_view name(Device device) {
  constexpr std::string_view names[] = {"host", "cuda", "simulated"};
  return names[static_cast<int>(device)];
}

// Whether the CUDA calls of this build reach the device. A build of gpu/ for the simulated GPU has CUDA calls of its own.
constexpr bool is_gpu(Device device) {
#ifdef SATSCOPE_SIMULATED
  return device != Device::host;
#else
  return device == Device::cuda;
#endif
}

struct GpuInfo {
  std::string name;            // "NVIDIA H200"
  int index = 0;               // CUDA device ordinal
  int major = 0, minor = 0;    // compute capability
  int multiprocessors = 0;
  std::size_t memory_bytes = 0, l2_bytes = 0;
  int driver = 0, runtime = 0;  // CUDA versions as CUDA gives them: 13000 is 13.0
};

struct GpuProbe {
  std::optional<GpuInfo> gpu;
  std::string reason;  // why there is none, one line; empty where there is one
};

// What the shape of a launch may depend on. Scratch memory may not: a dry replay counts it for every GPU. The initial
// values are an H200's.
struct GpuLimits {
  int multiprocessors = 132;
  std::size_t shared_bytes = 227 * 1024;  // static and dynamic, that one block may ask for
};

// What `shared_bytes` is on the GPUs since compute capability 7.5: of 9.0 and 10.0; 8.0; 8.6, 8.9 and 12.0; 7.5. Every
// algorithm runs within the last.
inline constexpr std::size_t shared_sizes[] = {227 * 1024, 163 * 1024, 99 * 1024, 64 * 1024};

// Of the calling thread's current CUDA device; the initial values where there is none. Never throws; takes under a
// microsecond, so that it may be asked for every frame.
GpuLimits current_gpu_limits();

// Looks at CUDA device `index`. Never throws: a machine without a driver is an answer, not an error. The first call
// starts the driver (a few hundred milliseconds with a GPU, nothing without).
GpuProbe probe_gpu(int index = 0);

}  // namespace gpu
