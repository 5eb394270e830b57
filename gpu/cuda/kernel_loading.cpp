#include "gpu/cuda/kernel_loading.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <chrono>

#include "gpu/cuda/error.h"

namespace gpu {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than any machine code takes to load, shorter than any compilation of a module.
constexpr auto compilation = std::chrono::milliseconds(20);

void load_here(const void* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel));
}

// A function of the driver, by the name that its library exports; null if there is none.
template <class Function>
Function* driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver ? reinterpret_cast<Function*>(dlsym(driver, name)) : nullptr;
}

}  // namespace

// The runtime API uses whatever context of the driver API is the thread's current one.
class KernelLoading::OwnContext {
 public:
  explicit OwnContext(int index) {
    constexpr auto create = "cuCtxCreate_v2";
    auto* const make = driver_function<int(void**, unsigned, int)>(create);
    if (make && make(&context_, 0, index) != 0) context_ = nullptr;
    set_current(nullptr);  // it has been made current
  }
  ~OwnContext() {
    auto* const destroy = driver_function<int(void*)>("cuCtxDestroy_v2");
    if (context_ && destroy) destroy(context_);
  }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;

  // False where it is not possible.
  bool load(const void* kernel) {
    if (!context_ || !set_current(context_)) return false;
    cudaFuncAttributes attributes{};
    const bool loaded = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess;
    if (!loaded) cudaGetLastError();
    return set_current(nullptr) && loaded;
  }

 private:
  static bool set_current(void* context) {
    auto* const set = driver_function<int(void*)>("cuCtxSetCurrent");
    return set && set(context) == 0;
  }

  void* context_ = nullptr;
};

KernelLoading::KernelLoading(int index) : index_(index) {
  check(cudaSetDevice(index));
  check(cudaFree(nullptr));  // now, not as a part of the first load
}

KernelLoading::~KernelLoading() = default;

void KernelLoading::load(const void* kernel) {
  if (compiler_ && !compiler_->load(kernel)) compiler_.reset();
  check(cudaSetDevice(index_));  // the context that everybody uses
  const auto begin = Clock::now();
  load_here(kernel);
  if (compiles_ || Clock::now() - begin < compilation) return;
  compiles_ = true;
  compiler_ = std::make_unique<OwnContext>(index_);
}

}  // namespace gpu
