#include "app/pipeline/kernel_loader.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "app/support/threads.h"
#include "gpu/kernel_loading.h"

namespace app {

void KernelLoader::begin(const Selection& chosen, gpu::Size size, bool others) {
  if (std::exchange(begun_, true)) return;
  urgent_ = kernels_of(chosen, size);
  std::ranges::reverse(urgent_);
  try {
    thread_ = start_thread([this, others](const std::stop_token& stop) { work(stop, others); });
  } catch (const std::runtime_error&) {  // the system starts no more threads
    ended_ = true;
  }
}

bool KernelLoader::have(const Selection& selection, gpu::Size size, bool traced) {
  std::unique_lock lock(mutex_);
  if (ended_) return true;
  if (!asked_ || asked_->size != size || asked_->traced != traced || asked_->selection != selection) {
    lock.unlock();
    asked_ = {selection, size, traced, kernels_of(selection, size, traced)};
    lock.lock();
  }
  urgent_.clear();
  std::ranges::copy_if(asked_->kernels, std::back_inserter(urgent_),
                       [&](const void* kernel) { return !loaded_.contains(kernel); });
  std::ranges::reverse(urgent_);
  return ended_ || urgent_.empty();
}

void KernelLoader::work(const std::stop_token& stop, bool others) {
  try {
    const auto load = start_();
    const auto take = [&](const Kernels& kernels) { return load_all(kernels, load, stop); };
    if (take({}) && others) list_kernels(device_, take);
  } catch (const std::exception&) {  // the GPU is lost, or cannot load one: whoever launches a kernel is told why
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

bool KernelLoader::load_all(const Kernels& kernels, const Load& load, const std::stop_token& stop) {
  for (auto next = kernels.begin(); !stop.stop_requested();) {
    const auto* kernel = take_urgent();
    if (!kernel && next == kernels.end()) return true;
    if (!kernel) kernel = *next++;
    if (loaded_.contains(kernel)) continue;  // no other thread changes it
    load(kernel);
    const std::lock_guard lock(mutex_);
    loaded_.insert(kernel);
  }
  return false;
}

const void* KernelLoader::take_urgent() {
  const std::lock_guard lock(mutex_);
  if (urgent_.empty()) return nullptr;
  const auto* kernel = urgent_.back();
  urgent_.pop_back();
  return kernel;
}

std::unique_ptr<KernelLoader> gpu_kernel_loader(int index) {
  return std::make_unique<KernelLoader>(gpu::Device::cuda, [index] {
    const auto loading = std::make_shared<gpu::KernelLoading>(index);
    return KernelLoader::Load([loading](const void* kernel) { loading->load(kernel); });
  });
}

}  // namespace app
