// KernelLoading: loads kernels before their first launch, which would otherwise load them. CUDA loads each module (the kernels of
// one .cu file) and each of its kernels when they are first used, and if the module has no machine code for the GPU, the driver
// compiles its PTX then, for up to a second.
#pragma once

#include <memory>

namespace gpu {

// On one thread, while others use the GPU. The driver holds the lock of a CUDA context while it loads, and other threads' calls
// in this context wait meanwhile. So as soon as one load has taken long enough to be a compilation, the modules are first
// compiled in a context of their own: the driver keeps the result on disk (CUDA_CACHE_PATH), where the load that follows in
// the context that everybody uses finds it. Where it keeps none (CUDA_CACHE_DISABLE), that gains nothing.
class KernelLoading {
 public:
  // Makes CUDA device `index` the thread's current one. Throws CudaError.
  explicit KernelLoading(int index);
  ~KernelLoading();
  KernelLoading(const KernelLoading&) = delete;
  KernelLoading& operator=(const KernelLoading&) = delete;

  // `kernel`: its kernel_address(). Takes about a microsecond if it is loaded. Throws CudaError: also if the GPU is lost.
  void load(const void* kernel);

 private:
  class OwnContext;

  int index_;
  bool compiles_ = false;                 // one load has taken so long
  std::unique_ptr<OwnContext> compiler_;  // null until then, and where there can be none
};

}  // namespace gpu
