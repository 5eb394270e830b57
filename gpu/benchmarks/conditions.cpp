#include "gpu/benchmarks/conditions.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace gpu::benchmarks {
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
