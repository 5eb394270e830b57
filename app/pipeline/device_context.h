// DeviceContext: how a pipeline works on its device: a context with a timeline, a workspace that grows, and memory that
// persists from frame to frame.
#pragma once

#include <cstddef>
#include <optional>

#include "gpu/context.h"
#include "gpu/memory.h"
#include "gpu/persistent_memory.h"
#include "gpu/thread_pool.h"
#include "gpu/timeline.h"

namespace app {

class DeviceContext {
 public:
  // On cuda, work is queued on `stream`, which belongs to the caller. The host and the simulated GPU use all cores. Throws
  // ExitError (no_gpu) where the simulated GPU is not installed.
  DeviceContext(gpu::Device device, cudaStream_t stream);
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  gpu::Device device() const { return device_; }
  gpu::Context& timed() { return *context_; }       // another one after grow()
  gpu::Context untimed() { return make(nullptr); }  // in the same workspace, without persistent memory
  gpu::Context untimed_with_persistent();           // likewise, with it
  gpu::Timeline& timeline() { return timeline_; }
  gpu::PersistentMemory& persistent() { return persistent_; }
  const gpu::PersistentMemory& persistent() const { return persistent_; }

  std::size_t workspace_bytes() const { return workspace_.size(); }
  // To at least so many bytes. Throws CudaError, std::bad_alloc: then nothing has changed.
  void grow(std::size_t workspace_bytes);

 private:
  gpu::Context make(gpu::Timeline* timeline);
  void renew();

  gpu::Device device_;
  cudaStream_t stream_;
  std::optional<gpu::ThreadPool> pool_;             // on the host
  const gpu::simulated::Driver* driver_ = nullptr;  // of the simulated GPU
  gpu::Timeline timeline_;
  gpu::PersistentMemory persistent_;
  gpu::Buffer<std::byte> workspace_;
  std::optional<gpu::Context> context_;
};

}  // namespace app
