// The simulated GPU: memory, registered kernels and settings. There is one per build of the kernels, like the current
// device of CUDA's runtime, whose calls do not name a device either.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "gpu/simulated/heap.h"
#include "gpu/simulated/observer.h"
#include "gpu/simulated/previous_launches.h"
#include "gpu/simulated/schedule.h"

namespace gpu::simulated {

struct LaunchedKernel;

class Gpu {
 public:
  Heap& heap() { return heap_; }

  // Applies to launches that start later.
  void set(const GpuSettings& settings);  // std::invalid_argument if no block may be resident
  GpuSettings settings() const;
  // `observer` sees every launch and allocation from now on; it must outlive this. null: no observer.
  void set_observer(Observer* observer) { observer_ = observer; }
  Observer* observer() const { return observer_.load(); }

  void register_kernel(const void* kernel, Invoke invoke);
  // Allows launches of `kernel` this many bytes of dynamic shared memory, whatever its static variables take.
  void allow_shared(const void* kernel, std::size_t bytes);
  std::size_t allowed_shared(const void* kernel) const;
  // One launch runs at a time. cudaErrorLaunchFailure for a kernel that is not registered, cudaErrorInvalidValue for more
  // than 48 KB of dynamic shared memory without permission; throws Fault.
  cudaError_t launch(const LaunchedKernel& launched, void** arguments);
  // Something other than a launch was queued: a dependent launch waits for it from its start.
  void note_queued() { queued_ = true; }
  // While it is on, the launch under way and later ones begin no other block, and throw Fault.
  void stop(bool on) { stopped_ = on; }
  const std::atomic<bool>& stopped() const { return stopped_; }

 private:
  Heap heap_;
  struct Kernel {
    Invoke invoke = nullptr;
    std::size_t allowed_shared_bytes = 0;
  };
  mutable std::mutex mutex_;  // of settings and kernels
  GpuSettings settings_;
  std::unordered_map<const void*, Kernel> kernels_;
  std::mutex launch_;
  PreviousLaunches previous_{heap_};
  std::atomic<bool> queued_ = false;  // since the last launch
  std::atomic<Observer*> observer_ = nullptr;
  std::atomic<bool> stopped_ = false;
};

Gpu& the_gpu();

}  // namespace gpu::simulated
