// Devices: where work runs, and the machine's GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpu {

// simulated: the CUDA kernels, compiled for the host's processor and run on it (gpu/simulated/). Its memory is host memory.
enum class Device { host, cuda, simulated };

constexpr std::string_view name(Device device) {
  constexpr std::string_view names[] = {"host", "cuda", "simulated"};
  return names[static_cast<int>(device)];
}

// Whether the CUDA calls of this build apply to the device. A build of gpu/ for the simulated GPU has its own CUDA calls.
constexpr bool is_gpu(Device device) {
#ifdef SATSCOPE_SIMULATED
  return device != Device::host;
#else
  return device == Device::cuda;
#endif
}

struct GpuInfo {
  std::string name;          // "NVIDIA H200"
  int index = 0;             // CUDA device ordinal
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  std::size_t memory_bytes = 0, l2_bytes = 0;
  int driver = 0, runtime = 0;  // CUDA versions in CUDA's encoding: 13000 is 13.0
};

struct GpuProbe {
  std::optional<GpuInfo> gpu;
  std::string reason;  // why there is none, in one line; empty if there is one
};

// The limits on which the shape of a launch, or its arguments, may depend. Scratch memory must not depend on them: one dry
// replay counts it for every GPU. The initial values are those of an H100; an H200 has a larger L2 cache.
struct GpuLimits {
  int multiprocessors = 132;
  std::size_t shared_bytes = 227 * 1024;  // static and dynamic, at most per block
  std::size_t l2_bytes = 50 << 20;
  int major = 9;  // compute capability
};

// The values of `shared_bytes` since compute capability 7.5: for 9.0 and 10.0; 8.0; 8.6, 8.9 and 12.0; 7.5. Every algorithm
// can run with the last one.
inline constexpr std::size_t shared_sizes[] = {227 * 1024, 163 * 1024, 99 * 1024, 64 * 1024};

// The limits of the calling thread's current CUDA device; the initial values if there is none. Never throws. Fast enough to
// be called for every frame.
GpuLimits current_gpu_limits();

// Queries CUDA device `index`. Never throws: that a machine has no driver is a result, not an error. The first call
// initialises the driver, which takes a noticeable time if there is a GPU.
GpuProbe probe_gpu(int index = 0);

}  // namespace gpu
