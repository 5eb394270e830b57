// Measures one piece of work: on the GPU by events around CUDA graphs of it, on the host by the steady clock.
//
// Work that takes less than 500 us is put 20 times, on 20 copies of its data, into one graph, whose time is divided by
// 20: the cost of starting it and the resolution of events would bury it otherwise. Longer work is started plainly
// between two events, or, where it is many launches, whose starting might take longer than they do, as a graph of one.
// (Large copies must not be graphs: on an H200 a memcpy node of 1 GiB took half as long again as a plain memcpy.) What
// cannot be captured is started plainly.
#pragma once

#include <atomic>
#include <functional>

#include "gpu/context.h"
#include "gpu/sat_runner.h"

namespace gpu::benchmarks {

struct Timing {
  double median = 0, minimum = 0, p90 = 0;  // microseconds a run
  int samples = 0;
  int runs_per_sample = 1;
  bool graph = false;
  int copies = 0;  // of the data that the samples used: the first ones
};

// Queues or does one run on data copy `copy`.
using Work = std::function<void(Context&, int copy)>;

class Interrupted {};  // thrown where `stop` was set

class Meter {
 public:
  Meter(Device device, const std::atomic<bool>& stop);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  Device device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  int threads() const { return pool_.threads(); }

  // Once, on every copy; waits. Grows the workspace to what a dry replay counts.
  void run_all(const Work& work, int copies);
  // The times of at least `samples` samples of `work`, after a warm-up. `before_samples` is called between the two.
  Timing measure(
      const Work& work, int copies, int samples, const std::function<void()>& before_samples = [] {});

 private:
  int provide_workspace(const Work& work);       // returns the number of launches per run
  double warm_up(const Work& work, int copies);  // microseconds a run, about
  Timing measure_on_device(const Work& work, int copies, int samples, int launches,
                           const std::function<void()>& before_samples);
  Timing measure_on_host(const Work& work, int copies, int samples, const std::function<void()>& before_samples);
  void wait();

  Device device_;
  const std::atomic<bool>& stop_;
  ThreadPool pool_;
  cudaStream_t stream_ = nullptr;
  SatRunner runner_;
};

}  // namespace gpu::benchmarks
