#include "gpu/choice/meter.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace gpu {
namespace {

constexpr int runs_of_short_work = 20;
constexpr double short_work = 500;  // microseconds
constexpr int many_launches = 16;
constexpr double warm_up_time = 20e3;  // microseconds: long enough for clocks to rise
constexpr int most_graphs = 64;

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct DestroyGraph {
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraph>;

// `queue` as a graph; null if something in it cannot be captured.
Graph capture(cudaStream_t stream, const std::function<void()>& queue) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaGraph_t graph = nullptr;
  try {
    queue();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    return {};
  }
  cudaGraphExec_t executable = nullptr;
  auto code = cudaStreamEndCapture(stream, &graph);
  if (code == cudaSuccess) code = cudaGraphInstantiate(&executable, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  if (code == cudaSuccess) code = cudaGraphUpload(executable, stream);
  if (code != cudaSuccess) {
    cudaGetLastError();
    if (executable) cudaGraphExecDestroy(executable);
    return {};
  }
  return Graph(executable);
}

Timing summarise(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto count = times.size();
  Timing timing;
  timing.median = times[nearest_rank(count, 50)];
  timing.minimum = times.front();
  timing.p90 = times[nearest_rank(count, 90)];
  timing.samples = static_cast<int>(count);
  return timing;
}

}  // namespace

Meter::Meter(Device device, const std::atomic<bool>& stop)
    : device_(device),
      stop_(stop),
      own_stream_(device == Device::cuda ? std::make_optional<Stream>() : std::nullopt),
      runner_(device == Device::cuda ? SatRunner::on_stream(stream()) : SatRunner::on_host(pool_)) {}

void Meter::wait() {
  if (stream()) check(cudaStreamSynchronize(stream()));
}

int Meter::provide_workspace(const MeasuredWork& work) {
  const auto plan = runner_.plan([&](Context& context) { work(context, 0); });
  if (plan.workspace_bytes > runner_.workspace_bytes()) wait();
  runner_.reserve(plan.workspace_bytes);
  return plan.launches;
}

void Meter::run_all(const MeasuredWork& work, int copies) {
  provide_workspace(work);
  for (int copy = 0; copy < copies; ++copy) {
    if (stop_) throw Interrupted();
    auto& context = runner_.context();
    work(context, copy);
  }
  wait();
}

double Meter::warm_up(const MeasuredWork& work, int copies) {
  const auto start = Clock::now();
  int runs = 0;
  double elapsed = 0;
  do {
    if (stop_) throw Interrupted();
    auto& context = runner_.context();
    const int batch = runs == 0 ? 1 : runs;  // doubles the runs, so that the time of waiting becomes negligible
    for (int i = 0; i < batch; ++i) work(context, (runs + i) % copies);
    wait();
    runs += batch;
    elapsed = microseconds_since(start);
  } while (elapsed < warm_up_time);
  return elapsed / runs;
}

Timing Meter::measure(const MeasuredWork& work, int copies, int samples, const std::function<void()>& before_samples) {
  const int launches = provide_workspace(work);
  return device_ == Device::cuda ? measure_on_device(work, copies, samples, launches, before_samples)
                                 : measure_on_host(work, copies, samples, before_samples);
}

Timing Meter::measure_bound(const MeasuredWork& work, int copies, int samples) {
  constexpr double long_enough = 100;  // microseconds, so that the gaps between direct launches do not count
  const auto usual = measure(work, copies, samples);
  if (!usual.graph || usual.median < long_enough) return usual;
  const auto queued = measure_on_device(work, copies, samples, 0, [] {});
  return queued.median < usual.median ? queued : usual;
}

Timing Meter::measure_on_device(const MeasuredWork& work, int copies, int samples, int launches,
                                const std::function<void()>& before_samples) {
  const bool is_short = warm_up(work, copies) < short_work;
  const int runs = is_short ? runs_of_short_work : 1;
  const auto queue = [&](int first) {
    auto& context = runner_.context();
    for (int i = 0; i < runs; ++i) work(context, (first + i) % copies);
  };
  // As many graphs as are needed to use every copy in turn: a single graph would keep its own 20 in the cache.
  std::vector<Graph> graphs;
  const bool as_graphs = launches > 0 && (is_short || launches > many_launches);
  const int wanted = as_graphs ? std::min({(copies + runs - 1) / runs, samples, most_graphs}) : 0;
  for (int i = 0; i < wanted; ++i) {
    graphs.push_back(capture(stream(), [&] { queue(i * runs); }));
    if (!graphs.back()) {
      graphs.clear();
      break;
    }
  }
  struct Interval {
    Event start{Event::Timing::on}, end{Event::Timing::on};
  };
  std::vector<Interval> intervals(static_cast<std::size_t>(samples));
  const auto sample = [&](int i) {
    if (graphs.empty()) return queue(i * runs);
    check(cudaGraphLaunch(graphs[static_cast<std::size_t>(i) % graphs.size()].get(), stream()));
  };
  before_samples();
  sample(0);  // the first launch of a graph takes longer
  for (int i = 0; i < samples; ++i) {
    if (stop_) break;
    auto& interval = intervals[static_cast<std::size_t>(i)];
    interval.start.record(stream());
    sample(i);
    interval.end.record(stream());
  }
  wait();
  if (stop_) throw Interrupted();
  std::vector<double> times;
  for (const auto& interval : intervals) times.push_back(interval.end.microseconds_since(interval.start) / runs);
  auto timing = summarise(std::move(times));
  timing.runs_per_sample = runs;
  timing.graph = !graphs.empty();
  timing.copies = std::min(copies, runs * (graphs.empty() ? samples : static_cast<int>(graphs.size())));
  return timing;
}

double Meter::measure_live(const MeasuredWork& work, int copies, int samples) {
  if (device_ == Device::host) return measure(work, copies, samples).median;
  provide_workspace(work);
  warm_up(work, copies);
  Event start(Event::Timing::on), end(Event::Timing::on);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    if (stop_) throw Interrupted();
    auto& context = runner_.context();
    start.record(stream());
    work(context, i % copies);
    end.record(stream());
    wait();  // the next run finds an idle GPU
    times.push_back(end.microseconds_since(start));
  }
  return summarise(std::move(times)).median;
}

Timing Meter::measure_on_host(const MeasuredWork& work, int copies, int samples,
                              const std::function<void()>& before_samples) {
  warm_up(work, copies);
  before_samples();
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    if (stop_) throw Interrupted();
    auto& context = runner_.context();
    const auto start = Clock::now();
    work(context, i % copies);
    times.push_back(microseconds_since(start));
  }
  auto timing = summarise(std::move(times));
  timing.copies = std::min(copies, samples);
  return timing;
}

}  // namespace gpu
