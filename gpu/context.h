// Context: where work runs (a CUDA stream, the host's threads, or the simulated GPU), its memory, and the only place where
// kernels are started. Replayed on Context::dry(), the same code starts nothing and only records: workspace bytes,
// kernel names, grids and blocks come from the lines that later run.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/launch.h"
#include "gpu/cuda/memory.h"
#include "gpu/image.h"

namespace gpu {
class ThreadPool;
class TileRecorder;
class Timeline;
namespace simulated {
struct Driver;
}

// Data that one run leaves for the next. Slots that contain the number of the run that wrote them need not be cleared before
// each run, only before the first.
//
// A pipeline keeps one for its contexts. A dry replay records what a run will ask for, reserve() allocates it, and runs find
// it: they never allocate.
class PersistentMemory {
 public:
  explicit PersistentMemory(Device device) : device_(device) {}

  // What a run will need. Each name and size has its own piece.
  void note(std::string_view name, std::size_t bytes);
  void note(const PersistentMemory& others);  // all that it has noted
  // Notes all that `others` has noted, for runs that may come: a lack of memory for it is not an error.
  void note_ahead(const PersistentMemory& others);
  // Allocates what was noted and is not yet allocated, first what is needed. What cannot be allocated is no longer noted. Throws
  // CudaError, std::bad_alloc if it is needed.
  void reserve();
  // After work that may not have completed: all of it will be cleared before it is used again.
  void invalidate();
  std::size_t bytes() const;        // allocated now
  std::size_t noted_bytes() const;  // these, and what reserve() would allocate
  // The same if all that `others` has noted were noted here, too: what both need is counted once.
  std::size_t noted_bytes_with(const PersistentMemory& others) const;

  struct Piece {
    std::string name;
    std::size_t bytes = 0;
    Buffer<std::byte> memory;
    bool ahead = false;    // noted for runs that may come only
    bool cleared = false;  // otherwise the next run clears it first
  };
  Piece* find(std::string_view name, std::size_t bytes);  // nullptr if there is none or it is not allocated

 private:
  void add(std::string_view name, std::size_t bytes, bool ahead);
  void forget_what_is_missing();

  Device device_;
  std::vector<Piece> pieces_;
};

// Where the times of a span come from. whole: from points where it begins and where it ends; the spans inside it then have
// none. parts: from the points of the spans inside it.
enum class SpanTiming { whole, parts };

// What a span's time is spent on. transfer: frames and results on their way to the device, from it, or to where they are
// shown. wait: nothing, because something else uses the device.
enum class SpanKind { compute, transfer, wait };

// What a context calls the work that it starts, and what a Timeline times: a span's name, from anything that converts to a
// string_view, and its kind.
struct SpanLabel {
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string_view>
  constexpr SpanLabel(const Name& name, SpanKind kind = SpanKind::compute) : name(name), kind(kind) {}

  std::string_view name;
  SpanKind kind;
};

// What a dry context records of one launch.
struct LaunchRecord {
  enum class Kind { kernel, clear, library, host };
  Kind kind;
  std::string name;
  Grid shape;                    // kernels only
  const void* kernel = nullptr;  // kernels, and clears on a GPU: which instance
  int parts = 0;                 // host work only
  bool first_run_only = false;   // clears of persistent memory
};

// Kernels that the process has loaded while it ran (gpu/user_kernels/).
struct LoadedKernels {
  std::string label;  // with which every name of their persistent memory begins, so that they share none with others
  // What CUDA launches in place of their addresses in the host's code; empty: they are not for CUDA.
  std::map<const void*, const void*> on_cuda;
};

class Context {
 public:
  // Two contexts over one workspace would hand out the same memory.
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  Context(Context&&) = default;
  Context& operator=(Context&&) = default;

  // Work is queued on `stream`, and nothing waits for it. `workspace` is device memory, at least as large as a dry replay of
  // the same work counted. `timeline` may be null. These functions throw std::invalid_argument unless the workspace is empty
  // or begins at a multiple of 256 bytes.
  static Context on_stream(cudaStream_t stream, std::span<std::byte> workspace, Timeline* timeline = nullptr);
  // Work is done by `pool` before each call returns. `workspace` is host memory.
  static Context on_host(ThreadPool& pool, std::span<std::byte> workspace, Timeline* timeline = nullptr);
  // Work is done by the simulated GPU before each call returns, by the kernels of `driver`: compute_sat(), run_effect() and
  // what simulated::elsewhere() is for call its functions. `workspace` is host memory.
  static Context on_simulated(const simulated::Driver& driver, std::span<std::byte> workspace, Timeline* timeline = nullptr);
  // Nothing is done. Pointers from scratch() must not be dereferenced. `threads`: of the pool on which the work will run, on
  // which the scratch memory of host algorithms depends; 0 means one per core, as in ThreadPool. `limits`: of the GPU; if none
  // are given, on cuda those of the current one.
  static Context dry(Device device, int threads = 0, std::optional<GpuLimits> limits = {});

  Device device() const { return device_; }
  bool is_dry() const { return dry_; }
  const simulated::Driver* driver() const { return driver_; }  // null except on the simulated GPU
  cudaStream_t stream() const { return stream_; }
  const GpuLimits& limits() const { return limits_; }  // of the GPU that was the thread's current one when this was made
  void set_limits(const GpuLimits& limits) { limits_ = limits; }  // to act like a smaller GPU, for tests
  // For tests: no block waits for others where it can do their work, and blocks that do begin with the last tiles.
  bool impatient() const { return impatient_; }
  void set_impatient(bool on) { impatient_ = on; }
  // What persistent() returns; must outlive the context.
  void set_persistent(PersistentMemory* memory) { persistent_ = memory; }
  // Where algorithms record their tiles (gpu/sat/block/tile_recorder.h). Null, as at first: kernels run that have no such code.
  TileRecorder* tile_recorder() const { return tile_recorder_; }
  void set_tile_recorder(TileRecorder* recorder) { tile_recorder_ = recorder; }
  int threads() const;
  // Whose kernels run until this is set again: null, as at first, those of this program. Must outlive the context.
  void set_loaded_kernels(const LoadedKernels* loaded) { loaded_ = loaded; }
  const LoadedKernels* loaded_kernels() const { return loaded_; }

  // `count` elements of uninitialised scratch memory, 256-byte aligned, valid until the enclosing ScratchScope ends (or for
  // the context's lifetime). Throws std::length_error if the workspace is smaller than a dry replay counts.
  template <class T>
  T* scratch(std::size_t count) {
    return reinterpret_cast<T*>(take(count * sizeof(T)));
  }
  // `count` elements with a name that the caller chooses, as the previous run left them; cleared before the first run. Without
  // persistent memory (set_persistent(), and a dry replay that asked for it) every run is a first run, in scratch memory.
  // Clearing is timed as "clear".
  //
  // Runs that use the same memory must follow one another, in one stream. A run may be captured into a graph and replayed if
  // it is not the first one, which would clear the memory in every replay: that throws std::logic_error. Replays must not
  // overlap with other runs, and after PersistentMemory::invalidate() another run comes before the next replay.
  template <class T>
  T* persistent(std::string_view name, std::size_t count) {
    return reinterpret_cast<T*>(persist(name, count * sizeof(T)));
  }
  // Rows longer than 16 bytes, the most that a thread loads at once, are 16-byte aligned; rows longer than 128 bytes, a
  // cache line, are 128-byte aligned. Rows are therefore at most doubled, and narrow images need little more memory than
  // wide ones.
  template <class T>
  ImageView<T> scratch_image(Size size) {
    constexpr std::size_t one = sizeof(T), piece = 16, line = 128;
    static_assert(piece % one == 0);
    const auto row = static_cast<std::size_t>(size.width) * one, unit = row > line ? line : row > piece ? piece : one;
    const auto stride = (row + unit - 1) / unit * unit / one;
    return {scratch<T>(stride * static_cast<std::size_t>(size.height)), size.width, size.height,
            static_cast<std::ptrdiff_t>(stride)};
  }

  // Starts a kernel and times it under `name`. The arguments are converted to the kernel's parameter types. A grid without
  // blocks starts nothing. Device contexts only.
  template <class... Parameters, class... Args>
  void launch(const SpanLabel& label, void (*kernel)(Parameters...), const Grid& shape, Args&&... args) {
    with_kernel_arguments([&](const void* address, void** pointers) { launch_pointers(label, address, shape, pointers); },
                          kernel, std::forward<Args>(args)...);
  }
  // How many blocks a cooperative launch of the kernel may have: `per_multiprocessor`, for which it is compiled
  // (__launch_bounds__), on each of limits().multiprocessors; fewer if the device has room for fewer.
  template <class... Parameters>
  int most_resident_blocks(void (*kernel)(Parameters...), const dim3& block, int per_multiprocessor) const {
    return resident_blocks(kernel_address(kernel), static_cast<int>(block.x * block.y * block.z), per_multiprocessor);
  }
  // For libraries that queue their own work: f(cudaStream_t), timed as one span. On a dry context f is not called. f may
  // return void, or a cudaError_t, which is checked.
  template <class F>
  void call(const SpanLabel& label, F&& f) {
    if (dry_) return note({LaunchRecord::Kind::library, std::string(label.name), {}});
    const Span span(*this, label, SpanTiming::whole, label.kind == SpanKind::compute ? &call_site<F> : nullptr);
    if constexpr (std::is_same_v<std::invoke_result_t<F, cudaStream_t>, cudaError_t>)
      check(f(stream_));
    else
      f(stream_);
  }
  // Host contexts only: part(0) .. part(parts - 1) on the pool's threads, timed as one span.
  template <class F>
  void parallel(const SpanLabel& label, int parts, const F& part) {
    parallel_parts(label, parts, {&part, [](const void* f, int i) { (*static_cast<const F*>(f))(i); }});
  }
  // Host contexts only: part(begin, end) on the pool's threads, for bands that together are the rows 0 .. rows - 1, as one span.
  // There are four bands per thread, which evens out bands of unequal cost, but at most `most`.
  template <class F>
  void for_each_band(const SpanLabel& label, int rows, const F& part, int most = std::numeric_limits<int>::max()) {
    const int bands = std::min({rows, 4 * threads(), most});
    const auto edge = [&](int band) { return static_cast<int>(static_cast<long long>(rows) * band / bands); };
    parallel(label, bands, [&](int band) { part(edge(band), edge(band + 1)); });
  }
  // Calls f(); its launches lie within one span of the timeline.
  template <class F>
  void group(const SpanLabel& label, F&& f, SpanTiming timing = SpanTiming::whole) {
    groups_ += dry_;
    const Span span(*this, label, timing);
    f();
  }
  // f(x, y) for every pixel, on the device or on the host's threads, from the same source. F is a trivially copyable
  // function object of one of the forms in gpu/pictures/for_each_pixel.cuh, which defines this and which .cu files include.
  template <class F>
  void for_each_pixel(std::string_view name, Size size, const F& f);
  // f(x, y, colour) for every pixel of an image, likewise.
  template <class F>
  void for_each_colour(std::string_view name, const BgrView& colour, const F& f);
  // Copies pixels between images of the same size on this context's device.
  template <class T>
  void copy(const SpanLabel& label, ImageView<const T> from, ImageView<T> to) {
    copy_bytes(label, from.data, static_cast<std::size_t>(from.stride) * sizeof(T), to.data,
               static_cast<std::size_t>(to.stride) * sizeof(T), static_cast<std::size_t>(from.width) * sizeof(T),
               static_cast<std::size_t>(from.height));
  }

  // Releases, at its end, the scratch memory taken since its start. Work that is already queued can still use it, because
  // later users of the memory are queued behind.
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

  // The most scratch memory held at once so far, in bytes: the size that `workspace` must have.
  std::size_t workspace_bytes() const { return most_; }
  // Dry contexts: what would have been started, in order.
  const std::vector<LaunchRecord>& launches() const { return launches_; }
  // Dry contexts: how many spans a timeline would have recorded.
  int spans() const { return static_cast<int>(launches_.size()) + groups_; }

 private:
  // Times its own lifetime, if there is a timeline, and shows it to a profiler, if one is attached (timeline.h).
  class Span {
   public:
    // `started`: what it starts on a GPU, for Timeline::begin().
    Span(Context& context, const SpanLabel& label, SpanTiming timing = SpanTiming::whole, const void* started = nullptr);
    ~Span();
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Context& context_;
  };

  // A function of a part's number that lives as long as the call: std::function, whose header takes long to compile.
  struct Part {
    const void* object;
    void (*call)(const void* object, int part);
  };
  void parallel_parts(const SpanLabel& label, int parts, const Part& part);
  // What is not inline, as pointers. The library of a user's kernels is linked to that of the simulated GPU (gpu/user_kernels/), whose
  // functions call these for a context of the program.
  struct Calls {
    std::byte* (*take)(Context&, std::size_t bytes);
    std::byte* (*persist)(Context&, std::string_view name, std::size_t bytes);
    int (*resident_blocks)(const Context&, const void* kernel, int threads, int per_multiprocessor);
    void (*launch_pointers)(Context&, const SpanLabel&, const void* kernel, const Grid&, void** arguments);
    void (*copy_bytes)(Context&, const SpanLabel&, const void* from, std::size_t from_pitch, void* to, std::size_t to_pitch,
                       std::size_t width_bytes, std::size_t height);
    void (*parallel_parts)(Context&, const SpanLabel&, int parts, const Part&);
    int (*threads)(const Context&);
    void (*begin_span)(Context&, const SpanLabel&, SpanTiming, const void* started);
    void (*end_span)(Context&);
  };
  static const Calls calls_of_program;
  const Calls* calls_elsewhere() const;
  void begin_span(const SpanLabel& label, SpanTiming timing, const void* started);
  void end_span();

  // Its address tells the library calls of call() apart.
  template <class F>
  static constexpr char call_site = 0;

  Context(Device device, std::span<std::byte> workspace) : device_(device), workspace_(workspace) {}
  std::byte* take(std::size_t bytes);
  std::byte* persist(std::string_view name, std::size_t bytes);
  void clear(void* data, std::size_t bytes);
  void note(LaunchRecord record) { launches_.push_back(std::move(record)); }
  int resident_blocks(const void* kernel, int threads, int per_multiprocessor) const;
  void launch_pointers(const SpanLabel& label, const void* kernel, const Grid& shape, void** arguments);
  void copy_bytes(const SpanLabel& label, const void* from, std::size_t from_pitch, void* to, std::size_t to_pitch,
                  std::size_t width_bytes, std::size_t height);

  Device device_;
  bool dry_ = false;
  const Calls* calls_ = nullptr;  // null: the functions of whoever calls them
  const LoadedKernels* loaded_ = nullptr;
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
  TileRecorder* tile_recorder_ = nullptr;
  bool impatient_ = false;
  int groups_ = 0;
};

// How many blocks of `tile` elements cover `count` elements.
constexpr int ceil_div(int count, int tile) { return count / tile + (count % tile != 0); }

}  // namespace gpu
