#include "gpu/cuda/device.h"

#include <cuda_runtime_api.h>

#include <array>
#include <mutex>

namespace gpu {
namespace {

std::string version(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

std::string explain(cudaError_t code, int driver, int runtime) {
  if (runtime == 0) return "satscope was built without CUDA (app/run builds it with CUDA where there is an NVIDIA GPU)";
  if (driver == 0) return "no NVIDIA driver is installed";
  if (code == cudaErrorInsufficientDriver)
    return "the NVIDIA driver supports CUDA " + version(driver) + " and this program needs " + version(runtime) +
           ": update the driver";
  if (code == cudaErrorNoDevice) return "the NVIDIA driver finds no GPU";
  return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
}

// These queries take CUDA up to milliseconds, and their results never change.
cudaError_t find_properties(int index, GpuInfo& gpu) {
  static std::mutex mutex;
  static std::array<std::optional<GpuInfo>, 64> known;
  const std::lock_guard lock(mutex);
  auto* const kept = static_cast<std::size_t>(index) < known.size() ? &known[static_cast<std::size_t>(index)] : nullptr;
  if (!kept || !*kept) {
    cudaDeviceProp properties{};
    if (const auto code = cudaGetDeviceProperties(&properties, index); code != cudaSuccess) return code;
    gpu.name = properties.name;
    gpu.index = index;
    gpu.major = properties.major;
    gpu.minor = properties.minor;
    gpu.multiprocessors = properties.multiProcessorCount;
    gpu.memory_bytes = properties.totalGlobalMem;
    gpu.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    if (kept) *kept = gpu;
  }
  if (kept) gpu = **kept;
  return cudaSuccess;
}

}  // namespace

GpuProbe probe_gpu(int index) {
  GpuInfo gpu;
  cudaDriverGetVersion(&gpu.driver);
  cudaRuntimeGetVersion(&gpu.runtime);
  int count = 0;
  auto code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count == 0) code = cudaErrorNoDevice;
  if (code == cudaSuccess && index >= count) return {{}, "there is no CUDA device " + std::to_string(index)};
  if (code == cudaSuccess) code = find_properties(index, gpu);
  if (code != cudaSuccess) {
    cudaGetLastError();
    return {{}, explain(code, gpu.driver, gpu.runtime)};
  }
  return {gpu, {}};
}

GpuLimits current_gpu_limits() {
  int index = 0, multiprocessors = 0, shared_bytes = 0, l2_bytes = 0, major = 0;
  if (cudaGetDevice(&index) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, index) != cudaSuccess ||
      cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index) != cudaSuccess ||
      cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, index) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  return {multiprocessors, static_cast<std::size_t>(shared_bytes), static_cast<std::size_t>(l2_bytes), major};
}

}  // namespace gpu
