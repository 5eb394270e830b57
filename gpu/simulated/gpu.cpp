#include "gpu/simulated/gpu.h"

#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "gpu/simulated/kernel_launch.h"

namespace gpu::simulated {

void HeapCopy::take(const Heap& heap) {
  constexpr std::size_t most = std::size_t{256} << 20;
  allocations_ = heap.allocations();
  std::size_t bytes = 0;
  for (const auto& range : allocations_) bytes += range.bytes;
  if (bytes > most) return allocations_.clear();
  bytes_.resize(bytes);
  auto* to = bytes_.data();
  for (const auto& range : allocations_) {
    std::memcpy(to, range.data, range.bytes);
    to += range.bytes;
  }
}

void HeapCopy::restore() const {
  const auto* from = bytes_.data();
  for (const auto& range : allocations_) {
    std::memcpy(range.data, from, range.bytes);
    from += range.bytes;
  }
}

void HeapCopy::restore_unless_changed(const HeapCopy& begun, bool last) const {
  std::size_t at = 0;
  for (const auto& range : allocations_) {
    for (std::size_t i = 0; i < range.bytes; ++i, ++at) {
      const bool changed = range.data[i] != begun.bytes_[at], by_both = bytes_[at] != begun.bytes_[at];
      if (!changed || (by_both && !last)) range.data[i] = bytes_[at];
    }
  }
}

Beside PreviousLaunches::begin(bool dependent, bool copies) {
  beside_ = !dependent || !known_ ? Beside::nothing : chained_ ? Beside::chain : Beside::previous;
  if (beside_ == Beside::nothing || !copies) early_.clear();
  copies ? now_.take(heap_) : now_.clear();
  runs_early_ = !early_.empty() && !now_.empty();
  return beside_;
}

void PreviousLaunches::end(bool lets_next_start_early) {
  chained_ = beside_ != Beside::nothing && lets_next_start_early;
  if (!chained_) std::swap(early_, now_);
  known_ = true;
}

void PreviousLaunches::forget() {
  known_ = false;
  early_.clear();
}

Gpu& the_gpu() {
  static Gpu gpu;
  return gpu;
}

void Gpu::set(const GpuSettings& settings) {
  if (settings.resident_blocks - settings.taken < 1) throw std::invalid_argument("a GPU needs at least one resident block");
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

GpuSettings Gpu::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Gpu::register_kernel(const void* kernel, Invoke invoke) {
  const std::lock_guard lock(mutex_);
  kernels_[kernel].invoke = invoke;
}

void Gpu::allow_shared(const void* kernel, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  kernels_[kernel].allowed_shared_bytes = bytes;
}

std::size_t Gpu::allowed_shared(const void* kernel) const {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(kernel);
  return found == kernels_.end() ? 0 : found->second.allowed_shared_bytes;
}

cudaError_t Gpu::launch(const LaunchedKernel& launched, void** arguments) {
  const auto& [kernel, grid, block, shared_bytes, cooperative, dependent] = launched;
  constexpr unsigned max_rows = 65535;  // of a grid, in y and z
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > max_threads || grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > max_rows ||
      grid.z > max_rows || shared_bytes > SharedSpace::capacity)
    return cudaErrorInvalidConfiguration;
  Kernel registered;
  const auto settings = this->settings();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kernels_.find(kernel); found != kernels_.end()) registered = found->second;
  }
  if (!registered.invoke) return cudaErrorLaunchFailure;
  const bool allowed = shared_bytes <= registered.allowed_shared_bytes;
  if (!allowed && shared_bytes > SharedSpace::usual_capacity) return cudaErrorInvalidValue;
  const std::size_t shared_limit = allowed ? SharedSpace::capacity : SharedSpace::usual_capacity;
  if (cooperative && std::uint64_t{grid.x} * grid.y * grid.z > static_cast<std::uint64_t>(settings.resident_blocks))
    return cudaErrorCooperativeLaunchTooLarge;

  // An observer, and a seed, require one order of events: all blocks then run on one core.
  auto* const observer = this->observer();
  const int all = settings.cores > 0 ? settings.cores : static_cast<int>(std::thread::hardware_concurrency());
  const int cores = observer || settings.schedule.kind == Schedule::Kind::random ? 1 : all;
  const std::lock_guard lock(launch_);
  if (queued_.exchange(false)) previous_.forget();
  Launch(launched, registered.invoke, arguments, shared_limit, settings, observer, previous_, stopped_).run(cores);
  return cudaSuccess;
}

int room_for_blocks() { return the_gpu().settings().resident_blocks; }

void register_kernel(const void* kernel, Invoke invoke) { the_gpu().register_kernel(kernel, invoke); }

}  // namespace gpu::simulated
