// What satscope::Plan and satscope::Filter have in common: where they work, which algorithm they use, and how errors are
// reported.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/context.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/event.h"
#include "gpu/cuda/stream_order.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat.h"
#include "gpu/sat_runner.h"
#include "gpu/satscope.h"

namespace satscope::detail {

// Turns what the library throws into Error. `size`: of the images that take memory.
template <class F>
auto as_error(Size size, const F& f) {
  const auto no_memory = [&](const char* where) {
    return Error(std::string("not enough ") + where + " for " +
                 (size.width > 0 ? std::to_string(size.width) + 'x' + std::to_string(size.height) + " pixels" : "the call") +
                 ": release what is not needed, divide the image, or choose another algorithm");
  };
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw no_memory("memory");
  } catch (const gpu::CudaError& error) {
    throw error.out_of_memory() ? no_memory("GPU memory") : Error(error.what());
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}
template <class F>
auto as_error(const F& f) {
  return as_error(Size{}, f);
}

// Plans on the simulated GPU of a driver, whose memory is the host's: for the Python module. Options::device does not count.
struct Inside {
  static Plan plan_on_simulated(Size size, Type type, const Options& options, const gpu::simulated::Driver& driver);
};
// There is one simulated GPU: its kernels run one after another.
std::mutex& turn_of_simulated_gpu();

// The GPU that is meant; none for the host.
std::optional<gpu::GpuInfo> gpu_of(Device device);

struct Choice {
  const gpu::SatAlgorithm* algorithm;
  gpu::Arguments arguments;
  std::string origin;
};
// `is_simulated`: on the simulated GPU, if `gpu` is none.
Choice choice_of(const Options& options, const std::optional<gpu::GpuInfo>& gpu, gpu::Size size, gpu::SatType type,
                 bool is_simulated = false);

// The pitch in elements of so many bytes. `what`: "the pitch of the table".
std::ptrdiff_t stride_of(std::size_t pitch, std::size_t bytes, std::string_view what);

// The first column of a padded tilted table in the host's memory, of an image with `height` rows: left of the image a triangle is
// the one whose tip is in the first column, a row higher.
void tilt_border(std::byte* table, std::size_t pitch, int height);

// The threads of this process for all plans that use so many, 0: one per core. They end with the last plan. A process that was
// forked starts its own.
std::shared_ptr<gpu::ThreadPool> shared_threads(int threads);

// While it exists the thread may allocate and release memory of a GPU, although streams are captured: neither is part of a graph.
// Without it another thread's capture would end as failed.
class BesideCaptures {
 public:
  explicit BesideCaptures(bool on_gpu) noexcept;
  ~BesideCaptures();
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then the one before
  bool changed_;
};

// The microseconds of each of several runs: by events on a GPU's stream, where `run` only queues and `wait` waits for the last
// event, else by the clock.
template <class Run, class Wait>
std::vector<double> times_of_runs(bool on_gpu, cudaStream_t stream, int runs, const Run& run, const Wait& wait) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times(static_cast<std::size_t>(runs));
  std::vector<gpu::Event> events;  // made before the first run, so that the GPU does not wait between two runs
  for (int i = 0; on_gpu && i < 2 * runs; ++i) events.emplace_back(gpu::Event::Timing::on);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (on_gpu) events[2 * i].record(stream);
    const auto begin = Clock::now();
    run();
    times[i] = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    if (on_gpu) events[2 * i + 1].record(stream);
  }
  if (!on_gpu) return times;
  wait(events.back());
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = events[2 * i + 1].microseconds_since(events[2 * i]);
  return times;
}

// The device, the memory and the order of work of a plan or a filter.
class Backend {
 public:
  // On the host without `gpu` and `driver`. `what`: "the plan", for errors.
  Backend(const std::optional<gpu::GpuInfo>& gpu, int threads, std::string_view what,
          const gpu::simulated::Driver* driver = nullptr);
  ~Backend();

  bool on_host() const { return !order_; }  // with its memory: on the simulated GPU too
  gpu::Device device() const { return runner_->device(); }
  std::size_t memory_bytes() const { return runner_->workspace_bytes() + runner_->persistent_bytes(); }

  // Takes the memory that `work` needs.
  void reserve(const std::function<void(gpu::Context&)>& work) { runner_->reserve(runner_->plan(work).workspace_bytes); }
  gpu::Context& context(cudaStream_t stream) {
    check_gpu();
    return runner_->context(stream);
  }
  // Loads the kernels that `work` starts, so that it can be captured without having run. On a GPU.
  void load_kernels(const std::function<void(gpu::Context&)>& work) const;
  // Held for the duration of a call: calls of other threads follow it.
  std::unique_lock<std::mutex> lock() {
    return std::unique_lock(device() == gpu::Device::simulated ? turn_of_simulated_gpu() : mutex_);
  }
  // Behind all earlier work of the backend. On a GPU it is queued on context().stream().
  template <class Work>
  void in_order(const Work& work) {
    if (order_) order_->begin(runner_->context().stream());
    try {
      work();
    } catch (...) {
      end_after_failure();
      throw;
    }
    if (order_) order_->end(runner_->context().stream());
  }
  // In order, with the backend's memory, which is not trusted any more if the work fails.
  template <class Work>
  void run(const Work& work) {
    in_order([&] {
      try {
        work();
      } catch (...) {
        runner_->invalidate();
        throw;
      }
    });
  }

  // Throws unless the thread's current GPU is the plan's.
  void check_gpu() const;
  // `what`: "the image".
  void check_memory(const void* data, const char* what);

 private:
  bool is_only_of_a_gpu(const void* data);
  void end_after_failure() noexcept;

  std::string what_;
  std::mutex mutex_;
  std::shared_ptr<gpu::ThreadPool> pool_;  // of the host
  int index_ = 0;                          // of the GPU
  std::optional<gpu::StreamOrder> order_;  // on a GPU
  std::optional<gpu::SatRunner> runner_;
  // The function of CUDA's driver, and when it was looked for.
  int (*pointer_attribute_)(void*, int, unsigned long long) = nullptr;
  unsigned long long loads_of_libraries_ = 0;
};

}  // namespace satscope::detail
