// Measures one piece of work; and percentiles of what was measured.
//
// On the GPU work is measured by events around CUDA graphs of it, on the host by the steady clock.
//
// Work that takes less than 500 us is put 20 times, on 20 copies of its data, into one graph, whose time is divided by 20:
// otherwise the cost of starting it and the resolution of events would dominate. Longer work is queued directly between two
// events, or, if it has many launches, which might take longer to start than to run, as a graph of one run. Work that cannot
// be captured is queued directly.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "gpu/context.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/event.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat_runner.h"

namespace gpu {

// Percentiles by nearest rank: always one of the measured values, the smallest that at least `percent` % of all values do
// not exceed. In permille for those between: 999 is the 99.9th percentile.
//
// Its index among `count` sorted values; 0 if there are none.
constexpr std::size_t nearest_rank_permille(std::size_t count, unsigned permille) {
  return std::max<std::size_t>((count * permille + 999) / 1000, 1) - 1;
}
constexpr std::size_t nearest_rank(std::size_t count, unsigned percent) {
  return nearest_rank_permille(count, percent * 10);
}

// Reorders the values; there must be at least one.
inline double percentile(std::span<double> values, unsigned percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(nearest_rank(values.size(), percent));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

struct Timing {
  double median = 0, minimum = 0, p90 = 0;  // microseconds per run
  int samples = 0;
  int runs_per_sample = 1;
  bool graph = false;
  int copies = 0;   // of the data that the samples used: the first ones
  double live = 0;  // microseconds, median, of measure_live(); 0: not measured

  // Turns the times of a batch into those of one image.
  void divide_by(int images) {
    for (auto* time : {&median, &minimum, &p90, &live}) *time /= images;
  }
};

// Queues or does one run on copy `copy` of the data.
using MeasuredWork = std::function<void(Context&, int copy)>;

class Interrupted {};  // thrown once `stop` is set

class Meter {
 public:
  Meter(Device device, const std::atomic<bool>& stop);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  Device device() const { return device_; }
  cudaStream_t stream() const { return own_stream_ ? cudaStream_t{*own_stream_} : nullptr; }
  int threads() const { return pool_.threads(); }

  // Runs `work` once on every copy; waits. Grows the workspace to the size that a dry replay counts.
  void run_all(const MeasuredWork& work, int copies);
  // The median time of `samples` runs as a program starts them, one after another has ended, without graphs: on a GPU from
  // the start of the first kernel to the end of the last, with the gaps between launches; on the host as measure() has it.
  double measure_live(const MeasuredWork& work, int copies, int samples);
  // The times of at least `samples` samples of `work`, after a warm-up. Calls `before_samples` between warm-up and samples.
  Timing measure(
      const MeasuredWork& work, int copies, int samples, const std::function<void()>& before_samples = [] {});
  // As measure(), for a bound. Work that is long enough is also queued directly instead of in graphs, and the faster counts: a
  // large memcpy in a graph is slower than a direct one.
  Timing measure_bound(const MeasuredWork& work, int copies, int samples);

 private:
  int provide_workspace(const MeasuredWork& work);       // returns the number of launches per run
  double warm_up(const MeasuredWork& work, int copies);  // returns microseconds per run, approximately
  // `launches`: per run, which says whether a graph is worth it; 0: never in a graph.
  Timing measure_on_device(const MeasuredWork& work, int copies, int samples, int launches,
                           const std::function<void()>& before_samples);
  Timing measure_on_host(const MeasuredWork& work, int copies, int samples, const std::function<void()>& before_samples);
  void wait();

  Device device_;
  const std::atomic<bool>& stop_;
  ThreadPool pool_;
  std::optional<Stream> own_stream_;  // on a GPU
  SatRunner runner_;
};

}  // namespace gpu
