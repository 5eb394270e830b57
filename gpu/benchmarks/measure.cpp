#include "gpu/benchmarks/measure.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/event.h"
#include "gpu/percentile.h"

namespace gpu::benchmarks {
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

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
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
      stream_(device == Device::cuda ? new_stream() : nullptr),
      runner_(device == Device::cuda ? SatRunner::on_stream(stream_) : SatRunner::on_host(pool_)) {}

Meter::~Meter() {
  if (stream_) cudaStreamDestroy(stream_);
}

void Meter::wait() {
  if (stream_) check(cudaStreamSynchronize(stream_));
}

int Meter::provide_workspace(const Work& work) {
  const auto plan = runner_.plan([&](Context& context) { work(context, 0); });
  if (plan.workspace_bytes > runner_.workspace_bytes()) wait();
  runner_.reserve(plan.workspace_bytes);
  return plan.launches;
}

void Meter::run_all(const Work& work, int copies) {
  provide_workspace(work);
  for (int copy = 0; copy < copies; ++copy) {
    if (stop_) throw Interrupted();
    auto& context = runner_.context();
    work(context, copy);
  }
  wait();
}

double Meter::warm_up(const Work& work, int copies) {
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

Timing Meter::measure(const Work& work, int copies, int samples, const std::function<void()>& before_samples) {
  const int launches = provide_workspace(work);
  return device_ == Device::cuda ? measure_on_device(work, copies, samples, launches, before_samples)
                                 : measure_on_host(work, copies, samples, before_samples);
}

Timing Meter::measure_bound(const Work& work, int copies, int samples) {
  constexpr double long_enough = 100;  // microseconds, so that the gaps between direct launches do not count
  const auto usual = measure(work, copies, samples);
  if (!usual.graph || usual.median < long_enough) return usual;
  const auto queued = measure_on_device(work, copies, samples, 0, [] {});
  return queued.median < usual.median ? queued : usual;
}

Timing Meter::measure_on_device(const Work& work, int copies, int samples, int launches,
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
    graphs.push_back(capture(stream_, [&] { queue(i * runs); }));
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
    check(cudaGraphLaunch(graphs[static_cast<std::size_t>(i) % graphs.size()].get(), stream_));
  };
  before_samples();
  sample(0);  // the first launch of a graph takes longer
  for (int i = 0; i < samples; ++i) {
    if (stop_) break;
    auto& interval = intervals[static_cast<std::size_t>(i)];
    interval.start.record(stream_);
    sample(i);
    interval.end.record(stream_);
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

double Meter::measure_live(const Work& work, int copies, int samples) {
  if (device_ == Device::host) return measure(work, copies, samples).median;
  provide_workspace(work);
  warm_up(work, copies);
  Event start(Event::Timing::on), end(Event::Timing::on);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    if (stop_) throw Interrupted();
    auto& context = runner_.context();
    start.record(stream_);
    work(context, i % copies);
    end.record(stream_);
    wait();  // the next run finds an idle GPU
    times.push_back(end.microseconds_since(start));
  }
  return summarise(std::move(times)).median;
}

Timing Meter::measure_on_host(const Work& work, int copies, int samples, const std::function<void()>& before_samples) {
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

namespace {

// The value of the first line of `file` that begins with `key`, after its colon.
std::string field(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) {
      const auto colon = line.find(':');
      const auto start = line.find_first_not_of(" \t", colon + 1);
      if (colon != line.npos && start != line.npos) return line.substr(start);
    }
  return {};
}

Machine describe_host(int threads) {
  Machine machine;
  machine.name = field("/proc/cpuinfo", "model name");
  if (machine.name.empty()) machine.name = "processor of unknown name";
  machine.units = threads;
  machine.memory_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // Virtual machines report the cache of the whole host, of which their few cores get only a part.
  const auto cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  constexpr std::size_t usual_cache = 32u << 20, most_cache = 64u << 20;
  machine.cache_bytes = cache > 0 ? std::min(static_cast<std::size_t>(cache), most_cache) : usual_cache;
  return machine;
}

struct ThrottleReason {
  unsigned long long bit;
  const char* text;
};
constexpr int sm_clock = 1, memory_clock = 2;  // nvmlClockType_t
constexpr int insufficient_size = 7;           // nvmlReturn_t: the count was written all the same
// NVML's clock event reasons that mean "slower than it could be". Idle clocks (1) and set clocks (2) do not.
constexpr ThrottleReason throttle_reasons[] = {
    {0x04, "the power limit"},
    {0x08, "a hardware slowdown"},
    {0x20, "its temperature (software)"},
    {0x40, "its temperature (hardware)"},
    {0x80, "the power supply's brake"},
};

}  // namespace

Machine describe_machine(Device device, int threads) {
  if (device == Device::host) return describe_host(threads);
  const auto gpu = probe_gpu().gpu.value();
  Machine machine;
  machine.name = gpu.name;
  machine.cuda = std::to_string(gpu.driver / 1000) + "." + std::to_string(gpu.driver % 1000 / 10);
  machine.memory_bytes = gpu.memory_bytes;
  machine.cache_bytes = gpu.l2_bytes;
  machine.units = gpu.multiprocessors;
  return machine;
}

// The few functions of NVML's C interface that are needed, by their names in libnvidia-ml.so.1.
struct GpuWatch::Nvml {
  using Handle = void*;
  struct Utilisation {
    unsigned gpu, memory;
  };
  void* library = nullptr;
  Handle device = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(Handle, int, unsigned*) = nullptr;
  int (*maximum_clock)(Handle, int, unsigned*) = nullptr;
  int (*throttle)(Handle, unsigned long long*) = nullptr;
  int (*utilisation)(Handle, Utilisation*) = nullptr;
  int (*processes)(Handle, unsigned*, void*) = nullptr;

  template <class F>
  bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
  }
  bool open() {
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*start)() = nullptr;
    int (*handle)(const char*, Handle*) = nullptr;
    char bus[32];
    if (!library || !find(start, "nvmlInit_v2") || !find(shutdown, "nvmlShutdown") ||
        !find(handle, "nvmlDeviceGetHandleByPciBusId_v2") || !find(driver_version, "nvmlSystemGetDriverVersion") ||
        !find(clock, "nvmlDeviceGetClockInfo") || !find(maximum_clock, "nvmlDeviceGetMaxClockInfo") ||
        !find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons") ||
        !find(utilisation, "nvmlDeviceGetUtilizationRates") || !find(processes, "nvmlDeviceGetComputeRunningProcesses_v3") ||
        start() != 0)
      return false;
    return cudaDeviceGetPCIBusId(bus, sizeof bus, 0) == cudaSuccess && handle(bus, &device) == 0;
  }
  ~Nvml() {
    if (device && shutdown) shutdown();
    if (library) dlclose(library);
  }
};

GpuWatch::GpuWatch() {
  auto nvml = std::make_unique<Nvml>();
  if (!nvml->open()) return;
  nvml_ = std::move(nvml);
  Nvml::Utilisation utilisation{};
  if (nvml_->utilisation(nvml_->device, &utilisation) == 0) busy_before_ = utilisation.gpu;
  nvml_->maximum_clock(nvml_->device, sm_clock, &limit_sm_);
}

GpuWatch::~GpuWatch() = default;

void GpuWatch::look() {
  if (!nvml_) return;
  unsigned value = 0, programs = 0;
  if (nvml_->clock(nvml_->device, sm_clock, &value) == 0) {
    lowest_sm_ = std::min(lowest_sm_, value);
    highest_sm_ = std::max(highest_sm_, value);
  }
  nvml_->clock(nvml_->device, memory_clock, &memory_);
  unsigned long long reasons = 0;
  if (nvml_->throttle(nvml_->device, &reasons) == 0) throttled_ |= reasons;
  const auto code = nvml_->processes(nvml_->device, &programs, nullptr);
  // One of them is this program.
  if ((code == 0 || code == insufficient_size) && programs > 1) other_programs_ = std::max(other_programs_, programs - 1);
}

std::string GpuWatch::driver() const {
  char text[96] = {};
  return nvml_ && nvml_->driver_version(text, sizeof text) == 0 ? text : "";
}

std::string GpuWatch::clocks() const {
  if (highest_sm_ == 0) return {};
  auto text = "SM clock " + std::to_string(lowest_sm_);
  if (highest_sm_ != lowest_sm_) text += " to " + std::to_string(highest_sm_);
  return text + " MHz (limit " + std::to_string(limit_sm_) + "), memory clock " + std::to_string(memory_) + " MHz";
}

std::vector<std::string> GpuWatch::warnings() const {
  std::vector<std::string> list;
  if (other_programs_ > 0)
    list.push_back(std::to_string(other_programs_) + " other program(s) used this GPU during the measurements");
  if (busy_before_ > 5)
    list.push_back("the GPU was " + std::to_string(busy_before_) + "% busy before the measurements began");
  for (const auto& reason : throttle_reasons)
    if (throttled_ & reason.bit) list.push_back(std::string("the GPU was slowed down by ") + reason.text);
  return list;
}

}  // namespace gpu::benchmarks
