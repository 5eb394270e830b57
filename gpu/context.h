// Context: where work runs (a CUDA stream, the host's threads, or the simulated GPU), what scratch memory it has, and the
// only place where kernels are started. The same code replayed on Context::dry() starts nothing and counts: workspace
// bytes, kernel names, grids and blocks come from the lines that later run.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "gpu/error.h"
#include "gpu/image.h"
#include "gpu/launch.h"
#include "gpu/persistent_memory.h"
#include "gpu/thread_pool.h"
#include "gpu/timeline.h"

namespace gpu {
namespace simulated {
struct Driver;
}

// What a dry context noted of one launch.
struct LaunchRecord {
  enum class Kind { kernel, clear, library, host };
  Kind kind;
  std::string name;
  Grid shape;                    // kernels only
  const void* kernel = nullptr;  // likewise: which instance
  int parts = 0;                 // host work only
};

class Context {
 public:
  // Two contexts over one workspace would hand out the same memory.
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  Context(Context&&) = default;
  Context& operator=(Context&&) = default;

  // Every workspace begins at a multiple of 256 bytes, or it is empty; else std::invalid_argument.
  // Work is queued on `stream` and nothing waits for it. `workspace` is device memory, at least as large as a dry
  // replay of the same work counted. `timeline` may be null.
  static Context on_stream(cudaStream_t stream, std::span<std::byte> workspace, Timeline* timeline = nullptr);
  // Work is done by `pool` before each call returns. `workspace` is host memory.
  static Context on_host(ThreadPool& pool, std::span<std::byte> workspace, Timeline* timeline = nullptr);
  // Work is done by the simulated GPU before each call returns, by the kernels that `driver` has: what starts kernels is
  // reached through compute_sat(), run_effect() and luma(), which look there. `workspace` is host memory.
  static Context on_simulated(const simulated::Driver& driver, std::span<std::byte> workspace, Timeline* timeline = nullptr);
  // Nothing is done. Pointers from scratch() must not be dereferenced. `threads` are those of the pool that the work will
  // run on, since the host's algorithms divide their scratch memory by them; 0 means one per core, as in ThreadPool.
  static Context dry(Device device, int threads = 0, const GpuLimits& limits = {});

  Device device() const { return device_; }
  bool is_dry() const { return dry_; }
  const simulated::Driver* driver() const { return driver_; }  // of the simulated GPU; else null
  cudaStream_t stream() const { return stream_; }
  const GpuLimits& limits() const { return limits_; }             // of the stream's GPU
  void set_limits(const GpuLimits& limits) { limits_ = limits; }  // as on a smaller GPU, for tests
  // What persistent() hands out; outlives the context. Without it, and where a dry replay did not ask for it, there is none.
  void set_persistent(PersistentMemory* memory) { persistent_ = memory; }
  int threads() const { return pool_ ? pool_->threads() : dry_threads_; }

  // `count` elements of uninitialised scratch memory, 256-byte aligned, valid until the enclosing ScratchScope ends (or
  // for the context's life). Throws std::length_error where the workspace is too small: a dry replay was not made.
  template <class T>
  T* scratch(std::size_t count) {
    return reinterpret_cast<T*>(take(count * sizeof(T)));
  }
  // The same, all bytes zero once the work queued before has run; timed as "clear".
  template <class T>
  T* zeroed(std::size_t count) {
    T* data = scratch<T>(count);
    clear(data, count * sizeof(T));
    return data;
  }
  // `count` elements under a name of the caller's, as the run before left them; all bytes were zero at the first run, and are
  // again after `most_runs` of them, for numbers of runs that have few bits. Where nothing persists, each run is a first one,
  // in scratch memory. Timed as "clear" where it is cleared.
  template <class T>
  Persistent<T> persistent(std::string_view name, std::size_t count,
                           std::uint32_t most_runs = std::numeric_limits<std::uint32_t>::max()) {
    const auto [data, run] = persist(name, count * sizeof(T), most_runs);
    return {reinterpret_cast<T*>(data), run};
  }
  // Rows longer than what a thread moves at once (16 bytes) start on its boundary, those longer than what a warp does (128
  // bytes) on that: a narrow image stays as small as a wide one of as many pixels, or twice that.
  template <class T>
  ImageView<T> scratch_image(Size size) {
    constexpr std::size_t one = sizeof(T), piece = 16, line = 128;
    static_assert(piece % one == 0);
    const auto row = static_cast<std::size_t>(size.width) * one, unit = row > line ? line : row > piece ? piece : one;
    const auto stride = (row + unit - 1) / unit * unit / one;
    return {scratch<T>(stride * static_cast<std::size_t>(size.height)), size.width, size.height,
            static_cast<std::ptrdiff_t>(stride)};
  }

  // Starts a kernel and times it under `name`. The arguments convert to the kernel's parameter types. A grid with no
  // block starts nothing. Device contexts only.
  template <class... Parameters, class... Args>
  void launch(std::string_view name, void (*kernel)(Parameters...), const Grid& shape, Args&&... args) {
    with_kernel_arguments([&](const void* address, void** pointers) { launch_pointers(name, address, shape, pointers); },
                          kernel, std::forward<Args>(args)...);
  }
  // For libraries that queue their own work: f(cudaStream_t), timed as one. On a dry context f is not called. f may
  // return void, or a cudaError_t, which is checked.
  template <class F>
  void call(std::string_view name, F&& f) {
    if (dry_) return note({LaunchRecord::Kind::library, std::string(name), {}});
    const Span span(timeline_, name);
    if constexpr (std::is_same_v<std::invoke_result_t<F, cudaStream_t>, cudaError_t>)
      check(f(stream_));
    else
      f(stream_);
  }
  // Host contexts only: part(0) .. part(parts - 1) on the pool's threads, timed as one.
  void parallel(std::string_view name, int parts, const std::function<void(int)>& part);
  // f's launches within one span of the timeline.
  template <class F>
  void group(std::string_view name, F&& f, SpanTiming timing = SpanTiming::whole) {
    groups_ += dry_;
    const Span span(dry_ ? nullptr : timeline_, name, timing);
    f();
  }
  // f(x, y) for every pixel, on the device or on the host's threads from one source. F is a trivially copyable function
  // object whose operator() is constexpr. Defined in gpu/for_each_pixel.cuh, which .cu files include.
  template <class F>
  void for_each_pixel(std::string_view name, Size size, const F& f);
  // f(x, y, colour) for every pixel of an image, likewise. Defined in gpu/for_each_colour.cuh.
  template <class F>
  void for_each_colour(std::string_view name, ImageView<const Bgr> colour, const F& f);
  // Copies pixels between images of one size on this context's device.
  template <class T>
  void copy(std::string_view name, ImageView<const T> from, ImageView<T> to) {
    copy_bytes(name, from.data, static_cast<std::size_t>(from.stride) * sizeof(T), to.data,
               static_cast<std::size_t>(to.stride) * sizeof(T), static_cast<std::size_t>(from.width) * sizeof(T),
               static_cast<std::size_t>(from.height));
  }

  // Gives back, at its end, the scratch memory taken since its start; work already queued keeps it safely, because
  // whatever takes it next is queued behind.
  class ScratchScope {
   public:
    explicit ScratchScope(Context& context) : context_(context), mark_(context.used_) {}
    ~ScratchScope() { context_.used_ = mark_; }
    ScratchScope(const ScratchScope&) = delete;
    ScratchScope& operator=(const ScratchScope&) = delete;

   private:
    Context& context_;
    std::size_t mark_;
  };

  // The most scratch memory ever held at once, in bytes: what `workspace` must have.
  std::size_t workspace_bytes() const { return most_; }
  // Dry contexts: what would have been started, in order.
  const std::vector<LaunchRecord>& launches() const { return launches_; }
  // Likewise: the spans of a timeline that it would have been.
  int spans() const { return static_cast<int>(launches_.size()) + groups_; }

 private:
  // Times its own lifetime; nothing where there is no timeline.
  class Span {
   public:
    Span(Timeline* timeline, std::string_view name, SpanTiming timing = SpanTiming::whole) : timeline_(timeline) {
      if (timeline_) timeline_->begin(name, timing);
    }
    ~Span() {
      if (timeline_) timeline_->end();
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Timeline* timeline_;
  };

  Context(Device device, std::span<std::byte> workspace) : device_(device), workspace_(workspace) {}
  std::byte* take(std::size_t bytes);
  Persistent<std::byte> persist(std::string_view name, std::size_t bytes, std::uint32_t most_runs);
  void clear(void* data, std::size_t bytes);
  void note(LaunchRecord record) { launches_.push_back(std::move(record)); }
  // Host contexts only: part(begin, end) for bands of rows that make up 0 .. rows - 1, on the pool's threads.
  void for_each_band(std::string_view name, int rows, const std::function<void(int begin, int end)>& part);
  void launch_pointers(std::string_view name, const void* kernel, const Grid& shape, void** arguments);
  void copy_bytes(std::string_view name, const void* from, std::size_t from_pitch, void* to, std::size_t to_pitch,
                  std::size_t width_bytes, std::size_t height);

  Device device_;
  bool dry_ = false;
  cudaStream_t stream_ = nullptr;
  const simulated::Driver* driver_ = nullptr;
  ThreadPool* pool_ = nullptr;
  int dry_threads_ = 1;
  GpuLimits limits_;
  Timeline* timeline_ = nullptr;
  std::span<std::byte> workspace_;
  std::size_t used_ = 0, most_ = 0;
  std::vector<LaunchRecord> launches_;
  PersistentMemory* persistent_ = nullptr;
  int groups_ = 0;
};

// Blocks of `tile` elements that cover `count`.
constexpr int ceil_div(int count, int tile) { return count / tile + (count % tile != 0); }

}  // namespace gpu
